import {
  type Bucket,
  type BucketUnit,
  bucketsOf,
  type Days,
  windowOf,
} from "../../../domain/period";
import { timeZoneOf } from "../../../domain/time-zone";
import type { OpenSnapshot } from "./open-snapshot";

/** The part of a window that has events: a window may begin in the year 0. */
export interface StoredDays {
  readonly days: Days;
  /** The mean number of events per day of the segments that overlap the window. */
  readonly eventsPerDay: number;
}

/** Returns null if the window has no events. */
export function storedDays(
  snapshot: OpenSnapshot,
  projectId: string,
  days: Days,
): StoredDays | null {
  const rows = snapshot.segmentRows({ projectId, ...windowOf(days) });
  if (rows.length === 0) return null;
  const { retainedFromMs } = snapshot.project(projectId);
  const least = rows.reduce((min, row) => Math.min(min, row.first_time), Number.POSITIVE_INFINITY);
  const most = rows.reduce((max, row) => Math.max(max, row.last_time), Number.NEGATIVE_INFINITY);
  const events = rows.reduce((sum, row) => sum + row.event_count, 0);
  const zone = timeZoneOf(days.zone);
  const first = zone.dayAt(Math.max(least, retainedFromMs));
  const last = zone.dayAt(most);
  return {
    days: { ...days, from: Math.max(days.from, first), to: Math.min(days.to, last) },
    eventsPerDay: events / (last - zone.dayAt(least) + 1),
  };
}

/** Returns the buckets that cover the days with events. */
export function bucketsWithEvents(
  snapshot: OpenSnapshot,
  projectId: string,
  days: Days,
  unit: BucketUnit,
): readonly Bucket[] {
  const stored = storedDays(snapshot, projectId, days);
  return stored === null ? [] : bucketsOf(stored.days, unit);
}
