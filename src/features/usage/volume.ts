import { allTime } from "../../domain/period";
import type { Read } from "../../store/port";

interface VolumeInput {
  /** Dates of receipt, `YYYY-MM-DD`, inclusive. */
  readonly fromDate: string;
  readonly toDate: string;
}

/**
 * What came in per project in a span of dates; projects without events are left out. The cross join keeps the order
 * of the tables: a range of dates per project, not all dates of all of them.
 */
export const RECEIVED_EVENTS = `
  select project.name as project_id, sum(event_count) as events
  from project
  cross join received_day on received_day.project_id = project.id
  where date between :from_date and :to_date
  group by project.id
  order by project.id`;

/** Events received, by project id: where the monthly volumes of accounts begin to count when the server starts. */
export const volumeRead: Read<VolumeInput, Readonly<Record<string, number>>> = {
  name: "volume",
  // Only counters are looked at.
  scope: () => ({ projectIds: [], ...allTime }),
  run(snapshot, { fromDate, toDate }) {
    const rows = snapshot.rows<{ project_id: string; events: number }>(RECEIVED_EVENTS, {
      from_date: fromDate,
      to_date: toDate,
    });
    return Object.fromEntries(rows.map(({ project_id, events }) => [project_id, events]));
  },
};
