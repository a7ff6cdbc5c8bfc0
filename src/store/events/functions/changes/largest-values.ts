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

/** Of a dimension, by number of a value: what there is of it in both periods, and of that what reached a goal. */
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

/** By number of a value its place among those that are kept; −1 for another. */
export function placesOf(kept: readonly number[], count: number): Int32Array {
  const places = new Int32Array(count + 1).fill(-1);
  kept.forEach((number, place) => {
    places[number] = place;
  });
  return places;
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
      ...countsOf(counts, [number]),
      byDate: byDate[place] ?? [],
    }),
  );
  const isKept = new Set(kept);
  const others: number[] = [];
  for (let number = 0; number < counts.current.length; number++) {
    const isThere = counts.current[number] + counts.previous[number] > 0;
    if (isThere && !isKept.has(number)) others.push(number);
  }
  return { values: shown, other: { values: others.length, ...countsOf(counts, others) } };
}

function countsOf({ reached, ...counts }: PeriodCounts, numbers: readonly number[]): PairCounts {
  return {
    ...pairOf(counts, numbers),
    ...(reached !== undefined && { reached: pairOf(reached, numbers) }),
  };
}

function pairOf(
  { current, previous }: Pick<PeriodCounts, "current" | "previous">,
  numbers: readonly number[],
): Pair {
  const pair = { current: 0, previous: 0 };
  for (const number of numbers) {
    pair.current += current[number];
    pair.previous += previous[number];
  }
  return pair;
}
