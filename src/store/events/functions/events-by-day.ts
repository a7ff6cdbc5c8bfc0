import { dayOf } from "../../../domain/event";
import type { TimeWindow } from "../../../domain/period";
import type { DayCount } from "../../questions";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";

/**
 * Events per day of a window of whole days, by days since 1970, ascending. Segments of one day count from their
 * metadata; of others only the times are looked at, once.
 */
export function eventsByDay(
  context: Context,
  segments: readonly Segment[],
  { fromMs, toMs }: TimeWindow,
): DayCount[] {
  const counts = new Map<number, number>();
  for (const segment of segments) {
    context.check();
    const first = dayOf(segment.firstTime);
    segment.eventsPerDay.forEach((events, index) => {
      const day = first + index;
      if (events === 0 || day < dayOf(fromMs) || day >= dayOf(toMs)) return;
      counts.set(day, (counts.get(day) ?? 0) + events);
    });
  }
  return [...counts].map(([day, events]) => ({ day, events })).toSorted((a, b) => a.day - b.day);
}
