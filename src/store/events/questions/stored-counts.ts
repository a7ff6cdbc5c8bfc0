import { allTime } from "../../../domain/period";
import type { ReceivedDay } from "../../questions";
import { eventCount } from "../functions/count-by";
import type { OpenSnapshot } from "./open-snapshot";

/** Segments that lie within what is retained count from their metadata. */
export const WHOLE_SEGMENTS = `
  select coalesce(sum(event_count), 0) as events from current_segment
  where project_id = :project and first_time >= :retained_from`;

/** The others, which straddle the date, are opened. */
export const CLIPPED_SEGMENTS = `
  select id from current_segment
  where project_id = :project and first_time < :retained_from and last_time >= :retained_from`;

/** What came in per date of receipt. */
export const RECEIVED_DAYS = `
  select date, event_count from received_day
  where project_id = :project and date between :from_date and :to_date
  order by date`;

export function storedEvents(snapshot: OpenSnapshot, projectId: string): number {
  const { number, retainedFromMs } = snapshot.project(projectId);
  const parameters = { project: number, retained_from: retainedFromMs };
  const whole = snapshot.row<{ events: number }>(WHOLE_SEGMENTS, parameters);
  const clipped = snapshot.rows<{ id: number }>(CLIPPED_SEGMENTS, parameters);
  const { context } = snapshot;
  const segments = context.segments(clipped.map(({ id }) => id));
  return (whole?.events ?? 0) + eventCount(context, segments, allTime, []);
}

export function receivedDays(
  snapshot: OpenSnapshot,
  projectId: string,
  fromDate: string,
  toDate: string,
): ReceivedDay[] {
  const { number } = snapshot.project(projectId);
  return snapshot.rows(RECEIVED_DAYS, { project: number, from_date: fromDate, to_date: toDate });
}
