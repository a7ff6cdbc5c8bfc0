import { type BucketUnit, startOf } from "../../../domain/period";
import type { TimeGroup } from "../../../domain/time-groups";
import type { TimeWindow } from "../../../domain/time-window";
import { timeZoneOf } from "../../../domain/time-zone";
import type { View } from "../../questions";
import type { OpenSnapshot } from "../questions/open-snapshot";

/** A part of a window, and its dates. */
export interface PartWindow extends TimeWindow {
  readonly firstDay: number;
  /** The date that the next part begins with. The last part goes on for as long as the window, maybe for all time. */
  readonly endDay: number;
}

/**
 * A window in parts that follow each other, of about as many events each: as many as asked for at the most. Each but
 * the first begins with a day, week or month of the view's zone. Null for a window of fewer events than `eventsMin`.
 */
export function windowsOf(
  snapshot: OpenSnapshot,
  view: View,
  count: number,
  unit: BucketUnit,
  eventsMin: number,
): PartWindow[] | null {
  if (count < 2 || eventsMin === Number.POSITIVE_INFINITY) return null;
  const rows = snapshot
    .segmentRows(view)
    .toSorted((a, b) => a.first_time - b.first_time || a.id - b.id);
  const events = rows.reduce((sum, { event_count }) => sum + event_count, 0);
  if (rows.length === 0 || events < eventsMin) return null;
  const zone = timeZoneOf(view.zone);
  const days: number[] = [zone.dayAt(view.fromMs)];
  // The window may begin long before its events, and no part is without any.
  let lastDay = startOf(zone.dayAt(Math.max(view.fromMs, rows[0].first_time)), unit);
  let seen = 0;
  for (const { first_time: firstTime, event_count: eventCount } of rows) {
    const isDue = seen >= (events * days.length) / count;
    const day = startOf(zone.dayAt(firstTime), unit);
    const startMs = zone.startOf(day);
    if (isDue && day > lastDay && startMs > view.fromMs && startMs < view.toMs) {
      days.push(day);
      lastDay = day;
    }
    seen += eventCount;
  }
  if (days.length === 1) return null;
  return days.map((firstDay, index) => ({
    fromMs: index === 0 ? view.fromMs : zone.startOf(firstDay),
    toMs: index === days.length - 1 ? view.toMs : zone.startOf(days[index + 1]),
    firstDay,
    endDay: days[index + 1] ?? Number.POSITIVE_INFINITY,
  }));
}

/** The units at which a part may begin, so that no two parts share a group of these. */
export function unitOf(groups: readonly TimeGroup[]): BucketUnit {
  if (groups.includes("date") || groups.includes("hour")) return "day";
  return groups.includes("week") ? "week" : "month";
}
