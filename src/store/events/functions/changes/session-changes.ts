import type { ChangeDimension, DimensionCounts } from "../../../../domain/changes/change-counts";
import type { Context } from "../context";
import { sessionsPerCheck } from "../session-groups";
import type { Sessions } from "../sessions/sessions";
import { sessionValues } from "./dimension-values";
import { dimensionCounts, largestValues, placesOf } from "./largest-values";
import { noPlace, type PeriodDates } from "./period-dates";

/** The sessions that a question is about. */
export interface CountedSessions {
  readonly sessions: Sessions;
  /** By session, the date that it began on, since 1970; −1 for one that is left out. */
  readonly dayOf: Int32Array;
  /** By session, 1 where it reached the goal; null without a goal. */
  readonly reached: Uint8Array | null;
}

/** Those that began on a date that counts for something, and are marked if any are. */
export function countedSessions(
  context: Context,
  sessions: Sessions,
  dates: PeriodDates,
  marks: { readonly matching: Uint8Array | null; readonly reached: Uint8Array | null },
): CountedSessions {
  const dayOf = context.budget.integers(sessions.count + 1).fill(noPlace);
  for (let n = 1; n <= sessions.count; n++) {
    if (n % sessionsPerCheck === 0) context.check();
    if (marks.matching !== null && marks.matching[n] === 0) continue;
    dayOf[n] = dates.zone.dayAt(sessions.start[n]);
  }
  return { sessions, dayOf, reached: marks.reached };
}

/**
 * The sessions of each value of a dimension: in both periods, with those that reached the goal where there is one, else
 * of the largest on each date of the reference. Cost: two passes over the sessions.
 */
export function sessionChanges(
  context: Context,
  counted: CountedSessions,
  dates: PeriodDates,
  dimension: ChangeDimension | null,
): DimensionCounts {
  const { sessions, dayOf, reached } = counted;
  const values = sessionValues(sessions, dimension);
  const size = values.count + 1;
  const { budget } = context;
  const [current, previous] = [budget.doubles(size), budget.doubles(size)];
  const ofGoal =
    reached === null ? null : { current: budget.doubles(size), previous: budget.doubles(size) };
  for (let n = 1; n <= sessions.count; n++) {
    if (n % sessionsPerCheck === 0) context.check();
    const isCurrent = dates.isCurrent(dayOf[n]);
    if (!isCurrent && !dates.isPrevious(dayOf[n])) continue;
    const number = values.numberOf(n);
    (isCurrent ? current : previous)[number]++;
    if (ofGoal !== null) ofGoal[isCurrent ? "current" : "previous"][number] += reached?.[n] ?? 0;
  }
  const counts = { current, previous };
  const kept = largestValues(counts, values, dimension, budget);
  if (ofGoal !== null) return dimensionCounts({ ...counts, reached: ofGoal }, values, kept, []);
  const places = placesOf(kept, values.count, budget);
  const byDate = kept.map(() => new Float64Array(dates.referenceDates));
  for (let n = 1; n <= sessions.count; n++) {
    if (n % sessionsPerCheck === 0) context.check();
    const at = dates.placeOf(dayOf[n]);
    if (at === noPlace) continue;
    const place = places[values.numberOf(n)];
    if (place !== noPlace) byDate[place][at]++;
  }
  return dimensionCounts(counts, values, kept, byDate);
}
