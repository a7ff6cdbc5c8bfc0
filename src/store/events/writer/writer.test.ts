import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  eventAt,
  expected,
  project,
  SegmentStore,
  startMs,
} from "../../../../test/support/engine/segment-store";
import { genericActorsPerDayMax } from "../../../domain/limits";
import { dayMs, minuteMs } from "../../../lib/clock";
import type { AutomatedEntry, Entry } from "../../port";
import type { Committed } from "../../shared/append/committed";
import { packGroup } from "../../shared/append/wire";
import { openForReading, openForWriting } from "../tables";
import { Writer } from "./writer";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
});
afterEach(() => store.close());

const events = (projectId: string, ids: readonly (string | null)[]): Entry => ({
  kind: "events",
  projectId,
  receivedAtMs: store.nowMs,
  events: ids.map((eventId) => eventAt(store.nowMs, { eventId, userId: "somebody" })),
});
const answer = (...requests: readonly (readonly Entry[])[]): Committed =>
  store.writer.commit(packGroup(requests));
const commit = (...requests: readonly (readonly Entry[])[]): number[] => [
  ...answer(...requests).stored,
];
const rows = (sql: string): unknown[] => store.db.query(sql).all();
const count = (table: string): number =>
  (store.db.query(`select count(*) as n from ${table}`).get() as { n: number }).n;

describe("a commit", () => {
  test("tells for each request how many of its events were new", () => {
    expect(
      commit(
        [events("proj_a", ["1", "2", "1"])],
        [events("proj_b", ["1"]), events("proj_b", [null, null])],
        [events("proj_a", ["2"])],
        [],
      ),
    ).toEqual([2, 3, 0, 0]);
    expect(commit([events("proj_a", ["1", "3", null])])).toEqual([2]);
  });

  test("makes one segment per project, with the bounds of what was new", () => {
    commit([events("proj_a", ["1"])]);
    store.nowMs += minuteMs;
    const entry = {
      ...events("proj_a", []),
      events: [
        eventAt(startMs - dayMs, { eventId: "1", userId: "somebody" }),
        eventAt(startMs - 5, { eventId: "2" }),
        eventAt(startMs + 5, { eventId: "3" }),
      ],
    } as Entry;
    commit([entry], [events("proj_a", ["4"])]);
    expect(
      rows("select first_time, last_time, event_count, encoding from segment where id = 2"),
    ).toEqual([
      {
        first_time: startMs - 5,
        last_time: startMs + minuteMs,
        event_count: 3,
        encoding: "rows",
      },
    ]);
  });

  test("counts events by the date of receipt, without repeats", () => {
    commit([events("proj_a", ["1", "2"])], [events("proj_a", ["2"])]);
    store.nowMs += dayMs;
    commit([events("proj_a", ["1", "3"])], [events("proj_a", [null])], [events("proj_b", ["1"])]);
    expect(rows("select * from received_day")).toEqual([
      { project_id: 1, date: "2026-05-20", event_count: 2 },
      { project_id: 1, date: "2026-05-21", event_count: 2 },
      { project_id: 2, date: "2026-05-21", event_count: 1 },
    ]);
  });

  test("that fails leaves nothing, and what it would have stored is stored by the next", () => {
    commit([events("proj_a", ["1"])]);
    store.db.run(
      "create trigger refuse before insert on segment begin select raise(abort, 'full'); end",
    );
    const requests = [[events("proj_a", ["2", "3"]), events("proj_new", ["2"])]];
    expect(() => commit(...requests)).toThrow("full");
    store.db.run("drop trigger refuse");
    expect(count("accepted_key")).toBe(1);
    expect(count("project")).toBe(1);
    expect(commit(...requests)).toEqual([3]);
    expect(commit(...requests)).toEqual([0]);
    expect(store.eventsIn().map(({ userId }) => userId)).toHaveLength(4);
  });

  test("of very much text is cut, in order", () => {
    const sent = Array.from({ length: 30 }, (_, i) =>
      eventAt(store.nowMs, { name: `n${i}`, properties: { text: "x".repeat(700_000) } }),
    );
    store.store(...sent);
    expect(count("segment")).toBeGreaterThan(1);
    expect(store.eventsIn()).toEqual(sent.map(expected));
  });
});

describe("automated requests", () => {
  const automated = (fields: Partial<AutomatedEntry>): AutomatedEntry => ({
    kind: "automated",
    projectId: "proj_a",
    date: "2026-05-20",
    category: "ai_agent",
    actor: "GPTBot",
    requests: 1,
    droppedEvents: 1,
    lastSeenAtMs: startMs,
    ...fields,
  });

  test("are summed per date, category and actor", () => {
    commit([
      automated({ requests: 2, droppedEvents: 20, lastSeenAtMs: startMs + 5 }),
      automated({}),
    ]);
    commit([automated({ actor: "CCBot" }), automated({ date: "2026-05-21" })]);
    expect(rows("select * from automated_day where actor = 'GPTBot' order by date")).toEqual([
      {
        project_id: 1,
        date: "2026-05-20",
        category: "ai_agent",
        actor: "GPTBot",
        requests: 3,
        dropped_events: 21,
        last_seen_at: startMs + 5,
      },
      {
        project_id: 1,
        date: "2026-05-21",
        category: "ai_agent",
        actor: "GPTBot",
        requests: 1,
        dropped_events: 1,
        last_seen_at: startMs,
      },
    ]);
    expect(count("segment")).toBe(0);
    expect(count("received_day")).toBe(0);
  });

  test("of names that anyone can make up are told apart up to a bound per date", () => {
    const actors = Array.from({ length: genericActorsPerDayMax + 5 }, (_, i) =>
      automated({ category: "generic_bot", actor: `bot ${i}` }),
    );
    commit(actors, [automated({ category: "generic_bot", actor: "bot 0", requests: 9 })]);
    commit([automated({ category: "generic_bot", actor: "bot late", requests: 7 })]);
    commit([automated({ category: "generic_bot", actor: "bot late", date: "2026-05-21" })]);
    const ofDay = rows(
      "select actor, requests from automated_day where date = '2026-05-20' order by requests desc limit 3",
    );
    expect(ofDay).toEqual([
      { actor: "Other", requests: 5 + 7 },
      { actor: "bot 0", requests: 10 },
      { actor: "bot 1", requests: 1 },
    ]);
    expect(count("automated_day where date = '2026-05-20'")).toBe(genericActorsPerDayMax + 1);
    expect(count("automated_day where actor = 'bot late'")).toBe(1);
  });
});

describe("a purge", () => {
  test("removes everything of a project, bit by bit, and nothing of another", () => {
    const identity = (projectId: string): Entry => ({
      kind: "identity",
      projectId,
      receivedAtMs: startMs,
      previousId: "anon",
      userId: "ann",
      traits: { plan: "team" },
      membership: "mem_a",
      emails: [{ membership: null, digest: "ab".repeat(32) }],
    });
    for (const name of ["proj_a", "proj_b"]) commit([events(name, ["1", "2"]), identity(name)]);
    store.writer.endMembership("proj_b", "mem_of_the_past");
    store.writer.purge("proj_a");
    expect(rows("select name from project")).toEqual([{ name: "proj_b" }]);
    expect(rows("select project_id from current_segment")).toEqual([{ project_id: 2 }]);
    store.nowMs += 2 * minuteMs;
    for (let sweeps = 0; store.writer.sweep(); sweeps++) expect(sweeps).toBeLessThan(100);
    const tables = ["segment", "user", "user_alias", "profile", "received_day"];
    tables.push("identity_edge", "email_digest");
    for (const table of tables) {
      expect(rows(`select distinct project_id from ${table}`)).toEqual([{ project_id: 2 }]);
    }
    expect(count("purged_project")).toBe(0);
    expect(rows("select distinct segment_id from segment_column")).toEqual([{ segment_id: 2 }]);
  });

  test("leaves its number to nobody, and its name free", () => {
    commit([events("proj_a", ["1"])]);
    store.writer.purge("proj_a");
    expect(commit([events("proj_a", ["1"])])).toEqual([1]);
    expect(rows("select id, name from project")).toEqual([{ id: 2, name: "proj_a" }]);
    store.writer.purge("never seen");
  });
});

test("a staged project keeps its number under the name that it takes", () => {
  commit([events("proj_a", ["1", "2"]), events("staging", ["1", "2", "3"])]);
  store.writer.replaceProject("proj_a", "staging");
  expect(rows("select id, name from project")).toEqual([{ id: 2, name: "proj_a" }]);
  expect(rows("select id from purged_project")).toEqual([{ id: 1 }]);
  expect(commit([events("proj_a", ["3", "4"]), events("staging", ["1"])])).toEqual([2]);
  expect(rows("select id from project where name = 'proj_a'")).toEqual([{ id: 2 }]);
  expect(count("project where name = 'staging' and id > 2")).toBe(1);
});

test("pages that nothing uses are given back to the disk, all but a few", () => {
  for (let i = 0; i < 40; i++) {
    store.store(eventAt(startMs, { properties: { noise: randomBytes(100_000).toString("hex") } }));
  }
  const pages = (): number => (rows("pragma page_count")[0] as { page_count: number }).page_count;
  const before = pages();
  store.writer.purge(project);
  store.nowMs += 2 * minuteMs;
  for (let sweeps = 0; store.writer.sweep(); sweeps++) expect(sweeps).toBeLessThan(100);
  expect(before).toBeGreaterThan(500);
  expect(pages()).toBeLessThan(200);
});

test("a disk is probed by a write that leaves nothing", () => {
  store.writer.probe();
  expect(count("setting where name = 'probe'")).toBe(0);
});

test("every method sees what a writer before it stored", () => {
  const file = store.db.filename;
  commit([events("proj_a", ["1"])]);
  const db = openForWriting(file, "full");
  const { stored } = new Writer(db).commit(packGroup([[events("proj_a", ["1", "2"])]]));
  expect([...stored]).toEqual([1]);
  db.close();
  const readDb = openForReading(file);
  expect(readDb.query("select sum(event_count) as n from current_segment").get()).toEqual({ n: 2 });
  readDb.close();
});
