import { type Pair, sumOf } from "./change-counts";

/** The formulas of definitions.md, What changed: pure, and of numbers alone. Nothing is rounded here. */

const daysOfWeek = 7;
/** The probability that something is called significant where nothing has changed, whatever the number of tests. */
const falseAlarmRate = 0.001;
/** A change is told when it is as large as one of them. */
const deltaMin = 10;
const deltaShareMin = 0.1;

/**
 * φ, how much more the counts of a value vary from day to day than by chance alone, apart from its rhythm of the week:
 * Pearson's statistic over its degrees of freedom. Counts are of dates that follow each other.
 */
export function dispersionOf(byDate: ArrayLike<number>): number {
  const degrees = byDate.length - daysOfWeek;
  if (degrees <= 0) return 1;
  let statistic = 0;
  for (let weekday = 0; weekday < daysOfWeek; weekday++) {
    let sum = 0;
    let dates = 0;
    for (let at = weekday; at < byDate.length; at += daysOfWeek) {
      sum += byDate[at];
      dates++;
    }
    if (sum === 0) continue;
    const mean = sum / dates;
    for (let at = weekday; at < byDate.length; at += daysOfWeek) {
      statistic += (byDate[at] - mean) ** 2 / mean;
    }
  }
  return Math.max(1, statistic / degrees);
}

/** Returns by how many standard deviations two counts differ. */
export const zOf = (current: number, previous: number, dispersion: number): number =>
  current === previous ? 0 : (current - previous) / Math.sqrt(dispersion * (current + previous));

/** A number of trials, and how many of them succeeded. */
export interface Proportion {
  readonly of: number;
  readonly reached: number;
}
export const rateOf = ({ of, reached }: Proportion): number => (of === 0 ? 0 : reached / of);

/** Returns by how many standard deviations two shares differ, were both of one probability. */
export function pooledZ(current: Proportion, previous: Proportion): number {
  const of = current.of + previous.of;
  const pooled = rateOf({ of, reached: current.reached + previous.reached });
  const variance = pooled * (1 - pooled) * (1 / current.of + 1 / previous.of);
  const isKnown = current.of > 0 && previous.of > 0 && variance > 0;
  return isKnown ? (rateOf(current) - rateOf(previous)) / Math.sqrt(variance) : 0;
}

/** The tail beyond which one of a number of values lies by chance as rarely as one of them may. */
export const tailOf = (tests: number): number => falseAlarmRate / tests;

export const degreesOf = (dates: number): number => dates - daysOfWeek;

/** Tells whether a change is of a size that is worth telling. */
export const isLarge = (current: number, previous: number): boolean =>
  Math.abs(current - previous) >= Math.max(deltaMin, previous * deltaShareMin);

/** Returns the change of a value beyond what it would have changed by with the whole. */
export const excessOf = (
  { current, previous }: Pair,
  { current: all, previous: allBefore }: Pair,
): number => (allBefore === 0 ? current : current - (previous * all) / allBefore);

/**
 * Measures how much the mix of values differs: the Jensen–Shannon divergence of their shares in bits, from 0 for none
 * to 1 for no value in common (J. Lin, Divergence measures based on the Shannon entropy, IEEE Transactions on
 * Information Theory 37 (1991), 145–151).
 */
export function surpriseOf(values: readonly Pair[]): number {
  const all = sumOf(values);
  const halfBits = (a: number, b: number): number =>
    a === 0 ? 0 : a * Math.log2((2 * a) / (a + b));
  let bits = 0;
  for (const { current, previous } of values) {
    const a = all.previous === 0 ? 0 : previous / all.previous;
    const b = all.current === 0 ? 0 : current / all.current;
    bits += (halfBits(a, b) + halfBits(b, a)) / 2;
  }
  return bits;
}
