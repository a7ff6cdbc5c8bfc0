import {
  type ChangeDimension,
  type DimensionCounts,
  type Pair,
  type PairCounts,
  type ValueCounts,
  valuesMax,
} from "../../../../domain/changes/change-counts";
import type { Budget } from "../budget";
import { mostFrequent } from "../sets/selection";
import type { NumberedValues } from "./dimension-values";

/** The counts of a dimension's values in both periods, by number of a value, and how many of them reached a goal. */
export interface PeriodCounts {
  readonly current: Float64Array;
  readonly previous: Float64Array;
  readonly reached?: { readonly current: Float64Array; readonly previous: Float64Array };
}

/**
 * Numbers of the values with most in both periods together, ties in order of code points, no value before all. Where
 * all are alike that is the one, whatever there is of it.
 */
export function largestValues(
  { current, previous }: Pick<PeriodCounts, "current" | "previous">,
  values: NumberedValues,
  dimension: ChangeDimension | null,
  budget: Budget,
): readonly number[] {
  if (dimension === null) return [0];
  const both = budget.words(current.length);
  for (let number = 0; number < both.length; number++) {
    both[number] = current[number] + previous[number];
  }
  // One byte in front of each text, so that no value comes before the empty one.
  const byteAt = (number: number, place: number): number =>
    number === 0 ? -1 : place === 0 ? 0 : values.byteAt(number, place - 1);
  const largest = mostFrequent(both, valuesMax, byteAt, budget);
  budget.giveBack(both.byteLength);
  return largest;
}

/** Returns for each value its place among those that are kept; −1 for another. */
export function placesOf(kept: readonly number[], count: number, budget: Budget): Int32Array {
  const places = budget.integers(count + 1).fill(-1);
  kept.forEach((number, place) => {
    places[number] = place;
  });
  return places;
}

/** The numbers of a question's values that a sum or a set has, in an array. */
export function arrayOf(
  count: number,
  of: (number: number) => number,
  budget: Budget,
): Float64Array<ArrayBuffer> {
  const array = budget.doubles(count + 1);
  budget.each(array.length, (number) => {
    array[number] = of(number);
  });
  return array;
}

/** The values that are kept, and the others together. */
export function dimensionCounts(
  counts: PeriodCounts,
  values: NumberedValues,
  kept: readonly number[],
  byDate: readonly ArrayLike<number>[],
): DimensionCounts {
  const shown = kept.map(
    (number, place): ValueCounts => ({
      value: number === 0 ? null : values.text(number),
      ...countsOf(counts, number),
      byDate: byDate[place] ?? [],
    }),
  );
  return { values: shown, other: othersOf(counts, new Set(kept)) };
}

const countsOf = ({ reached, ...counts }: PeriodCounts, number: number): PairCounts => ({
  ...pairOf(counts, number),
  ...(reached !== undefined && { reached: pairOf(reached, number) }),
});

type Arrays = Pick<PeriodCounts, "current" | "previous">;
const pairOf = ({ current, previous }: Arrays, number: number): Pair => ({
  current: current[number],
  previous: previous[number],
});

/** Adds up the other values where they are, as there may be millions of them. */
function othersOf(
  { reached, ...counts }: PeriodCounts,
  isKept: ReadonlySet<number>,
): DimensionCounts["other"] {
  let values = 0;
  const sum = { current: 0, previous: 0 };
  const sumReached = { current: 0, previous: 0 };
  for (let number = 0; number < counts.current.length; number++) {
    if (counts.current[number] + counts.previous[number] === 0 || isKept.has(number)) continue;
    values++;
    addTo(sum, counts, number);
    if (reached !== undefined) addTo(sumReached, reached, number);
  }
  return { values, ...sum, ...(reached !== undefined && { reached: sumReached }) };
}

function addTo(sum: { current: number; previous: number }, from: Arrays, number: number): void {
  sum.current += from.current[number];
  sum.previous += from.previous[number];
}
