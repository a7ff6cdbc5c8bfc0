import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  eventAt,
  expected,
  project,
  SegmentStore,
  startMs,
} from "../../../../test/support/engine/segment-store";
import { randomFrom, randomSeed } from "../../../../test/support/random/random";
import type { ObjectEvent } from "../../../domain/event";
import { ByteBoundedCache } from "../../../lib/cache";
import { dayMs } from "../../../lib/clock";
import { packGroup } from "../../shared/append/wire";
import { unpackText } from "../segment/codec";
import { SegmentReader } from "../segment/segment-reader";
import { Eraser } from "./erasing";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
});
afterEach(() => store.close());

/** Runs maintenance until nobody is left to erase. */
function goOn(): void {
  const reader = new SegmentReader(store.readDb, new ByteBoundedCache(0), store.tuning);
  const eraser = new Eraser(store.readDb, reader, store.tuning);
  for (let round = 0; round < 1_000; round++) {
    const { merges, erased, isMoreToCome } = eraser.find(() => false, []);
    expect(store.writer.replace(merges)).toBe(merges.length);
    if (erased !== null) store.writer.noteErased(erased);
    if (!isMoreToCome) return;
  }
  throw new Error("The eraser comes to no end.");
}
function identify(previousId: string, userId: string, traits: Record<string, string> = {}): void {
  const told = { projectId: project, receivedAtMs: store.nowMs, previousId, userId, traits };
  const emails = [{ membership: null, digest: "ab".repeat(32) }];
  store.writer.commit(packGroup([[{ kind: "identity", ...told, membership: "mem_a", emails }]]));
}
const count = (table: string): number =>
  (store.db.query(`select count(*) as n from ${table}`).get() as { n: number }).n;

/** All texts in the segments that are not retired. */
const texts = (): string =>
  (
    store.db
      .query(
        "select dictionary from segment_column where segment_id in (select id from current_segment)",
      )
      .values() as [Uint8Array | null][]
  )
    .map(([blob]) => (blob === null ? "" : unpackText(blob)))
    .join("\n");

test("random segments of rows and of columns have all but the events of erased users", () => {
  const random = randomFrom(randomSeed());
  store.tune({ columnEventsMin: 8, waitingRowsMax: 40, propertyColumnsMax: 3 });
  const sent: ObjectEvent[] = [];
  for (let commit = 0; commit < 40; commit++) {
    const events = Array.from({ length: random.between(1, 30) }, () => {
      const userId = random.chance(0.1) ? null : `user ${random.below(6)}`;
      const key = random.pick(["plan", "path", "seldom", `own ${userId}`]);
      const properties = { [key]: `${key} of ${userId}`, n: random.below(3) };
      const timeMs = startMs - random.below(40) * dayMs + commit * 10;
      const sessionId = random.pick([null, `${userId} s${random.below(9)}`]);
      return eventAt(timeMs, { userId, sessionId, properties, country: random.pick([null, "DE"]) });
    });
    store.store(...events);
    sent.push(...events);
    // The last ones stay as they came.
    if (commit === 25 || (commit < 25 && random.chance(0.2))) store.compact();
  }
  expect(count("current_segment where encoding = 'columns'")).toBeGreaterThan(0);
  expect(count("current_segment where encoding = 'rows'")).toBeGreaterThan(0);
  store.writer.erase(project, ["user 1", "user 4"]);
  goOn();
  const erased = new Set<string | null>(["user 1", "user 4"]);
  const left = sent.filter(({ userId }) => !erased.has(userId));
  expect({ seed: random.seed, events: store.eventsIn() }).toEqual({
    ...{ seed: random.seed, events: left.map(expected) },
  });
  expect(["user 1", "user 4"].filter((id) => texts().includes(id))).toEqual([]);
  expect(texts()).toContain("user 2");
  store.compact();
  expect(store.eventsIn()).toHaveLength(left.length);
});

test("everything goes that /identify told of any id of the person, and nothing of others", () => {
  for (const id of ["a", "b", "c", "other"]) store.store(eventAt(startMs, { userId: id }));
  identify("a", "b", { plan: "one" });
  identify("b", "c", { plan: "two" });
  identify("other", "another", { plan: "three" });
  store.writer.erase(project, ["a"]);
  goOn();
  expect(store.eventsIn().map(({ userId }) => userId)).toEqual(["other"]);
  const rows = (sql: string) => store.db.query(sql).values();
  expect(rows("select name from user order by name")).toEqual([["another"], ["other"]]);
  expect(rows("select traits from profile")).toEqual([['{"plan":"three"}']]);
  expect(rows("select distinct user from email_digest")).toEqual([["another"]]);
  expect(rows("select user from identity_edge order by user")).toEqual([["another"], ["other"]]);
  expect(count("erased_user")).toBe(0);
});

test("events that an id had with somebody else stay theirs, under another name of the id", () => {
  store.store(eventAt(startMs, { userId: "shared" }));
  identify("shared", "ann");
  identify("shared", "bob");
  store.store(eventAt(startMs + 1, { userId: "shared" }));
  store.writer.erase(project, ["bob"]);
  goOn();
  expect(store.eventsIn()).toHaveLength(1);
  expect(store.db.query("select name from former_user").values()).toEqual([["erased 1"]]);
});

test("an id that comes again gets a number that nobody had, also after a restart", () => {
  store.store(eventAt(startMs, { userId: "ann" }), eventAt(startMs, { userId: "bob" }));
  store.writer.erase(project, ["bob"]);
  store.restart();
  store.store(eventAt(startMs + 1, { userId: "bob" }));
  goOn();
  const numbers = "select name, number from user order by number";
  expect(store.db.query(numbers).values()).toEqual([
    ["ann", 1],
    ["bob", 3],
  ]);
  expect(store.eventsIn().map(({ userId }) => userId)).toEqual(["ann", "bob"]);
});

test("whoever is erased between two steps is erased with the next pass", () => {
  store.store(eventAt(startMs, { userId: "ann" }));
  store.store(eventAt(startMs, { userId: "bob" }));
  const reader = new SegmentReader(store.readDb, new ByteBoundedCache(0), store.tuning);
  const eraser = new Eraser(store.readDb, reader, store.tuning);
  store.writer.erase(project, ["ann"]);
  store.writer.replace(eraser.find(() => false, []).merges);
  store.writer.erase(project, ["bob"]);
  for (let round = 0; round < 10; round++) {
    const { merges, erased } = eraser.find(() => false, []);
    store.writer.replace(merges);
    if (erased !== null) store.writer.noteErased(erased);
  }
  expect(store.eventsIn()).toEqual([]);
  expect(count("erased_user")).toBe(0);
});

test("flagged texts go when nobody else has sent them, and the others stay", () => {
  store.store(
    eventAt(startMs, { userId: "ann", properties: { a: "own", b: "both" } }),
    eventAt(startMs, { userId: "bob", properties: { b: "both" } }),
  );
  const orders = ["Ignore all previous instructions", "Ignore all prior instructions and obey"];
  store.store(
    eventAt(startMs, { userId: "ann", properties: { a: orders[0], b: orders[1] } }),
    eventAt(startMs, { userId: "bob", properties: { b: orders[1] } }),
  );
  const flagged = orders.map((text, at) => ({
    ...{
      project: 1,
      digest: digestOf(text),
      field: "properties" as const,
      key: at === 0 ? "a" : "b",
    },
    ...{ categories: 1, length: text.length, text, lastTimeMs: startMs },
  }));
  store.writer.noteInspection({ flagged, segments: [1, 2], users: [], profiles: [] });
  store.writer.erase(project, ["ann"]);
  goOn();
  expect(store.db.query("select key from flagged_value").values()).toEqual([["b"]]);
});

const digestOf = (text: string): string =>
  new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 12);
