import {
  type ChangeDimension,
  type DimensionCounts,
  type ValueCounts,
  valuesMax,
} from "../../../domain/changes/change-counts";
import type { CountRequest } from "../../../domain/counting";
import { bestGroups, type CountedGroups } from "../aggregate/ranking";
import type { Label } from "../scan/vector";
import type { Budget } from "../sets/budget";

/** The counts of a dimension's values in both periods, by the number of the value; `reached` counts conversions. */
export interface PeriodCounts extends Arrays {
  readonly reached?: Arrays;
}
interface Arrays {
  readonly current: Float64Array;
  readonly previous: Float64Array;
}

/** The values of a dimension by their numbers. */
export interface NumberedValues {
  label(number: number, place: number): Label;
  /** Returns the first of many values in order of their labels. */
  firstByLabel(numbers: Uint32Array, limit: number): readonly number[];
}

/**
 * Returns the numbers of the values with the largest counts in both periods together. Ties are in order of code points,
 * and the missing value comes first. Without a dimension there is one group, which is shown even if it is empty.
 */
export function largestValues(
  { current, previous }: Arrays,
  values: NumberedValues,
  dimension: ChangeDimension | null,
  budget: Budget,
): readonly number[] {
  if (dimension === null) return [0];
  const groups: CountedGroups = {
    members: () => Uint32Array.from(current.keys().filter((n) => current[n] + previous[n] > 0)),
    value: (number) => current[number] + previous[number],
    label: (number, place) => values.label(number, place),
    firstByLabel: (numbers, limit) => values.firstByLabel(numbers, limit),
  };
  const request: CountRequest = {
    ...{ group_by: ["event"], metrics: ["event_count"], count_mode: "raw" },
    ...{ limit: valuesMax, groups_max: current.length },
  };
  return bestGroups(groups, request, budget).best;
}

/** Returns the values that the answer shows, and the sum of the others. */
export function dimensionCounts(
  counts: PeriodCounts,
  labels: NumberedValues,
  shown: readonly number[],
  byDate: readonly ArrayLike<number>[],
): DimensionCounts {
  const isShown = new Set(shown);
  const others = { values: 0, ...zeros(counts) };
  for (let number = 0; number < counts.current.length; number++) {
    if (counts.current[number] + counts.previous[number] === 0 || isShown.has(number)) continue;
    others.values++;
    add(others, counts, number);
  }
  const values = shown.map((number, place): ValueCounts => {
    const value = labels.label(number, 0);
    const own = add(zeros(counts), counts, number);
    return { value: value === null ? null : String(value), ...own, byDate: byDate[place] ?? [] };
  });
  return { values, other: others };
}

type Sum = { current: number; previous: number; reached?: { current: number; previous: number } };
const zeros = ({ reached }: PeriodCounts): Sum => ({
  ...{ current: 0, previous: 0 },
  ...(reached !== undefined && { reached: { current: 0, previous: 0 } }),
});

/** Adds the counts of a value. */
function add<S extends Sum>(
  sum: S,
  { current, previous, reached }: PeriodCounts,
  number: number,
): S {
  sum.current += current[number];
  sum.previous += previous[number];
  if (sum.reached !== undefined && reached !== undefined) add(sum.reached, reached, number);
  return sum;
}
