import type { TimeBucket } from "../../../domain/overview";
import { type BucketUnit, bucketsOf, type Days } from "../../../domain/period";
import { hourMs } from "../../../lib/clock";
import type { View } from "../../questions";
import { countByHour, type HourRow } from "../functions/count-by-hour";
import { eventCount, uniqueUsers } from "../functions/totals";
import { idsWithin, type OpenSnapshot } from "./open-snapshot";
import { bucketsWithEvents, storedDays } from "./stored-days";

/** Returns visitors and events of each bucket, ascending, without buckets that have no events. */
export function timeSeries(
  snapshot: OpenSnapshot,
  view: View,
  days: Days,
  unit: BucketUnit | "hour",
): TimeBucket[] {
  if (unit === "hour") return byHour(snapshot, view, days);
  const { context } = snapshot;
  const rows = snapshot.segmentRows(view);
  const buckets = bucketsWithEvents(snapshot, view.projectId, days, unit);
  return buckets.flatMap(({ label, fromMs, toMs }) => {
    const window = { ...view, fromMs, toMs };
    const segments = context.segments(idsWithin(rows, window));
    const total_events = eventCount(context, segments, window, []);
    if (total_events === 0) return [];
    const unique_users = uniqueUsers(context, segments, window, []);
    return [{ bucket: label, unique_users, total_events }];
  });
}

/**
 * Counts hours day by day. If days have few events and hence share the segments of their month, it counts them month by
 * month, so that it goes through each segment once.
 */
function byHour(snapshot: OpenSnapshot, view: View, days: Days): TimeBucket[] {
  const stored = storedDays(snapshot, view.projectId, days);
  if (stored === null) return [];
  const { context } = snapshot;
  const rows = snapshot.segmentRows(view);
  const stretch = stored.eventsPerDay < context.tuning.dailyEventsMin ? "month" : "day";
  return bucketsOf(stored.days, stretch)
    .flatMap(({ fromMs, toMs }) => {
      const window = { ...view, fromMs, toMs };
      const segments = context.segments(idsWithin(rows, window));
      return countByHour(context, segments, window);
    })
    .toSorted((a, b) => a.epoch_hour - b.epoch_hour)
    .map(bucketOfHour);
}

const bucketOfHour = ({ epoch_hour: hour, unique_users, event_count }: HourRow): TimeBucket => ({
  bucket: `${new Date(hour * hourMs).toISOString().slice(0, "YYYY-MM-DDTHH".length)}:00`,
  unique_users,
  total_events: event_count,
});
