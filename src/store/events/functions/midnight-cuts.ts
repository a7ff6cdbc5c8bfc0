import { dayOf } from "../../../domain/event";
import type { FilteredWindow } from "../../../domain/filter-items";
import { timeZoneOf } from "../../../domain/time-zone";
import type { Segment } from "../segment/segment";
import type { Cut } from "../segment/segment-part";

/**
 * Returns the midnight of the window's zone at which the window cuts a segment of one day. Other reads cut it there
 * too, and such a segment stays for long. Returns null where the window does not cut it so, and where both of its ends
 * do.
 */
export function midnightIn(
  { info, firstTime, lastTime }: Segment,
  { fromMs, toMs, zone: zoneName }: FilteredWindow,
): Cut | null {
  const isOfDay = info.encoding === "columns" && dayOf(firstTime) === dayOf(lastTime);
  if (zoneName === undefined || !isOfDay) return null;
  const isFrom = firstTime < fromMs && fromMs <= lastTime;
  const isBefore = firstTime < toMs && toMs <= lastTime;
  if (isFrom === isBefore) return null;
  const atMs = isFrom ? fromMs : toMs;
  const zone = timeZoneOf(zoneName);
  if (zone.startOf(zone.dayAt(atMs)) !== atMs) return null;
  return { atMs, side: isFrom ? "from" : "before" };
}
