import { dayOf } from "../domain/event";
import { segmentColumnsEventsMin } from "../domain/limits";
import {
  type Bucket,
  type BucketUnit,
  bucketsOf,
  type Days,
  type TimeWindow,
} from "../domain/period";
import type { Snapshot } from "./port";

/**
 * How a read's SQL chooses segments. Two sets occur: `scope`, the segments that overlap the window, and `project`, all
 * of them, for what is judged beyond the window (sessions). A set is a JSON array of ids, which the vector functions
 * take. What a project's retention hides is left out here, and clipped from the segment that straddles the date.
 */

export const SCOPE = `scope as (
    select json_group_array(id) as segments from current_segment
    where project_id = :project and last_time >= max(:from, :retained_from) and first_time < :to
  )`;

export const PROJECT = `project as (
    select json_group_array(id) as segments from current_segment
    where project_id = :project and last_time >= :retained_from
  )`;

/** One row per bucket of :buckets ([{label, fromMs, toMs}]) that has segments, with those that overlap it. */
export const BUCKETS = `bucket as (
    select key, value ->> 'label' as label, value ->> 'fromMs' as start, value ->> 'toMs' as stop
    from json_each(:buckets)
  ), bucket_scope as (
    select bucket.*, json_group_array(id) as segments
    from bucket
    join current_segment on project_id = :project and last_time >= max(start, :retained_from) and first_time < stop
    group by key
  )`;

export type Sets = Readonly<Record<"project" | "retained_from" | "from" | "to", number>>;

/** The parameters of the sets above. */
export const setsOf = (
  { number, retainedFromMs }: ReturnType<Snapshot["project"]>,
  { fromMs, toMs }: TimeWindow,
): Sets => ({ project: number, retained_from: retainedFromMs, from: fromMs, to: toMs });

/** First and last event of the segments that overlap the window, and how many they have. */
const EXTENT = `
  select min(first_time) as first, max(last_time) as last, sum(event_count) as events from current_segment
  where project_id = :project and last_time >= max(:from, :retained_from) and first_time < :to`;

interface Extent {
  /** Within the window asked for. */
  readonly days: Days;
  readonly events: number;
}

/** Null where there is nothing. */
function extentOf(snapshot: Snapshot, sets: Sets, days: Days): Extent | null {
  const found = snapshot.row<{ first: number; last: number; events: number | null }>(EXTENT, sets);
  if (found === undefined || found.events === null) return null;
  const first = dayOf(Math.max(found.first, sets.retained_from));
  const last = dayOf(found.last);
  const events = found.events;
  return { days: { from: Math.max(days.from, first), to: Math.min(days.to, last) }, events };
}

/** The buckets that cover the window, but none where there is nothing: a window may begin in the year 0. */
export function bucketsWithin(
  snapshot: Snapshot,
  sets: Sets,
  days: Days,
  unit: BucketUnit,
): readonly Bucket[] {
  const extent = extentOf(snapshot, sets, days);
  return extent === null ? [] : bucketsOf(extent.days, unit);
}

/**
 * Stretches of the window in which a function tells hours apart. Days with few events share the segments of their
 * month: these are gone through once, not once a day.
 */
export function stretchesOfHours(snapshot: Snapshot, sets: Sets, days: Days): readonly Bucket[] {
  const extent = extentOf(snapshot, sets, days);
  if (extent === null) return [];
  const perDay = extent.events / (extent.days.to - extent.days.from + 1);
  return bucketsOf(extent.days, perDay < segmentColumnsEventsMin ? "month" : "day");
}
