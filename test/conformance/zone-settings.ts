import type { Setting } from "../support/world/history";

/** The model asks Intl for every event, and events of a few dates are enough to be on each side of a change. */
export const zoneEventsMax = 120;
/** Days become segments of columns, which midnights cut. */
const sizes = { columnEventsMin: 4, countedEventsMin: 8, waitingRowsMax: 24 };

/**
 * Histories of some dates around one on which the clocks of a zone were changed: most of their events are of that date.
 * The seed is that of the one history which `npm test` plays.
 */
export const zoneSettings: readonly (readonly [
  what: string,
  zone: string,
  date: string,
  seed: number,
])[] = [
  ["half an hour, no change", "Asia/Kolkata", "2026-09-01", 1],
  ["three quarters of an hour", "Asia/Kathmandu", "2026-09-01", 2],
  ["a day of 23 hours", "Europe/Berlin", "2026-03-29", 13],
  ["a day of 25 hours, and half an hour", "America/St_Johns", "2026-11-01", 1],
  ["a day of 24.5 hours", "Australia/Lord_Howe", "2026-04-04", 13],
  ["a day of 23.5 hours", "Australia/Lord_Howe", "2026-10-03", 2],
  ["a midnight that clocks do not show", "America/Santiago", "2026-09-06", 13],
  ["a zone that moves by half an hour", "Asia/Pyongyang", "2018-05-04", 1],
  ["a date that was left out", "Pacific/Apia", "2011-12-30", 2],
];

export const settingOf = (zone: string, date: string): Setting => ({
  date: Date.parse(`${date}T00:00:00Z`) / 86_400_000,
  zone,
  sizes,
});
