import type {
  ChangeCounts,
  ChangeDimension,
  ChangeMetric,
  DimensionCounts,
  Pair,
  PairCounts,
  ValueCounts,
} from "./change-counts";
import { referenceDatesMin } from "./change-periods";
import { normalQuantile, studentQuantile } from "./quantiles";
import {
  degreesOf,
  dispersionOf,
  excessOf,
  isLarge,
  pooledZ,
  rateOf,
  surpriseOf,
  tailOf,
  zOf,
} from "./statistics";

/** The smallest count of both periods together that is tested. */
const testedMin = 20;

/** A value or the total, with what definitions.md (What changed) makes of its counts. Nothing is rounded. */
export interface Assessed extends Pair {
  readonly delta: number;
  /** The dispersion of the counts; null for conversions, whose z needs none. */
  readonly dispersion: number | null;
  readonly z: number;
  /** Tells whether the change is significant; null where too little is known. */
  readonly isSignificant: boolean | null;
}
export interface AssessedValue extends Assessed {
  readonly dimension: ChangeDimension;
  readonly value: string | null;
  /** The value's share of the whole; null for users, as a user may count in several values. */
  readonly sharePercent: number | null;
  readonly excess: number | null;
  /** The parts of a change in conversions that come from the value's share of sessions, and from its own rate. */
  readonly mix?: number;
  readonly rate?: number;
  readonly isNew: boolean;
  readonly isGone: boolean;
  readonly isDriver: boolean;
}
export interface AssessedDimension {
  readonly dimension: ChangeDimension;
  readonly surprise: number;
  readonly values: readonly AssessedValue[];
  readonly other: Pair & { readonly values: number; readonly delta: number };
}
export interface Assessment {
  readonly total: Assessed;
  readonly dimensions: readonly AssessedDimension[];
  /** The number of values that were tested, the total among them. */
  readonly tested: number;
  /** The bound that z must exceed; null where too little is known. */
  readonly threshold: number | null;
  readonly verdict: Verdict;
}
export const verdicts = ["too_little_history", "noise", "specific", "broad"] as const;
export type Verdict = (typeof verdicts)[number];

export interface Assessing {
  readonly metric: ChangeMetric;
  readonly dimensions: readonly ChangeDimension[];
  readonly referenceDates: number;
}

/** Judges what changed between two periods of which all dates are kept, from their counts. */
export function assess(
  { total, dimensions: counted }: ChangeCounts,
  { metric, dimensions, referenceDates }: Assessing,
): Assessment {
  const tested = 1 + counted.flatMap(({ values }) => values.filter(isTested)).length;
  const threshold =
    referenceDates < referenceDatesMin ? null : quantile(metric, tested, referenceDates);
  const whole = assessed(total, threshold, true);
  const found = counted.map(
    (one, at): AssessedDimension => ({
      dimension: dimensions[at],
      surprise: surpriseOf([...one.values, one.other].map(reachedOf)),
      values: one.values.map((value) =>
        assessedValue(dimensions[at], value, { metric, total, threshold }),
      ),
      other: otherOf(one),
    }),
  );
  const values = found.flatMap((one) => one.values);
  const isAny = whole.isSignificant === true || values.some((one) => one.isSignificant === true);
  const change = values.some(({ isDriver }) => isDriver) ? "specific" : "broad";
  return {
    ...{ total: whole, dimensions: found, tested, threshold },
    verdict: threshold === null ? "too_little_history" : isAny ? change : "noise",
  };
}

const quantile = (metric: ChangeMetric, tests: number, dates: number): number =>
  metric === "conversion"
    ? normalQuantile(tailOf(tests))
    : studentQuantile(tailOf(tests), degreesOf(dates));

const isTested = ({ current, previous }: Pair): boolean => current + previous >= testedMin;

/** Returns the counts by which values are sorted: for conversions the sessions that reached the goal. */
const reachedOf = ({ reached, current, previous }: PairCounts): Pair =>
  reached ?? { current, previous };

/** The numbers that are shown: counts, or rates of conversion. */
function shownOf({ current, previous, reached }: PairCounts): Pair & { readonly delta: number } {
  const shown =
    reached === undefined
      ? { current, previous }
      : {
          current: rateOf({ of: current, reached: reached.current }),
          previous: rateOf({ of: previous, reached: reached.previous }),
        };
  return { ...shown, delta: shown.current - shown.previous };
}

/** The threshold is made for as many values as are tested: others are never significant. */
function assessed(counts: ValueCounts, threshold: number | null, isAmongTested: boolean): Assessed {
  const { current, previous, reached, byDate } = counts;
  const dispersion = reached === undefined ? dispersionOf(byDate) : null;
  const z =
    reached === undefined ? zOf(current, previous, dispersion ?? 1) : rateZ(counts, reached);
  const isBeyond = threshold !== null && isAmongTested && Math.abs(z) > threshold;
  return {
    ...shownOf(counts),
    ...{ dispersion, z },
    isSignificant: threshold === null ? null : isBeyond && isWorthTelling(counts),
  };
}

const rateZ = ({ current, previous }: Pair, reached: Pair): number =>
  pooledZ({ of: current, reached: reached.current }, { of: previous, reached: reached.previous });

/** Conversions are compared with what the rate before would have reached. */
function isWorthTelling({ current, previous, reached }: PairCounts): boolean {
  if (reached === undefined) return isLarge(current, previous);
  const expected = current * rateOf({ of: previous, reached: reached.previous });
  return isLarge(reached.current, expected);
}

interface Within {
  readonly metric: ChangeMetric;
  readonly total: ValueCounts;
  readonly threshold: number | null;
}

function assessedValue(
  dimension: ChangeDimension,
  counts: ValueCounts,
  { metric, total, threshold }: Within,
): AssessedValue {
  const { value, current, previous } = counts;
  const one = assessed(counts, threshold, isTested(counts));
  const whole = shownOf(total);
  const parts = partsOf(counts, total);
  const added = parts === null ? one.delta : parts.mix + parts.rate;
  const excess = metric === "users" ? null : excessOf(one, whole);
  const isBeyond =
    excess === null ||
    (Math.sign(excess) === Math.sign(one.delta) && Math.abs(excess) >= Math.abs(one.delta) / 2);
  return {
    ...one,
    ...{ dimension, value, excess },
    sharePercent: metric === "users" ? null : whole.delta === 0 ? 0 : (100 * added) / whole.delta,
    ...parts,
    isNew: previous === 0 && current > 0,
    isGone: current === 0 && previous > 0,
    isDriver: one.isSignificant === true && isBeyond,
  };
}

/** The two parts of what a value added to the change of the rate of all; over all values they sum to it. */
function partsOf(
  { current, previous, reached }: PairCounts,
  total: PairCounts,
): { readonly mix: number; readonly rate: number } | null {
  if (reached === undefined) return null;
  const now = rateOf({ of: current, reached: reached.current });
  const before = rateOf({ of: previous, reached: reached.previous });
  const partNow = rateOf({ of: total.current, reached: current });
  const partBefore = rateOf({ of: total.previous, reached: previous });
  return {
    mix: (partNow - partBefore) * (before - shownOf(total).previous),
    rate: partNow * (now - before),
  };
}

function otherOf({ other }: DimensionCounts): AssessedDimension["other"] {
  return { values: other.values, ...shownOf(other) };
}
