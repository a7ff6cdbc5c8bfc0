import type { FilteredWindow } from "../../../domain/filter-items";
import { type TimeZone, timeZoneOf } from "../../../domain/time-zone";
import type { DayCount } from "../../questions";
import type { Context } from "../filter/context";
import { bytesOfArray, type Segment } from "../segment/segment";

/**
 * Events per day of a window of whole days, by days since 1970, ascending. Segments of one day count from their
 * metadata; of others only the times are looked at, once.
 */
export function eventsByDay(
  context: Context,
  segments: readonly Segment[],
  { fromMs, toMs, zone: zoneName }: FilteredWindow,
): DayCount[] {
  const zone = timeZoneOf(zoneName);
  const [from, to] = [zone.dayAt(fromMs), zone.dayAt(toMs - 1)];
  const counts = new Map<number, number>();
  for (const segment of segments) {
    context.check();
    const first = zone.dayAt(segment.firstTime);
    const perDay = zoneName === undefined ? segment.eventsPerDay : eventsPerDayOf(zone, segment);
    perDay.forEach((events, index) => {
      const day = first + index;
      if (events === 0 || day < from || day > to) return;
      counts.set(day, (counts.get(day) ?? 0) + events);
    });
  }
  return [...counts].map(([day, events]) => ({ day, events })).toSorted((a, b) => a.day - b.day);
}

/** Counts a segment's events by day, as its `eventsPerDay` does for the days of UTC. */
const eventsPerDayOf = (zone: TimeZone, segment: Segment): Uint32Array =>
  segment.derive(`events per day of ${zone.name}`, bytesOfArray, () => {
    const { firstTime, lastTime, times } = segment;
    const first = zone.dayAt(firstTime);
    const counts = new Uint32Array(zone.dayAt(lastTime) - first + 1);
    for (let i = 0; i < times.length; i++) counts[zone.dayAt(firstTime + times[i]) - first]++;
    return counts;
  });
