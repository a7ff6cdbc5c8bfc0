import type { Goal } from "../goal";
import type { Days } from "../period";

/** What is asked of a store to tell what changed, and what it answers. */

export const changeMetrics = ["events", "sessions", "users", "conversion"] as const;
export type ChangeMetric = (typeof changeMetrics)[number];

export const namedDimensions = [
  ...(["event", "page", "source", "country", "device"] as const),
  ...(["browser", "os", "language", "version"] as const),
] as const;
export type ChangeDimension = (typeof namedDimensions)[number] | `properties.${string}`;
export const dimensionsDefault: readonly ChangeDimension[] = [
  ...(["event", "page", "source", "country", "device", "version"] as const),
];
/** The most properties of one request. */
export const propertyDimensionsMax = 3;
/** Values of a dimension that are told apart; the others are one. */
export const valuesMax = 100;

export interface ChangeRequest {
  readonly metric: ChangeMetric;
  readonly dimensions: readonly ChangeDimension[];
  readonly current: Days;
  readonly previous: Days;
  /** The counts of each date of the reference; null where none was kept that could say how much counts vary. */
  readonly reference: Days | null;
  /** The goal of the metric `conversion`. */
  readonly goal?: Goal;
}

/** A number in both periods. */
export interface Pair {
  readonly current: number;
  readonly previous: number;
}
export const sumOf = (pairs: readonly Pair[]): Pair => ({
  current: pairs.reduce((sum, { current }) => sum + current, 0),
  previous: pairs.reduce((sum, { previous }) => sum + previous, 0),
});

/** Events, sessions or users; of conversions the sessions, and those of them that reached the goal. */
export interface PairCounts extends Pair {
  readonly reached?: Pair;
}
export interface ValueCounts extends PairCounts {
  /** The value of the dimension; null stands for events without one. */
  readonly value: string | null;
  /** One number for each date of the reference, in order; none for conversions. */
  readonly byDate: ArrayLike<number>;
}
export interface DimensionCounts {
  /** At most `valuesMax` values, the largest of both periods together; ties are in order of code points, null first. */
  readonly values: readonly ValueCounts[];
  /** The rest together, and how many values that is. Users count in each of them. */
  readonly other: PairCounts & { readonly values: number };
}
export interface ChangeCounts {
  readonly total: ValueCounts;
  /** The dimensions in the order of the request. */
  readonly dimensions: readonly DimensionCounts[];
}
