import { dayOf } from "../../../domain/event";
import type { FilteredWindow } from "../../../domain/filter-items";
import { timeZoneOf } from "../../../domain/time-zone";
import type { Segment } from "../segment/segment";
import type { Cut } from "../segment/segment-part";

/** The moments at which a window cuts segments: those of its ends that are midnights of its zone. */
export interface Midnights {
  readonly from: number | null;
  readonly to: number | null;
}

export function midnightsOf({ fromMs, toMs, zone: zoneName }: FilteredWindow): Midnights {
  if (zoneName === undefined) return { from: null, to: null };
  const zone = timeZoneOf(zoneName);
  const midnight = (ms: number): number | null => (zone.startOf(zone.dayAt(ms)) === ms ? ms : null);
  return { from: midnight(fromMs), to: midnight(toMs) };
}

/**
 * Returns the midnight at which the window cuts a segment of one day. Other reads cut it there too, and such a segment
 * stays for long. Returns null where the window does not cut it so, and where both of its ends do.
 */
export function midnightIn(
  { info, firstTime, lastTime }: Segment,
  { fromMs, toMs }: FilteredWindow,
  { from, to }: Midnights,
): Cut | null {
  const isFrom = firstTime < fromMs && fromMs <= lastTime;
  const isBefore = firstTime < toMs && toMs <= lastTime;
  if (isFrom === isBefore) return null;
  const atMs = isFrom ? from : to;
  const isOfDay = info.encoding === "columns" && dayOf(firstTime) === dayOf(lastTime);
  return atMs === null || !isOfDay ? null : { atMs, side: isFrom ? "from" : "before" };
}
