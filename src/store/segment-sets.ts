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
  /** Those of the window, but none before the first event or after the last. */
  readonly days: Days;
  /** Of the segments. */
  readonly eventsPerDay: number;
}

/** Null where there is nothing. */
function extentOf(snapshot: Snapshot, sets: Sets, days: Days): Extent | null {
  const found = snapshot.row<{ first: number; last: number; events: number | null }>(EXTENT, sets);
  if (found === undefined || found.events === null) return null;
  const first = dayOf(Math.max(found.first, sets.retained_from));
  const last = dayOf(found.last);
  return {
    days: { from: Math.max(days.from, first), to: Math.min(days.to, last) },
    eventsPerDay: found.events / (last - dayOf(found.first) + 1),
  };
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

/** An object, so that tests can make everything happen with little data. */
export const stretchSizes = { dailyEventsMin: segmentColumnsEventsMin };

/**
 * Stretches of the window in which a function tells hours apart: days, or months where days have few events and thus
 * share the segments of their month, so that these are gone through once.
 */
export function stretchesOfHours(snapshot: Snapshot, sets: Sets, days: Days): readonly Bucket[] {
  const extent = extentOf(snapshot, sets, days);
  if (extent === null) return [];
  return bucketsOf(
    extent.days,
    extent.eventsPerDay < stretchSizes.dailyEventsMin ? "month" : "day",
  );
}
