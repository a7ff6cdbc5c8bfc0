import { dayMs, hourMs } from "../lib/clock";
import { dayOf, isoDate } from "./event";

/** How long events are stored, in days; null is for ever. */
export type StoredDays = number | null;

/** The most that a project or a server can name; more is for ever. */
export const storedDaysMax = 36_500;

export const shorterOf = (one: StoredDays, other: StoredDays): StoredDays =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
const longerOf = (one: StoredDays, other: StoredDays): StoredDays =>
  one === null || other === null ? null : Math.max(one, other);

/** A number that somebody changes, with the one before the last change. */
export interface ChangedDays {
  readonly days: StoredDays;
  readonly formerDays: StoredDays;
  readonly changedAtMs: number;
}

/**
 * The number that a run obeys: a shorter one waits for the next run after its change, also where that run is made up
 * for later. A longer one holds at once.
 */
export const daysAtRun = (
  { days, formerDays, changedAtMs }: ChangedDays,
  runMs: number,
): StoredDays => (changedAtMs <= runMs ? days : longerOf(days, formerDays));

/** The number after a change: what the run before it obeyed is the former one, whatever was set in between. */
export const changedTo = (days: StoredDays, before: ChangedDays, nowMs: number): ChangedDays => ({
  days,
  formerDays: daysAtRun(before, lastRunMs(nowMs)),
  changedAtMs: nowMs,
});

/** Old events are deleted once a day at this hour of UTC. */
const runHourMs = 3 * hourMs;

/** The day of the last run: the same all day, from 03:00 UTC on. */
export const runDayOf = (nowMs: number): number => dayOf(nowMs - runHourMs);
export const lastRunMs = (nowMs: number): number => runDayOf(nowMs) * dayMs + runHourMs;
export const nextRunMs = (nowMs: number): number => lastRunMs(nowMs) + dayMs;

/** Events before this time are deleted by the run of a day; null is none. */
export const forgottenBeforeMs = (runDay: number, days: StoredDays): number | null =>
  days === null ? null : (runDay - days) * dayMs;

/** The time from which a project stores events while nothing was deleted: the last run would have left those. */
export const firstStoredMs = (nowMs: number, days: StoredDays): number =>
  forgottenBeforeMs(runDayOf(nowMs), days) ?? 0;
export const firstStoredDate = (nowMs: number, days: StoredDays): string =>
  isoDate(dayOf(firstStoredMs(nowMs, days)));
