import type { Random } from "./random";

/** Numbers by chance, as counts of dates are. */

/** Weekends have less. */
export const weekdayShares = [1.1, 1.2, 1.2, 1.1, 1, 0.7, 0.7];

/** Draws a number whose variance is `ratio` times that of Poisson. */
export const count = (random: Random, mean: number, ratio: number): number =>
  ratio === 1
    ? poisson(random, mean)
    : poisson(random, gamma(random, mean / (ratio - 1)) * (ratio - 1));

/** Draws a number above 0 and below 1. */
export const unit = ({ below }: Random): number => (below(2 ** 32 - 1) + 1) / 2 ** 32;

/** Draws a number of the standard normal distribution. */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(unit(random))) * Math.cos(2 * Math.PI * unit(random));

/** G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables (2000). */
function gamma(random: Random, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * unit(random) ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = normal(random);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(unit(random)) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Larger ones are normal to within a thousandth. */
const countedOneByOneMax = 50;

function poisson(random: Random, mean: number): number {
  if (mean > countedOneByOneMax) {
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  }
  const end = Math.exp(-mean);
  let events = 0;
  for (let product = unit(random); product > end; product *= unit(random)) events++;
  return events;
}
