import type { ChangeDimension, DimensionCounts } from "../../../../domain/changes/change-counts";
import type { Context } from "../context";
import { sessionsPerCheck } from "../session-groups";
import type { SessionValues } from "../sessions/kept-values";
import type { Sessions } from "../sessions/sessions";
import { sessionValues } from "./dimension-values";
import { dimensionCounts, largestValues, placesOf } from "./largest-values";
import { noPlace, type PeriodDates } from "./period-dates";

/** The sessions that a question is about. */
export interface CountedSessions {
  readonly sessions: Sessions;
  /** By session, which period the date that it began on is of. */
  readonly periodOf: Uint8Array;
  /** By session, the place of that date in the reference; −1 where it has none, and for one that is left out. */
  readonly placeOf: Int16Array;
  /** By session, 1 where it reached the goal; null without a goal. */
  readonly reached: Uint8Array | null;
}

const inNoPeriod = 0;
const inCurrent = 1;
const inPrevious = 2;

/** Those that began on a date that counts for something, and are marked if any are. */
export function countedSessions(
  { budget }: Context,
  sessions: Sessions,
  dates: PeriodDates,
  marks: { readonly matching: Uint8Array | null; readonly reached: Uint8Array | null },
): CountedSessions {
  const { matching, reached } = marks;
  const size = sessions.count + 1;
  budget.take((Uint8Array.BYTES_PER_ELEMENT + Int16Array.BYTES_PER_ELEMENT) * size);
  const periodOf = new Uint8Array(size);
  const placeOf = new Int16Array(size).fill(noPlace);
  for (let n = 1; n < size; n++) {
    if (n % sessionsPerCheck === 0) budget.check();
    if (matching !== null && matching[n] === 0) continue;
    const day = dates.zone.dayAt(sessions.start[n]);
    placeOf[n] = dates.placeOf(day);
    if (dates.isCurrent(day)) periodOf[n] = inCurrent;
    else if (dates.isPrevious(day)) periodOf[n] = inPrevious;
  }
  return { sessions, periodOf, placeOf, reached };
}

/**
 * The sessions of each value of a dimension: in both periods, with those that reached the goal where there is one, else
 * of the largest on each date of the reference. Cost: two passes over the sessions.
 */
export function sessionChanges(
  { budget }: Context,
  counted: CountedSessions,
  dates: PeriodDates,
  dimension: ChangeDimension | null,
): DimensionCounts {
  const { sessions, reached } = counted;
  const values = sessionValues(sessions, dimension);
  const bytesBefore = budget.bytes;
  const size = values.count + 1;
  const [current, previous] = [budget.doubles(size), budget.doubles(size)];
  const ofGoal =
    reached === null ? null : { current: budget.doubles(size), previous: budget.doubles(size) };
  eachPart(budget, sessions, values, (numbers, from) => {
    const { periodOf } = counted;
    for (let at = 0; at < numbers.length; at++) {
      const period = periodOf[from + at];
      if (period === inNoPeriod) continue;
      (period === inCurrent ? current : previous)[numbers[at]]++;
      if (ofGoal !== null && reached?.[from + at] === 1)
        ofGoal[period === inCurrent ? "current" : "previous"][numbers[at]]++;
    }
  });
  const counts = { current, previous };
  const kept = largestValues(counts, values, dimension, budget);
  if (ofGoal !== null) {
    budget.giveBackTo(bytesBefore);
    return dimensionCounts({ ...counts, reached: ofGoal }, values, kept, []);
  }
  const places = placesOf(kept, values.count, budget);
  const { referenceDates } = dates;
  const byDate = new Float64Array(kept.length * referenceDates);
  eachPart(budget, sessions, values, (numbers, from) => {
    const { placeOf } = counted;
    for (let at = 0; at < numbers.length; at++) {
      const date = placeOf[from + at];
      if (date === noPlace) continue;
      const place = places[numbers[at]];
      if (place !== noPlace) byDate[place * referenceDates + date]++;
    }
  });
  budget.giveBackTo(bytesBefore);
  const datesOf = (place: number): Float64Array =>
    byDate.subarray(place * referenceDates, (place + 1) * referenceDates);
  return dimensionCounts(
    counts,
    values,
    kept,
    kept.map((_, place) => datesOf(place)),
  );
}

type SeePart = (numbers: Uint32Array, from: number) => void;

/** The numbers of what sessions have, many at a time: asking for each of them takes as long as counting it. */
function eachPart(
  budget: Context["budget"],
  { count }: Sessions,
  values: SessionValues,
  see: SeePart,
): void {
  const numbers = new Uint32Array(Math.min(count, sessionsPerCheck));
  for (let from = 1; from <= count; from += numbers.length) {
    budget.check();
    const part = numbers.subarray(0, count + 1 - from);
    values.copyInto(part, from);
    see(part, from);
  }
}
