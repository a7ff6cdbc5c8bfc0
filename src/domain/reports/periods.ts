import { dayMs, hourMs } from "../../lib/clock";
import { type Days, nextStart, startOf, todayIn } from "../period";
import { timeZoneOf } from "../time-zone";

export const reportEveries = ["week", "month"] as const;
export type ReportEvery = (typeof reportEveries)[number];

/** A report that could not be sent in time is sent this late at most. */
const reportLateMsMax = 2 * dayMs;
/** After this many periods without an event a report stops. */
export const idlePeriodsMax = 4;
const daysOfMonthPeriod = 30;

/** The dates that a report is about, and those that it compares them with. */
export interface ReportPeriods {
  readonly current: Days;
  readonly previous: Days;
}

/** Returns the last period that was complete before the first moment of a date, and the one before it. */
export function periodsBefore(every: ReportEvery, { from: date, zone }: Days): ReportPeriods {
  const next = startOf(date, every);
  const current = endingBefore(every, next, zone);
  return { current, previous: endingBefore(every, current.from, zone) };
}

function endingBefore(every: ReportEvery, next: number, zone: string | undefined): Days {
  const days = { from: startOf(next - 1, every), to: next - 1 };
  return zone === undefined ? days : { ...days, zone };
}

/** Returns the first date of the periods after which a report without events stops. */
export function idleFrom(every: ReportEvery, { from }: Days): number {
  let start = from;
  for (let periods = 1; periods < idlePeriodsMax; periods++) start = startOf(start - 1, every);
  return start;
}

/** Returns the dates of which a report tells what changed: those that `7d` and `30d` mean for GET /changes. */
export const changedDays = (every: ReportEvery, { from, to, zone }: Days): Days => ({
  ...{ from: every === "week" ? from : to - daysOfMonthPeriod + 1, to },
  ...(zone !== undefined && { zone }),
});

interface Timing {
  readonly every: ReportEvery;
  /** The hour of the zone at which the report is sent. */
  readonly hour: number;
  /** Undefined for UTC. */
  readonly zone: string | undefined;
}

/** Returns when the report about a period is due: the day after it, when clocks show the hour or are past it. */
const dueAfter = ({ to }: Days, { hour, zone }: Timing): number =>
  timeZoneOf(zone).timeOn(to + 1, hour * hourMs);

/**
 * Returns the periods of the report that is to be sent now, if it was not sent already. Null when none is due, or when
 * it was due too long ago or before the report was made.
 */
export function duePeriods(timing: Timing, madeAtMs: number, nowMs: number): ReportPeriods | null {
  const periods = periodsBefore(timing.every, todayIn(timing.zone, nowMs));
  const dueMs = dueAfter(periods.current, timing);
  const isDue = dueMs <= nowMs && nowMs - dueMs <= reportLateMsMax && dueMs >= madeAtMs;
  return isDue ? periods : null;
}

/** Returns the next time at which a report is due. */
export function nextDueMs(timing: Timing, nowMs: number): number {
  const { current } = periodsBefore(timing.every, todayIn(timing.zone, nowMs));
  const dueMs = dueAfter(current, timing);
  if (dueMs > nowMs) return dueMs;
  const to = nextStart(current.to + 1, timing.every) - 1;
  return dueAfter({ from: current.to + 1, to }, timing);
}
