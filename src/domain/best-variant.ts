/*
 * The best variant is found by quadrature.
 * Decision: the probability that a variant is the best is integrated over the logit of its rate, in logarithms, on a
 * grid made of all variants' own grids; no gamma function, no incomplete beta, no random numbers.
 * Because: it is below 1e-6 off from 0 to 10 million users, in 5 ms, and repeated reads agree.
 * Cost: 100 lines of ours, held against a closed form, a simulation and the normal distribution.
 * Revisit: if experiments get metrics that are no rates.
 */

/** The users of a variant, and how many of them converted. */
export interface Trials {
  readonly users: number;
  readonly conversions: number;
}

/**
 * Returns for each variant the probability that its rate is the highest of all, given independent Beta(1, 1) priors,
 * hence the posterior Beta(1 + c, 1 + n − c) of c conversions by n users (definitions.md):
 *
 *   Pᵢ = ∫ fᵢ(x) ∏_{j≠i} Fⱼ(x) dx
 *
 * the "probability optimal" of S. L. Scott, A modern Bayesian look at the multi-armed bandit, Applied Stochastic Models
 * in Business and Industry 26 (2010), 639–658, here by quadrature where he draws samples.
 *
 * Method: x is replaced by its logit t, which makes every density smooth and bell-shaped, with tails no heavier than
 * e^−|t|, also where all or none have converted. Densities are taken as logarithms relative to their peak: neither a
 * gamma function nor a difference of large numbers occurs, whatever n is. Each variant contributes a grid fine enough
 * for its own bell; on the union of the grids, Simpson's rule integrates each density (its parabola through both ends
 * and the middle also gives the half interval, so Fⱼ is known at all three points) and then the product. Dividing by
 * sums makes up for the constants that were left out. The error is below 1e-6; no chance is involved.
 */
export function probabilitiesBest(variants: readonly Trials[]): readonly number[] {
  const bells = variants.map(bellOf);
  const grid = Float64Array.from(bells.flatMap(nodesOf)).sort();
  const curves = bells.map((bell) => curveOn(grid, bell));
  const masses = curves.map((_, index) => massOfBest(grid, curves, index));
  const total = sum(masses);
  return masses.map((mass) => mass / total);
}

/** The density of a Beta(a, b) over the logit, without its constant: a·log x + b·log(1 − x). */
interface Bell {
  readonly a: number;
  readonly b: number;
  /** The logit of the mean, where the bell is highest. */
  readonly peak: number;
  readonly logHeight: number;
  /** Standard deviation, by the formula for large a and b; for small ones it is of the right size. */
  readonly spread: number;
}

function bellOf({ users, conversions }: Trials): Bell {
  const a = 1 + conversions;
  const b = 1 + users - conversions;
  const peak = Math.log(a / b);
  return { a, b, peak, logHeight: logDensity(a, b, peak), spread: Math.sqrt(1 / a + 1 / b) };
}

const logDensity = (a: number, b: number, t: number): number => -a * softplus(-t) - b * softplus(t);

/** log(1 + eᵗ), exact at both ends: −log x of the logit −t, and −log(1 − x) of t. */
const softplus = (t: number): number => Math.max(t, 0) + Math.log1p(Math.exp(-Math.abs(t)));

const heightAt = ({ a, b, logHeight }: Bell, t: number): number =>
  Math.exp(logDensity(a, b, t) - logHeight);

/** Intervals per standard deviation: Simpson's error falls with its fourth power. */
const nodesPerSpread = 8;
/** Heights below this add nothing that a double could hold. */
const negligibleHeight = 1e-16;

function nodesOf(bell: Bell): number[] {
  const step = bell.spread / nodesPerSpread;
  const nodes = [bell.peak];
  for (const side of [-step, step]) {
    for (let at = 1; heightAt(bell, bell.peak + at * side) > negligibleHeight; at++) {
      nodes.push(bell.peak + at * side);
    }
  }
  return nodes;
}

/** A density and its integral from the left, at the nodes and in the middle of the intervals that follow them. */
interface Curve {
  readonly density: Float64Array;
  readonly densityBetween: Float64Array;
  /** The distribution function at each node of the grid, from 0 to 1. */
  readonly share: Float64Array;
  readonly shareBetween: Float64Array;
}

function curveOn(grid: Float64Array, bell: Bell): Curve {
  const density = grid.map((t) => heightAt(bell, t));
  const densityBetween = grid.map((t, at) => heightAt(bell, (t + (grid[at + 1] ?? t)) / 2));
  const share = new Float64Array(grid.length);
  const shareBetween = new Float64Array(grid.length);
  for (let at = 0; at + 1 < grid.length; at++) {
    const width = grid[at + 1] - grid[at];
    const [left, middle, right] = [density[at], densityBetween[at], density[at + 1]];
    shareBetween[at] = share[at] + (width / 24) * (5 * left + 8 * middle - right);
    share[at + 1] = share[at] + (width / 6) * (left + 4 * middle + right);
  }
  const whole = share[grid.length - 1];
  for (const shares of [share, shareBetween]) {
    for (let at = 0; at < shares.length; at++) shares[at] /= whole;
  }
  return { density, densityBetween, share, shareBetween };
}

/** ∫ fᵢ ∏ Fⱼ, where each fᵢ is divided by its own integral. */
function massOfBest(grid: Float64Array, curves: readonly Curve[], best: number): number {
  const others = curves.filter((_, index) => index !== best);
  const { density, densityBetween } = curves[best];
  const at = (node: number): number =>
    others.reduce((product, { share }) => product * share[node], density[node]);
  const between = (node: number): number =>
    others.reduce((product, curve) => product * curve.shareBetween[node], densityBetween[node]);
  let mass = 0;
  let whole = 0;
  for (let node = 0; node + 1 < grid.length; node++) {
    const sixth = (grid[node + 1] - grid[node]) / 6;
    mass += sixth * (at(node) + 4 * between(node) + at(node + 1));
    whole += sixth * (density[node] + 4 * densityBetween[node] + density[node + 1]);
  }
  // Far from its bell, the parabola may put an integral below 0, by less than doubles tell apart from it.
  return Math.max(0, mass / whole);
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
