import { dayOf } from "../../../domain/event";
import type { FilteredWindow } from "../../../domain/filter-items";
import { timeZoneOf } from "../../../domain/time-zone";
import type { Segment } from "../segment/segment";
import type { Cut } from "../segment/segment-part";

/**
 * Where a window cuts a segment: at a midnight of its zone, which comes again in other reads, through a segment of one
 * day, which stays for long. Null where it does not cut it so, and where both of its ends do.
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
