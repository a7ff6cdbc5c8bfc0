import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  eventAt,
  project,
  SegmentStore,
  startMs,
} from "../../../../test/support/engine/segment-store";
import { ByteBoundedCache } from "../../../lib/cache";
import { dayMs } from "../../../lib/clock";
import { packGroup } from "../../shared/append/wire";
import { SegmentReader } from "../segment/segment-reader";
import { compact, due, plan } from "./compaction";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
});
afterEach(() => store.close());

const count = (table: string): number =>
  (store.db.query(`select count(*) as n from ${table}`).get() as { n: number }).n;
const storeIn = (projectId: string, events: number): unknown =>
  store.writer.commit(
    packGroup([
      [
        {
          kind: "events",
          projectId,
          receivedAtMs: startMs,
          events: Array.from({ length: events }, () => eventAt(startMs)),
        },
      ],
    ]),
  );

describe("compaction", () => {
  const today = Math.floor(startMs / dayMs);

  test("does nothing when an input is gone", () => {
    store.tune({ columnEventsMin: 1, waitingRowsMax: 2 });
    store.store(eventAt(startMs), eventAt(startMs));
    const reader = new SegmentReader(store.readDb, new ByteBoundedCache(0), store.tuning);
    const inputs = plan(store.readDb, 1, today, store)!;
    const outputs = compact(store.readDb, reader, 1, inputs);
    store.writer.forget(project, startMs + 1);
    expect(store.writer.replace([{ inputs, outputs }])).toBe(0);
    expect(count("current_segment")).toBe(0);
  });

  test("several merges are one transaction, and one that cannot be done does not stop the others", () => {
    store.tune({ columnEventsMin: 1, waitingRowsMax: 2 });
    for (const name of ["proj_a", "proj_b"]) storeIn(name, 2);
    const reader = new SegmentReader(store.readDb, new ByteBoundedCache(0), store.tuning);
    const merges = [1, 2].map((id) => {
      const inputs = plan(store.readDb, id, today, store)!;
      return { inputs, outputs: compact(store.readDb, reader, id, inputs) };
    });
    store.writer.purge("proj_a");
    expect(store.writer.replace(merges)).toBe(1);
    expect(store.db.query("select project_id, encoding from current_segment").all()).toEqual([
      { project_id: 2, encoding: "columns" },
    ]);
  });

  test("says which rows are due, place by place, as it would take them", () => {
    store.tune({ waitingRowsMax: 5, mergeFanIn: 3 });
    const late = eventAt(startMs - 25 * dayMs);
    store.store(eventAt(startMs));
    store.store(late);
    store.store(eventAt(startMs));
    store.store(late);
    expect(due(store.readDb, store.tuning)).toEqual([]);
    expect(plan(store.readDb, 1, today, store)).toBeNull();
    store.store(late);
    expect(due(store.readDb, store.tuning)).toMatchObject([{ projectId: 1, events: 3 }]);
    expect(plan(store.readDb, 1, today, store)).toHaveLength(3);
    store.compact();
    expect(due(store.readDb, store.tuning)).toEqual([]);
  });

  test("merges a day that is over into one segment, and leaves large ones alone", () => {
    store.tune({ columnEventsMin: 4, waitingRowsMax: 10 });
    for (let i = 0; i < 30; i++) {
      store.store(...Array.from({ length: 5 }, () => eventAt(startMs + i)));
      store.compact();
    }
    expect(count("current_segment")).toBeGreaterThan(1);
    store.nowMs += dayMs;
    store.compact();
    expect(count("current_segment where encoding = 'columns'")).toBeLessThanOrEqual(3);
    expect(store.eventsIn()).toHaveLength(150);
  });
});
