import type { Database, Statement } from "bun:sqlite";
import type { Scope } from "../../port";
import { VERSION } from "../questions/told";
import { openForReading } from "../tables";
import { StoredBytes } from "./stored-bytes";

export const smallReadEventsMax = 200_000;
/** Before compression. Few events may be large: a read of this many bytes takes as long as one of many events. */
export const smallReadBytesMax = 8 * 1024 * 1024;

const eventCounts = `
  select event_count as events, byte_count as bytes from current_segment
  where project_id = (select id from project where name = ?1)
    and last_time >= ?2 and first_time < ?3`;

/** Estimates how much a read will look at, from what is known about segments. */
export class ScopeSizes {
  private readonly db: Database;
  private readonly counts: Statement;
  private readonly version: Statement;
  /** The bytes of what is stored. */
  readonly stored: StoredBytes;

  constructor(file: string) {
    this.db = openForReading(file);
    this.counts = this.db.prepare(eventCounts);
    this.version = this.db.prepare(VERSION);
    this.stored = new StoredBytes(this.db);
  }

  /** Stops counting as soon as it knows: this runs on the main thread. */
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
    const found = this.version.get(JSON.stringify(projectIds)) as { readonly version: number };
    return found.version;
  }

  close(): void {
    this.db.close();
  }
}
