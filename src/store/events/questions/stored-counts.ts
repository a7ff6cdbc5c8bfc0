import type { ReceivedDay, StoredEventCounts } from "../../questions";
import type { Segment } from "../segment/segment";
import { idsOf, type OpenSnapshot } from "./open-snapshot";

/** Segments that lie within what is retained count from their metadata. */
const WHOLE_SEGMENTS = `
  select coalesce(sum(event_count), 0) as events, min(first_time) as first, max(last_time) as last
  from current_segment
  where project_id = :project and first_time >= :retained_from`;

/** The others, which straddle the date, are opened. */
const CLIPPED_SEGMENTS = `
  select id, last_time from current_segment
  where project_id = :project and first_time < :retained_from and last_time >= :retained_from`;

/** What came in per date of receipt. */
const RECEIVED_DAYS = `
  select date, event_count from received_day
  where project_id = :project and date between :from_date and :to_date
  order by date`;

export function storedEvents(snapshot: OpenSnapshot, projectId: string): StoredEventCounts {
  const { number, retainedFromMs } = snapshot.project(projectId);
  if (snapshot.context.isNarrowed) {
    return countsOf(snapshot.segmentsOf(projectId), noSegments, retainedFromMs);
  }
  const parameters = { project: number, retained_from: retainedFromMs };
  const whole = snapshot.row<WholeSegments>(WHOLE_SEGMENTS, parameters);
  const clipped = snapshot.rows<{ id: number }>(CLIPPED_SEGMENTS, parameters);
  // What retention hides of them is gone once they are open.
  return countsOf(snapshot.context.segments(idsOf(clipped)), whole ?? noSegments, retainedFromMs);
}

/** Adds up segments that are open, and others that are told by their metadata. */
function countsOf(
  segments: readonly Segment[],
  others: WholeSegments,
  retainedFromMs: number,
): StoredEventCounts {
  const spans = segments.map(({ firstTime: first, lastTime: last }) => ({ first, last }));
  if (others.first !== null) spans.push(others);
  return {
    total_events: segments.reduce((sum, one) => sum + one.eventCount, others.events),
    first_event_at: spans.length === 0 ? null : Math.min(...spans.map(({ first }) => first)),
    last_event_at: spans.length === 0 ? null : Math.max(...spans.map(({ last }) => last)),
    retained_from_ms: retainedFromMs,
  };
}

type WholeSegments =
  | { readonly events: number; readonly first: number; readonly last: number }
  | { readonly events: 0; readonly first: null; readonly last: null };
const noSegments = { events: 0, first: null, last: null } as const;

export function receivedDays(
  snapshot: OpenSnapshot,
  projectId: string,
  fromDate: string,
  toDate: string,
): ReceivedDay[] {
  const { number } = snapshot.project(projectId);
  return snapshot.rows(RECEIVED_DAYS, { project: number, from_date: fromDate, to_date: toDate });
}
