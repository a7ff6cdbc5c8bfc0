import type { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { dayOf, type ObjectEvent } from "../../../src/domain/event";
import { ByteBoundedCache } from "../../../src/lib/cache";
import { clock } from "../../../src/lib/clock";
import { compact, plan } from "../../../src/store/events/compact/compaction";
import type { Segment } from "../../../src/store/events/segment/segment";
import { SegmentReader } from "../../../src/store/events/segment/segment-reader";
import { openForReading, openForWriting } from "../../../src/store/events/tables";
import { type Tuning, usualTuning } from "../../../src/store/events/tuning";
import { Writer } from "../../../src/store/events/writer/writer";
import { packGroup } from "../../../src/store/shared/append/wire";
import { migratedFolder } from "./migrated";

export const project = "proj_a";
export const startMs = Date.UTC(2026, 4, 20, 12);

/** An event as a reader finds it in a segment. */
export interface Found {
  readonly timeMs: number;
  readonly name: string;
  readonly userId: string | null;
  readonly sessionId: string | null;
  readonly country: string | null;
  readonly properties: string | null;
}
export const expected = ({ eventId, properties, ...event }: ObjectEvent): Found => ({
  ...event,
  properties: properties === null ? null : JSON.stringify(properties),
});

export const eventAt = (timeMs: number, fields: Partial<ObjectEvent> = {}): ObjectEvent => ({
  name: "visit",
  timeMs,
  userId: null,
  sessionId: null,
  country: null,
  properties: null,
  eventId: null,
  ...fields,
});

/** An events file of one project in a folder of its own, with a clock that only the test moves. */
export class SegmentStore {
  nowMs = startMs;
  writer: Writer;
  readonly db: Database;
  readonly readDb: Database;
  private readonly folder = migratedFolder("segments-", ["events.db"]);
  tuning = usualTuning;
  private readonly restoreClock = clock.replace(() => this.nowMs);

  constructor() {
    const file = join(this.folder, "events.db");
    this.db = openForWriting(file, "normal");
    this.writer = new Writer(this.db);
    this.readDb = openForReading(file);
  }
  close(): void {
    this.restoreClock();
    this.readDb.close();
    this.db.close();
    rmSync(this.folder, { recursive: true });
  }
  /** Makes compaction use these sizes from now on. */
  tune(tuning: Partial<Tuning>): void {
    this.tuning = { ...this.tuning, ...tuning };
  }
  restart(): void {
    this.writer = new Writer(this.db);
  }

  store(...events: readonly ObjectEvent[]): void {
    const entry = { kind: "events", projectId: project, receivedAtMs: this.nowMs, events } as const;
    this.writer.commit(packGroup([[entry]]));
  }
  compact(): void {
    const reader = new SegmentReader(this.readDb, new ByteBoundedCache(0), this.tuning);
    for (let merges = 0; ; merges++) {
      expect(merges).toBeLessThan(1_000);
      const inputs = plan(this.readDb, 1, dayOf(this.nowMs), this);
      if (inputs === null) return;
      const outputs = compact(this.readDb, reader, 1, inputs);
      expect(this.writer.replace([{ inputs, outputs }])).toBe(1);
    }
  }
  open(retainedFromMs = 0): Segment[] {
    const reader = new SegmentReader(this.readDb, new ByteBoundedCache(1e8));
    const rows = this.readDb
      .query("select id from current_segment where last_time >= ? order by id")
      .values(retainedFromMs);
    return (rows as [number][]).map(([id]) => reader.open(id, () => retainedFromMs));
  }

  /** All events of some segments, in order of their tickets. */
  eventsIn(segments: readonly Segment[] = this.open()): Found[] {
    const names = new Map(
      this.readDb.query("select number, name from user where project_id = 1").values() as [
        number,
        string,
      ][],
    );
    const found = segments.flatMap((segment) =>
      Array.from({ length: segment.eventCount }, (_, row) => {
        const visit = segment.visitOfRow[row];
        const at = (column: string): unknown =>
          segment.dictionary(column)[(segment.codes(column)?.[row] ?? 0) - 1] ?? null;
        return {
          ticket: segment.ticketAt(row),
          timeMs: segment.timeAt(row),
          name: at("event.name") as string,
          userId: names.get(segment.users[visit]) ?? null,
          sessionId: segment.sessionIds[visit],
          country: at("event.country") as string | null,
          properties: segment.propertiesAt(row),
        };
      }),
    );
    found.sort((a, b) => a.ticket - b.ticket);
    expect(new Set(found.map(({ ticket }) => ticket)).size).toBe(found.length);
    return found.map(({ ticket, ...rest }) => rest);
  }
}

/** Compares columns, value by value, with what was sent. */
export function expectColumns(
  segments: readonly Segment[],
  sent: readonly ObjectEvent[],
  keys: readonly string[],
): void {
  for (const key of keys) {
    const values = (list: readonly unknown[]): string[] =>
      list.map((value) => JSON.stringify(value)).sort();
    const found = segments.flatMap((segment) => {
      const codes = segment.codes(`property.${key}`);
      const dictionary = segment.dictionary(`property.${key}`);
      return Array.from(codes ?? []).flatMap((code) => (code === 0 ? [] : [dictionary[code - 1]]));
    });
    const wanted = sent.flatMap(({ properties }) =>
      properties !== null && Object.hasOwn(properties, key) ? [properties[key]] : [],
    );
    expect({ key, values: values(found) }).toEqual({ key, values: values(wanted) });
  }
}
