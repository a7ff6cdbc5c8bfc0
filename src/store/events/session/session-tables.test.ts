import { afterEach, expect, test } from "bun:test";
import { at, Engine, usualSizes } from "../../../../test/support/engine/engine";
import {
  dayMs,
  event,
  lastDays,
  noonMs,
  projectId,
  store,
} from "../../../../test/support/engine/examples";
import { randomEvents, shown } from "../../../../test/support/engine/sessions";
import { randomFrom } from "../../../../test/support/random/random";
import type { FilterItem } from "../../../domain/filter-items";
import { selectionOf } from "../../../domain/metric";
import { pagesRead } from "../../../features/pages/pages";
import { type Question, queryBatchRead, queryRead } from "../../../features/query/read";
import { distributionRead } from "../../../features/sessions/distribution";
import { sessionsRead } from "../../../features/sessions/read";
import { statsRead } from "../../../features/stats/stats";
import { openSnapshots, type Snapshots } from "../read/snapshot";
import { Segment } from "../segment/segment";
import type { CachedTables } from "./session-tables";

let engine: Engine;
afterEach(() => engine.close());

function tablesIn({ cache }: Snapshots): CachedTables[] {
  const tables: CachedTables[] = [];
  for (const key of [...cache.keys()].filter((key) => key.startsWith("sessions of "))) {
    const make = () => {
      throw new Error("It is there.");
    };
    tables.push(cache.get<CachedTables>(key, () => 0, make));
  }
  return tables;
}

test("no table holds on to segments, whose columns would not count in the cache", async () => {
  engine = new Engine({
    ...usualSizes,
    columnEventsMin: 8,
    waitingRowsMax: 60,
    settledEventsMin: 24,
  });
  const random = randomFrom(5);
  const snapshots = openSnapshots(engine.file, 1 << 26, () => false);
  for (let round = 0; round < 8; round++) {
    store(engine, randomEvents(random, 30, 3));
    if (round % 3 === 2) at(noonMs, () => engine.compact());
    await shown(lastDays, async (read, input) => JSON.parse(await snapshots.run(read, input)));
    expect(tablesIn(snapshots).length).toBeGreaterThan(0);
    for (const kept of tablesIn(snapshots)) expect(holdsSegment(kept)).toBe(false);
  }
  snapshots.close();
});

/** Tells whether a segment can be reached from a value. */
function holdsSegment(value: unknown, seen = new Set<unknown>()): boolean {
  if (!(value instanceof Object) || ArrayBuffer.isView(value) || seen.has(value)) return false;
  if (value instanceof Segment) return true;
  seen.add(value);
  const parts = value instanceof Map || value instanceof Set ? [...value] : Object.values(value);
  return parts.some((part) => holdsSegment(part, seen));
}

test("a table that was made is kept, though more was read for it than the cache takes", async () => {
  engine = new Engine();
  store(engine, randomEvents(randomFrom(3), 6_000, 1));
  at(noonMs, () => engine.compact());
  const snapshots = openSnapshots(engine.file, 300_000, () => false);
  const distribution = () => snapshots.run(distributionRead, { projectId, days: lastDays });
  await distribution();
  expect(tablesIn(snapshots)).toHaveLength(1);
  const [first] = tablesIn(snapshots);
  const { table } = first;
  expect(table).not.toBeNull();
  await distribution();
  expect(tablesIn(snapshots).map((kept) => kept.table)).toEqual([table]);
  snapshots.close();
});

test("a question of many dates makes its table of sessions once, though nothing is kept", async () => {
  engine = new Engine({
    ...usualSizes,
    cacheBytes: 0,
    dailyEventsMin: 0,
    questionBytesMax: 32 << 20,
  });
  store(engine, randomEvents(randomFrom(9), 2_000, 28));
  at(noonMs, () => engine.compact());
  const days = { ...lastDays, from: lastDays.to - 30 };
  const filters: FilterItem[] = [{ field: "session.entry_page", op: "not_in", value: [] }];
  const filtered = await engine.read(statsRead, { projectId, days, groupBy: "hour", filters });
  expect(filtered.totals.total_events).toBeGreaterThan(0);
});

test("questions of one read share a table of sessions, and say what each says alone", async () => {
  engine = new Engine({ ...usualSizes, settledEventsMin: 512 });
  const random = randomFrom(21);
  store(engine, randomEvents(random, 3_000, 6));
  at(noonMs, () => engine.compact());
  store(engine, randomEvents(random, 60, 6));
  const [from, to] = [lastDays.to - 2, lastDays.to];
  const compare = { days: { from: from - 3, to: from - 1 }, until: null };
  const about = (days: { from: number; to: number }, groupBy: string[], more = {}): Question => ({
    ...{ projectId, days, filters: [], limit: 100, ...more },
    selection: selectionOf({
      metrics: ["session_count", "bounce_rate", "avg_duration", "unique_users", "page_views"],
      group_by: groupBy,
    }),
  });
  const questions = [
    about({ from, to }, [], { compare }),
    about({ from, to }, ["date"]),
    about(compare.days, ["date"]),
    about({ from, to }, ["session.entry_page"]),
    about({ from: to, to }, ["event"]),
    about({ from: to, to }, ["hour"], { compare: { days: { from, to: from }, until: null } }),
  ];
  const alone = await Promise.all(
    questions.map(async (question) => {
      const snapshots = openSnapshots(engine.file, 1 << 26, () => false);
      const text = await snapshots.run(queryBatchRead, { questions: [question] });
      snapshots.close();
      return JSON.parse(text).results[0];
    }),
  );
  expect(alone[0].rows[0].session_count).toBeGreaterThan(50);
  const snapshots = openSnapshots(engine.file, 1 << 26, () => false);
  const { results } = JSON.parse(await snapshots.run(queryBatchRead, { questions }));
  expect(results).toEqual(alone);
  expect(tablesIn(snapshots)).toHaveLength(1);
  // The next read does not know the windows of this one.
  await snapshots.run(queryBatchRead, { questions: [questions[1]] });
  expect(tablesIn(snapshots)).toHaveLength(2);
  snapshots.close();
});

test("the memory for sessions that young segments change counts in the cache", async () => {
  const sizes = { ...usualSizes, settledEventsMin: 2_048 };
  engine = new Engine(sizes);
  const sessions = (timeMs: number, count: number) =>
    store(
      engine,
      Array.from({ length: count }, (_, index) => event({ timeMs, sessionId: `s${index}` })),
    );
  sessions(noonMs - 1_000, 3_000);
  at(noonMs, () => engine.compact());
  const bytesWith = async (days: typeof lastDays) => {
    const snapshots = openSnapshots(engine.file, 1 << 26, () => false, sizes);
    // It asks for all that is known of sessions.
    await snapshots.run(sessionsRead, {
      ...{ projectId, days, userId: null, sessionId: null, isBounce: null, limit: 10 },
      ...{ before: null, question: {}, showsReplays: false },
    });
    const [{ bytes }] = tablesIn(snapshots);
    snapshots.close();
    return bytes;
  };
  const before = await bytesWith(lastDays);
  sessions(noonMs, 1_000);
  // Each fact stores the previous value, with the number of its session.
  expect((await bytesWith(lastDays)) - before).toBeGreaterThan(1_000 * 32);
});

test("numbers of one day do not displace those of another", async () => {
  engine = new Engine();
  store(engine, randomEvents(randomFrom(4), 6_000, 2));
  at(noonMs, () => engine.compact());
  const snapshots = openSnapshots(engine.file, 1 << 26, () => false);
  const selection = selectionOf({ metrics: ["session_count"], group_by: ["event"] });
  for (const day of [lastDays.to, lastDays.to - 1]) {
    const days = { from: day, to: day };
    await snapshots.run(queryRead, { projectId, days, selection, filters: [], limit: 9 });
  }
  const isNumbers = (key: string): boolean => key.startsWith("session numbers of ");
  expect([...snapshots.cache.keys()].filter(isNumbers)).toHaveLength(2);
  snapshots.close();
});

test("a table keeps few pages beyond those of its sessions", async () => {
  engine = new Engine();
  const today = { from: lastDays.to, to: lastDays.to };
  const snapshots = openSnapshots(engine.file, 1 << 26, () => false);
  const namesKept = () =>
    tablesIn(snapshots).map(
      ({ table }) => table?.values.of("session.entry_page").count ?? Number.POSITIVE_INFINITY,
    );
  for (let round = 0; round < 8; round++) {
    const nowMs = noonMs + round * dayMs;
    const days = { from: today.from + round, to: today.to + round };
    const events = Array.from({ length: 2_000 }, (_, index) =>
      event({
        timeMs: nowMs,
        sessionId: `s${round}-${index}`,
        properties: { path: `/${round}/${index}` },
      }),
    );
    await at(nowMs, async () => {
      engine.append([{ kind: "events", projectId, receivedAtMs: nowMs, events }]);
      await snapshots.run(pagesRead, { projectId, days, type: "both", limit: 10 });
      expect(Math.max(...namesKept())).toBeLessThanOrEqual(2 * 2_000 + 4_096 + 2_000);
    });
  }
  snapshots.close();
});

test("pages count in the cache, and a table whose pages do not fit is not kept", async () => {
  engine = new Engine();
  const path = (index: number) => `/${index}/${"x".repeat(200)}`;
  store(
    engine,
    Array.from({ length: 3_000 }, (_, index) =>
      event({ sessionId: `s${index}`, properties: { path: path(index) } }),
    ),
  );
  const days = { from: lastDays.to, to: lastDays.to };
  const tablesIn = async (cacheBytes: number) => {
    const snapshots = openSnapshots(engine.file, cacheBytes, () => false);
    await snapshots.run(distributionRead, { projectId, days });
    const before = snapshots.cache.bytes;
    await snapshots.run(pagesRead, { projectId, days, type: "both", limit: 10 });
    const isKept = [...snapshots.cache.keys()].some((key) => key.startsWith("sessions of "));
    const gained = snapshots.cache.bytes - before;
    snapshots.close();
    return { isKept, gained };
  };
  const { isKept, gained } = await tablesIn(1 << 26);
  expect(isKept).toBe(true);
  // The texts of the properties' dictionary, and the same as names of pages.
  expect(gained).toBeGreaterThan(2 * 3_000 * 200);
  expect((await tablesIn(800_000)).isKept).toBe(false);
});
