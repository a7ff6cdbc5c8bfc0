import type { Database } from "bun:sqlite";
import { ByteBoundedCache } from "../../../lib/cache";
import { free } from "../../../lib/free";
import type { FileEvent } from "../../imports";
import { ulid } from "../../shared/ticket";
import { allTickets } from "../segment/all-tickets";
import type { Segment } from "../segment/segment";
import { SegmentReader } from "../segment/segment-reader";
import type { Basis } from "./basis";
import { findRepeats, KeyedRows, keyOfRow } from "./seen-keys";

const segmentsOf =
  "select id from current_segment where project_id = ? and last_time >= ? order by id";
const cacheBytes = 1024 * 1024;

/** The key of an event under its own id. Its time tells it from one of a copy of this server, which may have its id. */
const keyOf = (id: string, timeMs: number, seed: bigint) => keyOfRow(`${id} ${timeMs}`, "", seed);

/** Finds the events of a file that the project has exported and still has, as an import would store them twice. */
export class OwnEvents {
  private readonly inFile: KeyedRows;
  private readonly stored: KeyedRows;
  private hasAny = false;

  constructor(
    private readonly db: Database,
    private readonly projectId: string,
    private readonly basis: Basis,
    private readonly seed: bigint,
    spool: string,
  ) {
    this.inFile = new KeyedRows(spool, "own");
    this.stored = new KeyedRows(spool, "stored");
  }

  /** Adds an event of the file with its number. */
  take({ foreignId, timeMs, projectId }: FileEvent, ordinal: number): void {
    if (projectId !== this.projectId || foreignId === null) return;
    this.hasAny = true;
    this.inFile.add(keyOf(foreignId, timeMs, this.seed), ordinal);
  }

  /** Marks the rows that the project has, among as many as `repeats` has bits. */
  *mark(repeats: Uint8Array): Generator<void> {
    if (!this.hasAny) return;
    yield* this.readStored();
    const steps = findRepeats(this.inFile, 8 * repeats.length, (part) => [this.keysOf(part)]);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) {
        for (let at = 0; at < repeats.length; at++) repeats[at] |= value[at];
        return;
      }
      yield;
    }
  }

  private *readStored(): Generator<void> {
    const { project, deletedBeforeMs } = this.basis;
    const reader = new SegmentReader(this.db, new ByteBoundedCache(cacheBytes));
    for (const [id] of this.db.query(segmentsOf).values(project, deletedBeforeMs) as [number][]) {
      this.addOf(reader.open(id));
      reader.clearInfos();
      yield;
    }
  }
  private addOf(segment: Segment): void {
    const tickets = allTickets(segment);
    for (let row = 0; row < tickets.length; row++) {
      const timeMs = segment.timeAt(row);
      if (timeMs < this.basis.deletedBeforeMs) continue;
      this.stored.add(keyOf(ulid(segment.projectId, tickets[row]), timeMs, this.seed), 0);
    }
    free(tickets);
    segment.release();
  }
  /** Keys alone, two words each. */
  private keysOf(part: number): Uint32Array {
    const records = this.stored.part(part);
    const keys = new Uint32Array((records.length / 3) * 2);
    for (let from = 0, to = 0; from < records.length; from += 3, to += 2) {
      keys[to] = records[from];
      keys[to + 1] = records[from + 1];
    }
    free(records);
    return keys;
  }
}
