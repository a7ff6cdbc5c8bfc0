import { Database } from "bun:sqlite";

/** As much as the compactor waits for before it begins (storage.md): more than that, and it is at work. */
const rowsWaitingAtRest = 2_048;

/** Whether the store of this file was being compacted when its process died: work waited, and some had been done. */
export function compactionIn(file: string): boolean {
  const database = new Database(file);
  try {
    const waiting = database
      .query<{ events: number }, []>(
        "select coalesce(sum(event_count), 0) as events from segment where encoding = 'rows' and retired_at is null",
      )
      .get();
    const done = database
      .query<{ segments: number }, []>(
        "select count(*) as segments from segment where encoding = 'rows' and retired_at is not null",
      )
      .get();
    return (waiting?.events ?? 0) >= rowsWaitingAtRest && (done?.segments ?? 0) > 0;
  } finally {
    database.close();
  }
}
