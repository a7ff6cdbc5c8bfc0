import { dayOf, isoDate } from "../../domain/event";
import { timeZoneOf } from "../../domain/time-zone";
import { isoTimeMs } from "../foreign/iso-time";

const namesZone = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i;

/**
 * Unix ms of a time in words; NaN where it is none. One without a zone is what clocks of `timeZone` showed.
 */
export function timeIn(text: string | null, timeZone: string): number {
  if (text === null) return Number.NaN;
  const shownMs = isoTimeMs(text);
  // A date ends like an offset: `-16`.
  const hasZone = text.length > "2026-11-16".length && namesZone.test(text);
  return hasZone ? shownMs : wallClockMs(shownMs, timeZone);
}

/**
 * The moment at which clocks of a zone showed a time that is written as if it were UTC. Where they showed it twice the
 * first one is taken; where they never did, what they would have shown without the change.
 */
export function wallClockMs(shownMs: number, timeZone: string): number {
  if (!Number.isFinite(shownMs)) return shownMs;
  const zone = timeZoneOf(timeZone);
  const before = shownMs - zone.offsetAt(shownMs - dayBefore);
  if (before + zone.offsetAt(before) === shownMs) return before;
  const after = shownMs - zone.offsetAt(shownMs + dayBefore);
  return after + zone.offsetAt(after) === shownMs ? after : before;
}
const dayBefore = 24 * 60 * 60 * 1_000;

/** The date of a moment in a zone. */
export const dateIn = (timeMs: number, timeZone: string): string =>
  isoDate(timeZoneOf(timeZone).dayAt(timeMs));

/** Tells whether a text is a date that exists. */
export function isDate(text: string | null): text is string {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const timeMs = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(timeMs) && isoDate(dayOf(timeMs)) === text;
}
