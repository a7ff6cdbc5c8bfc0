import { allTime } from "../../domain/period";
import type { Read } from "../../store/port";

export interface UsageInput {
  readonly projectIds: readonly string[];
  /** Dates of receipt, `YYYY-MM-DD`, inclusive. */
  readonly fromDate: string;
  readonly toDate: string;
}

export interface ProjectUsage {
  /** Events that are stored and not hidden by retention. */
  readonly total_events: number;
  /** Events received, by date; dates without events are left out. */
  readonly days: Readonly<Record<string, number>>;
}
export type Usage = Readonly<Record<string, ProjectUsage>>;

/** Segments that lie within what is retained count from their metadata; only one that straddles the date is opened. */
export const STORED_EVENTS = `
  select coalesce(sum(event_count) filter (where first_time >= :retained_from), 0)
    + event_count(json_group_array(id) filter (where first_time < :retained_from), 0, :to, '[]') as total_events
  from current_segment
  where project_id = :project and last_time >= :retained_from`;

/** What came in per date of receipt. */
export const RECEIVED_DAYS = `
  select date, event_count from received_day
  where project_id = :project and date between :from_date and :to_date
  order by date`;

/** Events of projects, for lists of projects and for plans: keyed by project id, in the order asked for. */
export const usageRead: Read<UsageInput, Usage> = {
  name: "usage",
  // Only counters are looked at.
  scope: () => ({ projectIds: [], ...allTime }),
  run(snapshot, { projectIds, fromDate, toDate }) {
    const entries = projectIds.map((projectId): [string, ProjectUsage] => {
      const { number, retainedFromMs } = snapshot.project(projectId);
      const stored = snapshot.row<{ total_events: number }>(STORED_EVENTS, {
        project: number,
        retained_from: retainedFromMs,
        to: allTime.toMs,
      });
      const received = snapshot.rows<{ date: string; event_count: number }>(RECEIVED_DAYS, {
        project: number,
        from_date: fromDate,
        to_date: toDate,
      });
      const days = Object.fromEntries(received.map(({ date, event_count }) => [date, event_count]));
      return [projectId, { total_events: stored?.total_events ?? 0, days }];
    });
    return Object.fromEntries(entries);
  },
};
