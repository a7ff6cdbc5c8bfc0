import type { TimeWindow } from "../../../domain/time-window";
import { timeZoneOf } from "../../../domain/time-zone";
import { clock, dayMs } from "../../../lib/clock";
import { timeMs } from "./values";

/** No event is older: the product did not exist. */
const earliestMs = Date.UTC(2010, 0, 1);

/** What clocks of a zone show when an event happens, in ms as if it were UTC; of events in a window. */
export function localMs(window: TimeWindow, zone: string | undefined): string {
  if (zone === undefined) return timeMs;
  const fromMs = Math.max(window.fromMs, earliestMs);
  const toMs = Math.max(fromMs + 1, Math.min(window.toMs, clock.nowMs() + dayMs));
  const stretches = timeZoneOf(zone).stretchesWithin({ fromMs, toMs });
  const last = stretches[stretches.length - 1].offsetMs;
  const before = stretches
    .slice(0, -1)
    .map((stretch) => `${timeMs} < ${stretch.toMs}, ${stretch.offsetMs}`);
  const offset = before.length === 0 ? String(last) : `multiIf(${before.join(", ")}, ${last})`;
  return `(${timeMs} + ${offset})`;
}

/** A date and time of the zone's clocks. */
export const localTime = (window: TimeWindow, zone: string | undefined): string =>
  zone === undefined ? "time" : `fromUnixTimestamp64Milli(${localMs(window, zone)}, 'UTC')`;
