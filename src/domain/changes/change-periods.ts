import { invalidField } from "../errors";
import { type ComparedPeriod, type Days, daysOf, todayIn } from "../period";

const daysOfWeek = 7;
export const referenceDatesMax = 56;
/** With fewer dates of reference nothing is called significant. */
export const referenceDatesMin = 28;
const periodDefault: ComparedPeriod = "7d";

export interface ChangePeriods {
  readonly current: Days;
  /** The same dates a whole number of weeks before, so that weekdays match. */
  readonly previous: Days;
  /** The last date goes on. */
  readonly isUnfinished: boolean;
}

interface PeriodRequest {
  readonly period?: ComparedPeriod | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly nowMs: number;
  readonly zone: string | undefined;
}

/** Complete dates that end yesterday, or the dates that the caller names, and those that they are compared with. */
export function changePeriods({ period, since, until, nowMs, zone }: PeriodRequest): ChangePeriods {
  if (since !== undefined && period !== undefined) {
    throw invalidField("period", 'Send either "period", or "since" and "until".');
  }
  if (since === undefined && until !== undefined) {
    throw invalidField("since", '"until" needs "since": send the first date of the period too.');
  }
  const from = since ?? period ?? periodDefault;
  const current = daysOf({ since: from, until: until ?? "1d", nowMs, zone });
  const dates = current.to - current.from + 1;
  const shift = daysOfWeek * Math.ceil(dates / daysOfWeek);
  return {
    current,
    previous: { ...current, from: current.from - shift, to: current.to - shift },
    isUnfinished: current.to >= todayIn(zone, nowMs).to,
  };
}

/** How many dates before the current ones it takes to say anything, and how many of these are kept. */
export interface NeededDates {
  readonly dates: number;
  readonly have: number;
}

/** Returns the dates that are needed: those of the period before, and enough to know how much days differ. */
export function neededDates(
  { current, previous }: Pick<ChangePeriods, "current" | "previous">,
  keptFrom: number | null,
): NeededDates {
  const dates = Math.max(referenceDatesMin, current.from - previous.from);
  const kept = keptFrom === null ? 0 : current.from - keptFrom;
  return { dates, have: Math.min(dates, Math.max(0, kept)) };
}

/** The dates before the current ones that are kept; null when none is. `keptFrom` is the first date of a project. */
export function referenceOf(current: Days, keptFrom: number | null): Days | null {
  const to = current.from - 1;
  const from = Math.max(current.from - referenceDatesMax, keptFrom ?? current.from);
  return from > to ? null : { ...current, from, to };
}
