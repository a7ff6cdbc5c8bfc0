import { earliest } from "../../../domain/shown-days";
import type { ReceivedDay, StoredEventCounts } from "../../questions";
import type { Segment } from "../segment/segment";
import { idsOf, type OpenSnapshot } from "./open-snapshot";

/** Counts the segments that lie wholly within retention, from their metadata. */
const WHOLE_SEGMENTS = `
  select coalesce(sum(event_count), 0) as events, min(first_time) as first, max(last_time) as last,
    min(first_time) filter (where import_id = 0) as firstOwn
  from current_segment
  where project_id = :project and first_time >= :retained_from`;

/** Selects the segments that lie partly within retention, which have to be opened. */
const CLIPPED_SEGMENTS = `
  select id, import_id = 0 as isOwn from current_segment
  where project_id = :project and first_time < :retained_from and last_time >= :retained_from`;

/** Selects the number of received events by date of receipt. */
const RECEIVED_DAYS = `
  select date, event_count from received_day
  where project_id = :project and date between :from_date and :to_date
  order by date`;

export function storedEvents(snapshot: OpenSnapshot, projectId: string): StoredEventCounts {
  const { number, retainedFromMs } = snapshot.project(projectId);
  const retained = { retained_from_ms: retainedFromMs };
  if (snapshot.context.isNarrowed) {
    const counts = countsOf(snapshot.segmentsOf(projectId), noSegments);
    return { ...counts, first_own_at: counts.first_event_at, ...retained };
  }
  const parameters = { project: number, retained_from: retainedFromMs };
  const whole = snapshot.row<WholeSegments>(WHOLE_SEGMENTS, parameters);
  const clipped = snapshot.rows<{ id: number; isOwn: 0 | 1 }>(CLIPPED_SEGMENTS, parameters);
  // An opened segment has only the events within retention.
  const opened = (isOwn: 0 | 1): Segment[] =>
    snapshot.context.segments(idsOf(clipped.filter((one) => one.isOwn === isOwn)));
  const [own, imported] = [opened(1), opened(0)];
  const counts = countsOf([...own, ...imported], whole ?? noSegments);
  const first_own_at = own.reduce(
    (first, { firstTime }) => earliest(first, firstTime),
    whole?.firstOwn ?? null,
  );
  return { ...counts, first_own_at, ...retained };
}

/** Adds the counts of opened segments to those of whole segments. */
function countsOf(
  segments: readonly Segment[],
  others: WholeSegments,
): Pick<StoredEventCounts, "total_events" | "first_event_at" | "last_event_at"> {
  const spans = segments.map(({ firstTime: first, lastTime: last }) => ({ first, last }));
  if (others.first !== null) spans.push({ first: others.first, last: others.last });
  return {
    total_events: segments.reduce((sum, one) => sum + one.eventCount, others.events),
    first_event_at: spans.length === 0 ? null : Math.min(...spans.map(({ first }) => first)),
    last_event_at: spans.length === 0 ? null : Math.max(...spans.map(({ last }) => last)),
  };
}

type WholeSegments = { readonly firstOwn: number | null } & (
  | { readonly events: number; readonly first: number; readonly last: number }
  | { readonly events: 0; readonly first: null; readonly last: null }
);
const noSegments = { events: 0, first: null, last: null, firstOwn: null } as const;

export function receivedDays(
  snapshot: OpenSnapshot,
  projectId: string,
  fromDate: string,
  toDate: string,
): ReceivedDay[] {
  const { number } = snapshot.project(projectId);
  return snapshot.rows(RECEIVED_DAYS, { project: number, from_date: fromDate, to_date: toDate });
}
