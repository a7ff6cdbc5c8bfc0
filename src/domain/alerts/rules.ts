import { roundTo } from "../../lib/round";
import { referenceDatesMin } from "../changes/change-periods";
import { studentQuantile } from "../changes/quantiles";
import { degreesOf, dispersionOf, zOf } from "../changes/statistics";
import type { ChangeSpec, SilenceSpec, SurgeSpec } from "./specs";

/** The arithmetic of alerts: pure, and of numbers alone. */

export const alertStates = ["learning", "ok", "firing"] as const;
export type AlertState = (typeof alertStates)[number];

const daysOfWeek = 7;
/** The week before, and up to eight of them, say what is usual. */
const weeksMax = 8;
/** A median of eight counts varies a fifth more than the counts themselves leave one to think. */
const medianVariance = 1.2;
const deltaMin = 10;
const deltaShareMin = 1 / 5;
const alphas = { quiet: 1 / 3_650, normal: 1 / 730, sensitive: 1 / 90 } as const;
/** A window with fewer events says nothing about silence. */
const eventsExpectedMin = 20;

export interface ChangeVerdict {
  readonly would: AlertState;
  readonly observed: number;
  readonly previous: number;
  readonly expected: number;
  readonly dispersion: number;
  readonly z: number;
  readonly z_expected: number;
  readonly threshold: number | null;
}

/**
 * Tells whether a date differs from the same weekday a week before and from the median of those before, by more than
 * its counts usually vary. Only both together keep last week's spike from being this week's fall.
 */
export function judgeChange(
  { direction, sensitivity }: Pick<ChangeSpec, "direction" | "sensitivity">,
  counts: {
    readonly current: number;
    readonly previous: number;
    readonly byDate: ArrayLike<number>;
  },
): ChangeVerdict {
  const { current, previous, byDate } = counts;
  const expected = expectedOf(byDate);
  const dispersion = dispersionOf(byDate);
  const z = zOf(current, previous, dispersion);
  const variance = medianVariance * dispersion * Math.max(expected, 1);
  const zExpected = (current - expected) / Math.sqrt(variance);
  const isLearning = byDate.length < referenceDatesMin;
  const threshold = isLearning
    ? null
    : studentQuantile(alphas[sensitivity] / 2, degreesOf(byDate.length));
  const side = current > previous ? 1 : -1;
  const isBeyond = threshold !== null && side * z > threshold && side * zExpected > threshold;
  const isWanted = direction === "any" || (direction === "up") === (side === 1);
  const isFiring = isBeyond && isWanted && isLarge(current, previous) && isLarge(current, expected);
  return {
    would: isLearning ? "learning" : isFiring ? "firing" : "ok",
    ...{ observed: current, previous, expected },
    dispersion: roundTo(dispersion, 2),
    z: roundTo(z, 3),
    z_expected: roundTo(zExpected, 3),
    threshold: threshold === null ? null : roundTo(threshold, 3),
  };
}

/** The median of the same weekday in the dates before, of which the last is the day before. */
function expectedOf(byDate: ArrayLike<number>): number {
  const counts: number[] = [];
  for (let weeks = 1; weeks <= weeksMax; weeks++) {
    const at = byDate.length - daysOfWeek * weeks;
    if (at >= 0) counts.push(byDate[at] ?? 0);
  }
  const sorted = counts.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return (lower + upper) / 2;
}

const isLarge = (current: number, other: number): boolean =>
  Math.abs(current - other) >= Math.max(deltaMin, other * deltaShareMin);

export interface SilenceVerdict {
  readonly would: AlertState;
  /** Minutes since the last event. */
  readonly minutes: number;
  /** The least number of events in the same minutes of the weeks before. */
  readonly expected: number;
}

export function judgeSilence(
  { after_minutes, fixed }: Pick<SilenceSpec, "after_minutes" | "fixed">,
  seen: { readonly minutes: number; readonly before: readonly number[]; readonly isYoung: boolean },
): SilenceVerdict {
  const { minutes, before, isYoung } = seen;
  const expected = Math.min(...before);
  const isExpected = fixed || expected >= eventsExpectedMin;
  const isFiring = minutes >= after_minutes && isExpected;
  const would = isYoung && !fixed ? "learning" : isFiring ? "firing" : "ok";
  return { would, minutes, expected };
}

export interface SurgeVerdict {
  readonly would: AlertState;
  readonly observed: number;
  /** The number of users from which on it is a surge. */
  readonly expected: number;
}

export function judgeSurge(
  { at_least, factor }: Pick<SurgeSpec, "at_least" | "factor">,
  seen: { readonly users: number; readonly before: readonly number[] },
): SurgeVerdict {
  const expected = Math.max(at_least, factor * Math.max(0, ...seen.before));
  return { would: seen.users >= expected ? "firing" : "ok", observed: seen.users, expected };
}
