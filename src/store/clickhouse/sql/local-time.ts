import type { TimeWindow } from "../../../domain/time-window";
import { timeZoneOf } from "../../../domain/time-zone";
import { clock, dayMs } from "../../../lib/clock";
import { timeMs } from "./values";

/** No event is older than this time, as the product did not exist. */
const earliestMs = Date.UTC(2010, 0, 1);

/** The time that clocks of a zone show at a time of the window, in ms as if the zone were UTC. */
export function localMs(window: TimeWindow, zone: string | undefined, ms = timeMs): string {
  if (zone === undefined) return ms;
  const fromMs = Math.max(window.fromMs, earliestMs);
  const toMs = Math.max(fromMs + 1, Math.min(window.toMs, clock.nowMs() + dayMs));
  const stretches = timeZoneOf(zone).stretchesWithin({ fromMs, toMs });
  const last = stretches[stretches.length - 1].offsetMs;
  const before = stretches
    .slice(0, -1)
    .map((stretch) => `${ms} < ${stretch.toMs}, ${stretch.offsetMs}`);
  const offset = before.length === 0 ? String(last) : `multiIf(${before.join(", ")}, ${last})`;
  return `(${ms} + ${offset})`;
}

/** Returns the event's date and time on the zone's clocks. */
export const localTime = (window: TimeWindow, zone: string | undefined): string =>
  zone === undefined ? "time" : `fromUnixTimestamp64Milli(${localMs(window, zone)}, 'UTC')`;
