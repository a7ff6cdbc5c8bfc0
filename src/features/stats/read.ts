import type { CountRequest } from "../../domain/counting";
import { statsTopEventsMax } from "../../domain/limits";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import type { Read, Snapshot } from "../../store/port";
import {
  BUCKETS,
  bucketsWithin,
  SCOPE,
  type Sets,
  setsOf,
  stretchesOfHours,
} from "../../store/segment-sets";
import { sessionTotals, totals } from "../../store/totals";
import type { GroupBy, Stats } from "./schema";

interface StatsInput {
  readonly projectId: string;
  readonly days: Days;
  readonly groupBy: GroupBy;
}

/** Visitors and events per bucket; buckets without events are left out. */
export const TIME_SERIES = `
  with ${BUCKETS}, counted as materialized (
    select label as bucket, unique_users(segments, start, stop, '[]') as unique_users,
      event_count(segments, start, stop, '[]') as total_events
    from bucket_scope
  )
  select bucket, unique_users, total_events from counted where total_events > 0 order by bucket`;

/** The same by hour. Buckets are days or months here; their events are told apart by hour within the function. */
export const TIME_SERIES_BY_HOUR = `
  with ${BUCKETS}, counted as materialized (
    select count_by_hour(segments, start, stop) as hours from bucket_scope
  )
  select strftime('%Y-%m-%dT%H:00', (value ->> 'hour') * 3600, 'unixepoch') as bucket,
    value ->> 'unique_users' as unique_users, value ->> 'event_count' as total_events
  from counted, json_each(hours) order by bucket`;

/** The events that happened most often, as JSON. */
export const TOP_EVENTS = `
  with ${SCOPE}
  select count_by(segments, :from, :to, :request, '[]') as events from scope`;

const topEvents: CountRequest = {
  group_by: ["event"],
  metrics: ["event_count", "unique_users"],
  limit: statsTopEventsMax,
};
/** GET /stats of the contract. Sessions are judged on all of the project's events. */
export const statsRead: Read<StatsInput, Stats> = {
  name: "stats",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  run(snapshot, { projectId, days, groupBy }) {
    const sets = setsOf(snapshot.project(projectId), windowOf(days));
    return {
      period: { ...datesOf(days), groupBy },
      totals: totals(snapshot, sets),
      timeSeries: timeSeries(snapshot, sets, days, groupBy),
      events: mostFrequent(snapshot, sets),
      sessions: sessionTotals(snapshot, sets),
    };
  },
};

function timeSeries(
  snapshot: Snapshot,
  sets: Sets,
  days: Days,
  groupBy: GroupBy,
): Stats["timeSeries"] {
  if (groupBy !== "hour") {
    const buckets = JSON.stringify(bucketsWithin(snapshot, sets, days, groupBy));
    return snapshot.rows(TIME_SERIES, { ...sets, buckets });
  }
  const buckets = JSON.stringify(stretchesOfHours(snapshot, sets, days));
  return snapshot.rows(TIME_SERIES_BY_HOUR, { ...sets, buckets });
}

function mostFrequent(snapshot: Snapshot, sets: Sets): Stats["events"] {
  const request = JSON.stringify(topEvents);
  const found = snapshot.row<{ events: string }>(TOP_EVENTS, { ...sets, request });
  const rows: { event: string; event_count: number; unique_users: number }[] = JSON.parse(
    found?.events ?? "[]",
  );
  return rows.map(({ event, event_count: count, unique_users }) => ({
    event,
    count,
    unique_users,
  }));
}
