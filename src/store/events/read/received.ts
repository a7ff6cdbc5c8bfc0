import { openForReading } from "../tables";

/**
 * Selects the number of received events of each project in a span of dates, without projects that received none. The
 * cross join fixes the order of the tables: SQLite then reads a range of dates for each project, not all dates.
 */
const RECEIVED_EVENTS = `
  select project.name as project_id, sum(event_count) as events
  from project
  cross join received_day on received_day.project_id = project.id
  where date between :from_date and :to_date
  group by project.id
  order by project.id`;

interface Received {
  readonly project_id: string;
  readonly events: number;
}

/** Counts received events, once at the start and in the calling thread, as starting a reader thread takes longer. */
export function receivedEvents(
  file: string,
  fromDate: string,
  toDate: string,
): ReadonlyMap<string, number> {
  const db = openForReading(file);
  try {
    const rows = db
      .query(RECEIVED_EVENTS)
      .all({ from_date: fromDate, to_date: toDate }) as Received[];
    return new Map(rows.map(({ project_id, events }) => [project_id, events]));
  } finally {
    db.close();
  }
}
