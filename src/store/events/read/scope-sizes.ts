import type { Database, Statement } from "bun:sqlite";
import type { Scope } from "../../port";
import { VERSION } from "../questions/window-facts";
import { openForReading } from "../tables";
import { StoredBytes } from "./stored-bytes";

export const smallReadEventsMax = 200_000;
/** In bytes before compression. Few events may be large, and then take as long as many small ones. */
export const smallReadBytesMax = 8 * 1024 * 1024;

const eventCounts = `
  select event_count as events, byte_count as bytes from current_segment
  where project_id = (select id from project where name = ?1)
    and last_time >= ?2 and first_time < ?3`;

/** Estimates the size of a read from the metadata of segments. */
export class ScopeSizes {
  private readonly db: Database;
  private readonly counts: Statement;
  private readonly version: Statement;
  readonly stored: StoredBytes;

  constructor(file: string) {
    this.db = openForReading(file);
    this.counts = this.db.prepare(eventCounts);
    this.version = this.db.prepare(VERSION);
    this.stored = new StoredBytes(this.db);
  }

  /** Tells whether a read is small. It stops counting at the limit, as it runs on the main thread. */
  isSmall({ projectIds, fromMs, toMs }: Scope): boolean {
    let [events, bytes] = [0, 0];
    for (const projectId of projectIds) {
      for (const row of this.counts.iterate(projectId, fromMs, toMs)) {
        const segment = row as { readonly events: number; readonly bytes: number };
        events += segment.events;
        bytes += segment.bytes;
        if (events > smallReadEventsMax || bytes > smallReadBytesMax) return false;
      }
    }
    return true;
  }

  /** Returns the present version: every change of what reads of these projects see increases it. */
  versionOf(projectIds: readonly string[]): number {
    const row = this.version.get(JSON.stringify(projectIds)) as { readonly version: number };
    return row.version;
  }

  close(): void {
    this.db.close();
  }
}
