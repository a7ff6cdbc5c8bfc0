import type { ChangeDimension, DimensionCounts } from "../../../../domain/changes/change-counts";
import type { Budget } from "../budget";
import type { Context } from "../context";
import { sessionsPerCheck } from "../session-groups";
import type { SessionValues } from "../sessions/kept-values";
import type { Sessions } from "../sessions/sessions";
import { DateTable, dateNumbers } from "./date-table";
import { sessionValues } from "./dimension-values";
import { dimensionCounts, largestValues, placesOf } from "./largest-values";
import { noPlace, type PeriodDates } from "./period-dates";

/** The sessions that a question is about. */
export interface CountedSessions {
  readonly sessions: Sessions;
  /**
   * The number of the date on which each session began (date-table.ts); 0 for one that is left out. Where there is a
   * goal, those that reached it have the numbers after all dates.
   */
  readonly dateOf: Uint16Array;
  readonly hasGoal: boolean;
}

/** Returns the sessions that began on a date that counts for something, and are marked if any are. */
export function countedSessions(
  { budget }: Context,
  sessions: Sessions,
  dates: PeriodDates,
  marks: { readonly matching: Uint8Array | null; readonly reached: Uint8Array | null },
): CountedSessions {
  const { matching, reached } = marks;
  const size = sessions.count + 1;
  budget.take(Uint16Array.BYTES_PER_ELEMENT * size);
  const dateOf = dateNumbers(dates, sessions.start, size, budget.check);
  dateOf[0] = 0;
  if (matching !== null) for (let n = 1; n < size; n++) dateOf[n] *= matching[n];
  if (reached === null) return { sessions, dateOf, hasGoal: false };
  const { count } = dates.all;
  for (let n = 1; n < size; n++) if (dateOf[n] !== 0 && reached[n] === 1) dateOf[n] += count;
  return { sessions, dateOf, hasGoal: true };
}

/**
 * The sessions of each value of a dimension: in both periods, with those that reached the goal where there is one, else
 * of the largest on each date of the reference. Cost: one pass over the sessions; a second one where there are too many
 * values to count all of them by date.
 */
export function sessionChanges(
  { budget }: Context,
  { sessions, dateOf, hasGoal }: CountedSessions,
  dates: PeriodDates,
  dimension: ChangeDimension | null,
): DimensionCounts {
  const values = sessionValues(sessions, dimension);
  const bytesBefore = budget.bytes;
  const isByDate = !hasGoal && DateTable.hasRoomForDates(values.count + 1, dates, budget);
  const table = tableOf({ sessions, dateOf, hasGoal }, values, dates, isByDate, budget);
  const counts = table.inPeriods();
  const kept = largestValues(counts, values, dimension, budget);
  if (hasGoal) {
    budget.giveBackTo(bytesBefore);
    return dimensionCounts(counts, values, kept, []);
  }
  const byDate = isByDate
    ? kept.map((number) => table.onReference(number, dates))
    : countsOfKept(budget, { sessions, dateOf }, values, kept, dates);
  budget.giveBackTo(bytesBefore);
  return dimensionCounts(counts, values, kept, byDate);
}

/** Counts sessions by value, and by date or by period. */
function tableOf(
  { sessions, dateOf, hasGoal }: CountedSessions,
  values: SessionValues,
  dates: PeriodDates,
  isByDate: boolean,
  budget: Budget,
): DateTable {
  const rows = values.count + 1;
  const table = isByDate
    ? DateTable.byDate(rows, dates, budget)
    : DateTable.byPeriod(rows, dates, budget, hasGoal);
  eachPart(budget, sessions, values, (numbers, from) => table.add(numbers, dateOf.subarray(from)));
  return table;
}

/** Counts sessions: the kept values have the first rows, and all others together the last one. */
function countsOfKept(
  budget: Budget,
  { sessions, dateOf }: Pick<CountedSessions, "sessions" | "dateOf">,
  values: SessionValues,
  kept: readonly number[],
  dates: PeriodDates,
): Float64Array[] {
  const rowOf = placesOf(kept, values.count, budget).map((place) =>
    place === noPlace ? kept.length : place,
  );
  const table = DateTable.byDate(kept.length + 1, dates, budget);
  eachPart(budget, sessions, values, (numbers, from) => {
    for (let at = 0; at < numbers.length; at++) numbers[at] = rowOf[numbers[at]];
    table.add(numbers, dateOf.subarray(from));
  });
  return kept.map((_, place) => table.onReference(place, dates));
}

type SeePart = (numbers: Uint32Array, from: number) => void;

/** The numbers of what sessions have, many at a time: asking for each of them takes as long as counting it. */
function eachPart(budget: Budget, { count }: Sessions, values: SessionValues, see: SeePart): void {
  const numbers = new Uint32Array(Math.min(count, sessionsPerCheck));
  for (let from = 1; from <= count; from += numbers.length) {
    budget.check();
    const part = numbers.subarray(0, count + 1 - from);
    values.copyInto(part, from);
    see(part, from);
  }
}
