import { dayMs } from "../lib/clock";
import { invalidField } from "./errors";
import { dayOf, isoDate } from "./event";
import type { TimeWindow } from "./time-window";
import { timeZoneOf } from "./time-zone";

const sinceDaysMax = 3_650;

/** Whole dates as days since 1970-01-01, inclusive at both ends. */
export interface Days {
  readonly from: number;
  readonly to: number;
  /** The name of the time zone whose dates they are. Absent for UTC. */
  readonly zone?: string | undefined;
}

/** The window of reads that judge sessions, which may have events at any time. */
export const allTime: TimeWindow = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

export interface Bucket extends TimeWindow {
  readonly label: string;
}
export type BucketUnit = "day" | "week" | "month";

export const comparedPeriods = ["1d", "7d", "14d", "30d", "90d"] as const;
export type ComparedPeriod = (typeof comparedPeriods)[number];
const comparedPeriodDefault: ComparedPeriod = "7d";

interface WindowRequest {
  readonly since: string | null | undefined;
  readonly until: string | null | undefined;
  readonly nowMs: number;
  readonly sinceDefault?: string;
  /** The names under which the caller sent the two, for messages. */
  readonly names?: readonly [since: string, until: string];
  readonly zone?: string | undefined;
}

/** The dates that `since` and `until` stand for. Refuses what is unreadable, and a window that ends too early. */
export function daysOf(request: WindowRequest): Days {
  const { since, until, nowMs, sinceDefault = "7d", names, zone } = request;
  const [sinceName, untilName] = names ?? ["since", "until"];
  const today = todayIn(zone, nowMs).from;
  const dayOfSent = (text: string, name: string): number => dayOfText(text, today, name, zone);
  const from = dayOfSent(since ?? sinceDefault, sinceName);
  const to = until === null || until === undefined ? today : dayOfSent(until, untilName);
  if (from > to) {
    const message = `"${sinceName}" (${isoDate(from)}) must not be later than "${untilName}" (${isoDate(to)}).`;
    throw invalidField(sinceName, message);
  }
  return daysIn(zone, from, to);
}

/** When a period is meant that ends with an earlier date than today: a moment of that date. */
export function lastMoment(
  until: string | undefined,
  nowMs: number,
  zone?: string | undefined,
): number {
  if (until === undefined) return nowMs;
  const today = todayIn(zone, nowMs).to;
  return timeZoneOf(zone).startOf(dayOfText(until, today, "until", zone));
}

/** Dates of a zone; UTC where it is absent. */
const daysIn = (zone: string | undefined, from: number, to: number): Days =>
  zone === undefined ? { from, to } : { from, to, zone };

/** The one date that it is now. */
export function todayIn(zone: string | undefined, nowMs: number): Days {
  const today = timeZoneOf(zone).dayAt(nowMs);
  return daysIn(zone, today, today);
}

/** The dates from that of one moment to that of another. */
export const daysBetween = (fromMs: number, toMs: number, zone: string | undefined): Days =>
  daysIn(zone, timeZoneOf(zone).dayAt(fromMs), timeZoneOf(zone).dayAt(toMs));

/**
 * `7d`, `2026-01-31` or `2026-01-31T12:00:00Z` as a day; a time without an offset is of the zone. Throws MISSING_FIELDS
 * with the name.
 */
export function dayOfText(
  text: string,
  today: number,
  name: string,
  zone: string | undefined,
): number {
  const ago = /^(\d{1,4})d$/.exec(text);
  if (ago !== null && Number(ago[1]) <= sinceDaysMax) return today - Number(ago[1]);
  const timeMs = parseTimeMs(text);
  if (timeMs !== null) {
    return offsetForm.test(text) ? timeZoneOf(zone).dayAt(timeMs) : dayOf(timeMs);
  }
  throw invalidField(
    name,
    `"${name}" must be a number of days such as 7d (at most ${sinceDaysMax}d), a date such as 2026-01-31, ` +
      "or an ISO date-time.",
  );
}

const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/;
const dateTimeForm =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;
const offsetForm = /T.*(Z|[+-]\d{2}:?\d{2})$/;

/** A date or date-time of the ISO calendar in Unix ms; without a zone it is UTC. Null when there is no such time. */
export function parseTimeMs(text: string): number | null {
  return parseDateMs(text) ?? parseDateTimeMs(text);
}

function parseDateMs(text: string): number | null {
  if (!dateForm.test(text)) return null;
  const timeMs = Date.parse(`${text}T00:00:00.000Z`);
  // Some parsers carry February 30 over into March; only a date that comes back as it went in is real.
  return Number.isFinite(timeMs) && isoDate(dayOf(timeMs)) === text ? timeMs : null;
}

export function parseDateTimeMs(text: string): number | null {
  const parts = dateTimeForm.exec(text);
  if (parts === null) return null;
  const [, date = "", hours, minutes, seconds = "0", fraction = "", zone = "Z"] = parts;
  const dateMs = parseDateMs(date);
  if (dateMs === null) return null;
  const clockMs =
    (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000 +
    Number(fraction.padEnd(3, "0").slice(0, 3));
  const timeMs = dateMs + clockMs - zoneMs(zone);
  // A zone can push the last evening of the year 9999 out of what a date can be written for.
  return /^\d{4}-/.test(new Date(timeMs).toISOString()) ? timeMs : null;
}

function zoneMs(zone: string): number {
  if (zone === "Z") return 0;
  const digits = zone.replace(":", "");
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5));
  return (digits.startsWith("-") ? -minutes : minutes) * 60_000;
}

export function windowOf({ from, to, zone: name }: Days): TimeWindow {
  const zone = timeZoneOf(name);
  return { fromMs: zone.startOf(from), toMs: zone.startOf(to + 1) };
}

/** Returns the dates as answers show them: the zone is named when it is not UTC. */
export const datesOf = ({ from, to, zone }: Days): DatePeriod => ({
  from: isoDate(from),
  to: isoDate(to),
  ...(zone !== undefined && { timezone: zone }),
});
interface DatePeriod {
  from: string;
  to: string;
  timezone?: string;
}

/** The days, weeks (from Monday) or months that cover the window, each clipped to it. Ascending. */
export function bucketsOf(days: Days, unit: BucketUnit): Bucket[] {
  const zone = timeZoneOf(days.zone);
  const buckets: Bucket[] = [];
  for (let day = days.from; day <= days.to; ) {
    const start = startOf(day, unit);
    const end = Math.min(nextStart(start, unit), days.to + 1);
    const label = unit === "month" ? isoDate(start).slice(0, 7) : isoDate(start);
    buckets.push({ label, fromMs: zone.startOf(day), toMs: zone.startOf(end) });
    day = end;
  }
  return buckets;
}

/** The current period of N dates that ends today, and the N dates before it. */
export function comparedDays(
  period: ComparedPeriod,
  nowMs: number,
  zone?: string,
): { current: Days; previous: Days } {
  const length = Number(period.slice(0, -1));
  const today = todayIn(zone, nowMs).to;
  return {
    current: daysIn(zone, today - length + 1, today),
    previous: daysIn(zone, today - 2 * length + 1, today - length),
  };
}

/** The most dates of a window of reads that compare it with the one before and list its dates. */
export const comparedDatesMax = 3_650;

interface ComparedRequest {
  readonly period?: ComparedPeriod | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly nowMs: number;
  readonly zone?: string | undefined;
}
interface ComparedWindow {
  /** Null if the caller named other dates. */
  readonly label: ComparedPeriod | null;
  readonly current: Days;
  readonly previous: Days;
}

/** Returns the window of a period, or of the dates that the caller named, and the window of as many dates before it. */
export function comparedWindow(request: ComparedRequest): ComparedWindow {
  const { period, since, until, nowMs, zone } = request;
  if (since === undefined) {
    const label = period ?? comparedPeriodDefault;
    return { label, ...comparedDays(label, lastMoment(until, nowMs, zone), zone) };
  }
  if (period !== undefined) {
    throw invalidField("period", 'Send either "period", or "since" and "until".');
  }
  const current = daysOf({ since, until, nowMs, zone });
  const dates = current.to - current.from + 1;
  if (dates > comparedDatesMax) {
    throw invalidField(
      "since",
      `The period may have at most ${comparedDatesMax} dates, not ${dates}.`,
    );
  }
  // A receipt names the dates of a period: sent again, they have the label of the period.
  const label = comparedPeriods.find((length) => length === `${dates}d`) ?? null;
  return { label, current, previous: daysIn(zone, current.from - dates, current.from - 1) };
}

/** The period that today lies in and those before it, oldest first, whole. */
export function periodsUntil({ to, zone }: Days, unit: BucketUnit, count: number): Days[] {
  const periods: Days[] = [];
  for (let start = startOf(to, unit); periods.length < count; start = startOf(start - 1, unit)) {
    periods.unshift(daysIn(zone, start, nextStart(start, unit) - 1));
  }
  return periods;
}

/** The names of weekdays by their number, 0 = Sunday. */
export const dayNames = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;

/** First day of the day, week or month that a day lies in. Day 0 was a Thursday. */
export function startOf(day: number, unit: BucketUnit): number {
  if (unit === "day") return day;
  if (unit === "week") return day - ((((day + 3) % 7) + 7) % 7);
  const date = new Date(day * dayMs);
  return dayOf(Date.parse(`${date.toISOString().slice(0, 7)}-01T00:00:00.000Z`));
}

export function nextStart(start: number, unit: BucketUnit): number {
  if (unit === "day") return start + 1;
  if (unit === "week") return start + 7;
  return startOf(start + 31, "month");
}
