import { fullGC } from "bun:jsc";
import { afterEach, expect, test } from "bun:test";
import { type Engine, usualSizes } from "../../../../test/support/engine/engine";
import {
  event,
  lastDays,
  noonMs,
  projectId,
  storeOf,
  storeOfColumns,
} from "../../../../test/support/engine/examples";
import { cases } from "../../../../test/support/random/cases";
import { ApiError } from "../../../domain/errors";
import { selectionOf } from "../../../domain/metric";
import { allTime } from "../../../domain/period";
import { funnelRead } from "../../../features/funnel/read";
import { pagesRead } from "../../../features/pages/pages";
import { queryRead } from "../../../features/query/read";
import { statsRead } from "../../../features/stats/stats";
import { ByteBoundedCache } from "../../../lib/cache";
import { Context } from "../filter/context";
import { openSnapshots } from "../read/snapshot";
import { openForReading } from "../tables";
import { usualTuning } from "../tuning";
import { Budget } from "./budget";

let engine: Engine;
afterEach(() => engine.close());

const stats = { projectId, days: lastDays, groupBy: "hour" } as const;
const query = (group_by: readonly string[]) => ({
  projectId,
  days: lastDays,
  conditions: [],
  limit: 100,
  selection: selectionOf({
    group_by: [...group_by],
    metrics: ["event_count", "unique_users", "session_count", "bounce_rate"],
  }),
});
const pages = { projectId, days: lastDays, type: "both", limit: 100 } as const;

const distinctEvents = (index: number) =>
  event({
    timeMs: noonMs + index,
    name: `name-${index}`,
    userId: `u${index}`,
    sessionId: `s${index}`,
    properties: { path: `/p${index}` },
  });

test("a read whose tables would not fit ends with what to do, and leaves nothing wrong behind", async () => {
  // The reader sees the test's changes at its next question.
  const sizes = { ...usualSizes };
  engine = storeOfColumns(distinctEvents, sizes);
  const asks: readonly (() => Promise<unknown>)[] = [
    () => engine.read(statsRead, stats),
    () => engine.read(queryRead, query(["event"])),
    () => engine.read(queryRead, query(["event", "user_id", "session_id"])),
    () => engine.read(queryRead, query(["user_id"])),
    () => engine.read(queryRead, query(["session_id"])),
    () => engine.read(pagesRead, pages),
  ];
  const whole: unknown[] = [];
  for (const ask of asks) whole.push(await ask());
  for (const [place, ask] of asks.entries()) {
    let refusals = 0;
    for (let bytes = 1_000; ; bytes *= cases(9, 3)) {
      engine.restartReader();
      Object.assign(sizes, { questionBytesMax: bytes });
      const answer = await ask().catch((error: unknown) => error);
      // The same reader goes on: what it made before it was refused must not be taken for whole.
      Object.assign(sizes, usualSizes);
      expect(await ask()).toEqual(whole[place]);
      if (!(answer instanceof ApiError)) {
        expect(answer).toEqual(whole[place]);
        break;
      }
      expect(answer.code).toBe("QUERY_FAILED");
      expect(answer.message).toContain("ask for fewer days");
      refusals++;
    }
    expect(refusals).toBeGreaterThan(1);
  }
});

test("a read looks whether it should go on within a segment, not only before each", async () => {
  const asks: readonly (() => Promise<unknown>)[] = [
    () => engine.read(queryRead, query(["event"])),
    () => engine.read(queryRead, query(["event", "user_id"])),
    () => engine.read(queryRead, query(["session_id"])),
    () => engine.read(pagesRead, pages),
  ];
  const checksOf = async (events: number): Promise<number[]> => {
    // Both have one settled segment, so that the same code finds their sessions.
    const sizes = { ...usualSizes, settledEventsMin: 1 };
    engine = storeOf(
      Array.from({ length: events }, (_, index) => distinctEvents(index)),
      sizes,
    );
    engine.compact();
    let checks = 0;
    engine.isCancelled = () => ++checks < 0;
    const ofEach: number[] = [];
    for (const ask of asks) {
      checks = 0;
      await ask();
      ofEach.push(checks);
    }
    return ofEach;
  };
  const ofFew = await checksOf(5_000);
  engine.close();
  const ofMany = await checksOf(cases(20_000, 40_000));
  for (const [place, checks] of ofMany.entries()) expect(checks).toBeGreaterThan(ofFew[place] + 10);
});

test("segments release columns that the cache has evicted, before the question is over", () => {
  engine = storeOfColumns(distinctEvents);
  const db = openForReading(engine.file);
  const isHeld = (cacheBytes: number, droppedBytesMax: number): boolean => {
    const tuning = { ...usualTuning, droppedBytesMax };
    const context = new Context(db, new ByteBoundedCache(cacheBytes), () => undefined, tuning);
    const [{ id }] = db.query("select id from current_segment").all() as [{ id: number }];
    const segment = context.open(id);
    const column = segment.column("event.name");
    context.check();
    return segment.column("event.name") === column;
  };
  try {
    expect(isHeld(1 << 26, 1)).toBe(true);
    expect(isHeld(0, 1 << 26)).toBe(true);
    expect(isHeld(0, 1)).toBe(false);
  } finally {
    db.close();
  }
});

test("what finding the pages of sessions took is given back", () => {
  engine = storeOfColumns(distinctEvents);
  const db = openForReading(engine.file);
  try {
    const context = new Context(db, new ByteBoundedCache(1 << 26), () => undefined, usualTuning);
    const ids = db.query("select id from current_segment").all() as { readonly id: number }[];
    const sessions = context.tables.sessions(context.segments(ids.map(({ id }) => id)), allTime);
    const { budget } = context;
    const bytesBefore = budget.bytes;
    const bytesOf = (page: "entry_page" | "exit_page") =>
      sessions?.values.of(`session.${page}`).bytes ?? 0;
    const kept = bytesOf("entry_page") + bytesOf("exit_page") + (sessions?.links.bytes ?? 0);
    expect(sessions?.count).toBe(3_000);
    expect(budget.bytes - bytesBefore).toBeLessThanOrEqual(kept);
  } finally {
    db.close();
  }
});

test("both kinds of pages take one table of sessions, kept or not", async () => {
  engine = storeOfColumns(distinctEvents, { ...usualSizes, cacheBytes: 0 });
  let checks = 0;
  engine.isCancelled = () => ++checks < 0;
  await engine.read(pagesRead, { ...pages, type: "entry" });
  const ofOne = checks;
  checks = 0;
  await engine.read(pagesRead, pages);
  expect(checks).toBeLessThan(1.6 * ofOne);
});

test("a funnel takes memory for each value that it is broken down by", async () => {
  const sizes = { ...usualSizes };
  engine = storeOfColumns((index) => ({ ...distinctEvents(index), name: "view" }), sizes);
  const step = { event: "view", filters: [] };
  const ask = (breakdown: "properties.path" | null) =>
    engine.read(funnelRead, {
      ...{ projectId, days: lastDays, countBy: "user_id", windowHours: 1, breakdown },
      ...{ breakdownLimit: 10, steps: { source: "request.steps", steps: [step, step] } },
    } as const);
  const codeWith = async (bytes: number, breakdown: "properties.path" | null) => {
    engine.restartReader();
    Object.assign(sizes, { questionBytesMax: bytes });
    const answer = await ask(breakdown).catch((error: unknown) => error);
    return answer instanceof ApiError ? answer.code : "answered";
  };
  let bytes = 1_000;
  while ((await codeWith(bytes, null)) !== "answered") bytes += bytes >> 2;
  expect(await codeWith(bytes, "properties.path")).toBe("QUERY_FAILED");
  expect(await codeWith(usualTuning.questionBytesMax, "properties.path")).toBe("answered");
});

const litterBytes = 32 * 1024 * 1024;
const heldBytes = (): number => process.memoryUsage().external;
/** In many pieces: the engine may take one or the other for something that is in use. */
const litter: Uint8Array[] = [];
/** Tells whether there is a collection in between: nothing else releases that much at once. */
function collects(act: () => void): boolean {
  for (let at = 0; at < 32; at++) litter.push(new Uint8Array(litterBytes / 32));
  fullGC();
  const before = heldBytes();
  litter.length = 0;
  act();
  return before - heldBytes() > litterBytes / 4;
}

/**
 * Expects collections at exactly these steps. The engine also collects whenever it wants to, so that a step without one
 * may have one by chance: never at every try.
 */
async function expectCollections(
  steps: () => boolean[] | Promise<boolean[]>,
  expected: readonly boolean[],
): Promise<void> {
  const triesMax = 5;
  let seen = await steps();
  const isByChance = () => seen.some((collected, at) => collected && !expected[at]);
  for (let tries = 1; tries < triesMax && isByChance(); tries++) seen = await steps();
  expect(seen).toEqual([...expected]);
}

test("what was released is collected before more is taken, when it is as much as the bound", async () => {
  const steps = () => {
    const budget = new Budget(() => undefined, { ...usualTuning, garbageBytesMax: 100 });
    budget.take(200);
    budget.giveBack(99);
    return [
      collects(() => budget.take(1)),
      collects(() => budget.giveBack(1)),
      collects(() => budget.take(1)),
      collects(() => budget.take(1)),
    ];
  };
  await expectCollections(steps, [false, false, true, false]);
});

test("what a read has left is collected after it, when it is as much as the bound", async () => {
  engine = storeOf([event({ timeMs: noonMs })]);
  const within = async (garbageBytesMax: number, bytes: number): Promise<boolean[]> => {
    const tuning = { ...usualTuning, garbageBytesMax };
    const snapshots = openSnapshots(engine.file, 1 << 20, () => false, tuning);
    let isCollectedAtOnce = false;
    try {
      await snapshots.within(async ({ context }) => {
        isCollectedAtOnce = collects(() => context.budget.addGarbage(bytes));
      });
      return [isCollectedAtOnce, collects(() => snapshots.collectGarbage())];
    } finally {
      snapshots.close();
    }
  };
  await expectCollections(() => within(1_000, 999), [false, false]);
  await expectCollections(() => within(1_000, 1_000), [false, true]);
});
