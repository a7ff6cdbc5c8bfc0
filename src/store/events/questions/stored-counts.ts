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

/** The segments tell it of a file that was moved here. */
const FIRST_OWN = `
  select coalesce(
    first_own_time,
    (select min(first_time) from current_segment where project_id = project.id and import_id = 0)
  ) as timeMs
  from project where id = :project`;

/** What came in per date of receipt. */
const RECEIVED_DAYS = `
  select date, event_count from received_day
  where project_id = :project and date between :from_date and :to_date
  order by date`;

export function storedEvents(snapshot: OpenSnapshot, projectId: string): StoredEventCounts {
  const { number, retainedFromMs } = snapshot.project(projectId);
  const own = snapshot.row<{ timeMs: number | null }>(FIRST_OWN, { project: number });
  const facts = { first_own_at: own?.timeMs ?? null, retained_from_ms: retainedFromMs };
  if (snapshot.context.isNarrowed) {
    return { ...countsOf(snapshot.segmentsOf(projectId), noSegments), ...facts };
  }
  const parameters = { project: number, retained_from: retainedFromMs };
  const whole = snapshot.row<WholeSegments>(WHOLE_SEGMENTS, parameters);
  const clipped = snapshot.rows<{ id: number }>(CLIPPED_SEGMENTS, parameters);
  // What retention hides of them is gone once they are open.
  const segments = snapshot.context.segments(idsOf(clipped));
  return { ...countsOf(segments, whole ?? noSegments), ...facts };
}

/** Adds up segments that are open, and others that are told by their metadata. */
function countsOf(
  segments: readonly Segment[],
  others: WholeSegments,
): Pick<StoredEventCounts, "total_events" | "first_event_at" | "last_event_at"> {
  const spans = segments.map(({ firstTime: first, lastTime: last }) => ({ first, last }));
  if (others.first !== null) spans.push(others);
  return {
    total_events: segments.reduce((sum, one) => sum + one.eventCount, others.events),
    first_event_at: spans.length === 0 ? null : Math.min(...spans.map(({ first }) => first)),
    last_event_at: spans.length === 0 ? null : Math.max(...spans.map(({ last }) => last)),
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
