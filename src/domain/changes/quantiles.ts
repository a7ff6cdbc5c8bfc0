/**
 * Quantiles of the normal distribution and of Student's t with a whole number of degrees of freedom, for the upper tail
 * alone: `tail` is the probability of a larger value, above 0 and at most ½. Tails are told and not their complements,
 * which have no room for small ones.
 *
 * Method: the tail of t is a closed sum for whole degrees of freedom (M. Abramowitz and I. A. Stegun, Handbook of
 * Mathematical Functions, 26.7.3 and 26.7.4), that of the normal distribution the continued fraction of Laplace
 * (ibid., 26.2.14) or, near the middle, the series of Gauss's integral (26.2.11). Both are inverted by halving an
 * interval until it has no further number in it. From a tail of ½ down to 1e-12 the result is within 1e-6 of the exact
 * one, within 1e-9 down to 1e-8: tests hold it against published tables and against integrals of the densities.
 */

/**
 * This is beyond every quantile: a tail of 1e-12 begins at 14.5 with 21 degrees, at 7.03 in the normal distribution.
 */
const quantileMax = 1_000;

export const normalQuantile = (tail: number): number => inverse(normalTail, tail);

export const studentQuantile = (tail: number, degrees: number): number =>
  inverse((t) => studentTail(t, degrees), tail);

/** Finds where a falling function has a value. */
function inverse(tailOf: (value: number) => number, tail: number): number {
  let low = 0;
  let high = quantileMax;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) return middle;
    if (tailOf(middle) > tail) low = middle;
    else high = middle;
  }
}

/** From here on the continued fraction is the quicker and the more exact one. */
const fractionFrom = 2.5;
const fractionTerms = 200;

function normalTail(z: number): number {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < fractionFrom) {
    let term = z;
    let sum = z;
    for (let k = 1; term > sum * Number.EPSILON; k++) {
      term *= (z * z) / (2 * k + 1);
      sum += term;
    }
    return 0.5 - density * sum;
  }
  let fraction = z;
  for (let k = fractionTerms; k > 0; k--) fraction = z + k / fraction;
  return density / fraction;
}

/** The share of t above a value that is not negative. */
function studentTail(t: number, degrees: number): number {
  const angle = Math.atan2(t, Math.sqrt(degrees));
  const square = Math.cos(angle) ** 2;
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? Math.cos(angle) : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= (square * (k - 1)) / k;
    sum += term;
  }
  const within = isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
  return (1 - within) / 2;
}
