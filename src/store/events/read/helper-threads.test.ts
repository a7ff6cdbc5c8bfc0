import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { Engine } from "../../../../test/support/engine/engine";
import { entryOf, numbered, timedReaderUrl } from "../../../../test/support/engine/event-store";
import { dayMs, usualToday } from "../../../../test/support/world/cast";
import "../../../../test/support/suite/timeout";
import { eventually } from "../../../../test/support/suite/eventually";
import {
  counts,
  everyQuestion,
  from,
  oneQuestion,
  view,
} from "../../../../test/support/world/parted-questions";
import { exposureEvent } from "../../../domain/experiment";
import type { Condition } from "../../../domain/filter";
import { replaceLogWriter } from "../../../lib/log";
import { workerUrl } from "../../../worker-url";
import type { Read } from "../../port";
import { ReadCancelled } from "../../protocol/failure";
import type { Helpers, PartRequest } from "../parts/helpers";
import type { PartName, PartResult } from "../parts/parts";
import { usualTuning } from "../tuning";
import { HelperThreads } from "./helper-threads";
import { openSnapshots, type Snapshots } from "./snapshot";

const eventsPerDate = 600;

let engine: Engine;
/** The snapshots of a reader that has no helpers. */
let alone: Snapshots;
let expected: string;
let expectedOfOne: string;
const workers: Worker[] = [];
const cancelled = new Int32Array(new SharedArrayBuffer(4));
let helpers: HelperThreads;
let read = 0;

const nameOf = (number: number): string => {
  if (number % 37 === 0) return "buy";
  return number % 11 === 0 ? exposureEvent : "step";
};
const exposed = (number: number) => ({
  experiment: "one",
  variant: ["control", "test"][number % 2],
});

const addDate = (date: number): void => {
  const events = Array.from({ length: eventsPerDate }, (_, number) => ({
    ...numbered(number % 40),
    name: nameOf(number),
    country: number % 3 === 0 ? "US" : "DE",
    timeMs: date * dayMs + ((number * 7_919) % dayMs),
    // Users and sessions are in several parts.
    userId: `user ${(number * date) % 300}`,
    sessionId: `session ${(number + 3 * date) % 900}`,
    properties: { number: number % 40, n: number, path: `/${number % 7}`, ...exposed(number) },
    eventId: null,
  }));
  engine.append([entryOf(events)]);
};

beforeAll(async () => {
  engine = new Engine();
  for (let date = from; date <= usualToday; date++) addDate(date);
  engine.compact();
  alone = openSnapshots(engine.file, 1 << 26, () => false);
  expected = await alone.run(everyQuestion, null);
  expectedOfOne = await alone.run(oneQuestion, null);
  helpers = helpersOf(() => {
    // Those of the product first; who takes their place is loaded faster.
    const worker = new Worker(workers.length < 2 ? workerUrl("reader") : timedReaderUrl);
    workers.push(worker);
    return worker;
  });
});
/** Two, which are never too busy; `more` is what is another way in a test. */
const helpersOf = (
  start: () => Worker,
  more: {
    readonly count?: number;
    readonly reopenMsMax?: number;
    readonly retryAfterMs?: number;
  } = {},
): HelperThreads =>
  new HelperThreads({
    opening: {
      ...{ kind: "open", file: engine.file, cacheBytes: 1 << 26, clockOffsetMs: 0 },
      cancelled: cancelled.buffer,
      reading: new SharedArrayBuffer(4),
    },
    ...{ count: 2, start, reopenMsMax: 50_000, isIdle: () => true, ...more },
  });
afterAll(async () => {
  await helpers.stop();
  alone.close();
  engine.close();
});
beforeEach(() => {
  Atomics.store(cancelled, 0, 0);
});

/** Asks all of it with help. `asked` is called when a helper has just been asked. */
async function helped(
  asked: () => void = () => undefined,
  asks = everyQuestion,
  helping = helpers,
) {
  const found: unknown[] = [];
  const watched: Helpers = {
    declined: helping.declined,
    get count() {
      return helping.count;
    },
    async ask<Name extends PartName>(
      helper: number,
      request: PartRequest<Name>,
    ): Promise<PartResult<Name> | null> {
      const answer = helping.ask(helper, request);
      asked();
      found.push(await answer);
      return answer;
    },
    endRead: () => helping.endRead(),
  };
  const number = ++read;
  helping.beginRead(number);
  const isCancelled = (): boolean => Atomics.load(cancelled, 0) === number;
  const tuning = { ...usualTuning, partedEventsMin: 1 };
  const snapshots = openSnapshots(engine.file, 1 << 26, isCancelled, tuning, watched);
  try {
    const json = await snapshots.run(asks, null);
    return { json, error: null, found };
  } catch (error) {
    return { json: null, error, found };
  } finally {
    snapshots.close();
  }
}

test("helpers that are started ahead are those that are asked", async () => {
  expect(workers).toHaveLength(0);
  helpers.startAll();
  expect(workers).toHaveLength(2);
  const { found } = await helped(undefined, oneQuestion);
  expect(found.length).toBeGreaterThan(0);
  expect(found).not.toContain(null);
  expect(workers).toHaveLength(2);
});

test("a read is answered in parts as it is by one thread", async () => {
  const { json, found } = await helped();
  expect(json).toBe(expected);
  // Groups are asked for twice: for their events, and for their users.
  expect(found).toHaveLength(2 * (24 + 6 * 4 + 1));
  expect(found).not.toContain(null);
  expect(workers).toHaveLength(2);
});

test("what has too many groups to be told is counted by one thread, and in parts no more", async () => {
  const many: Read<null, unknown> = {
    ...everyQuestion,
    run: (snapshot) =>
      snapshot.countBy(view, { ...counts, group_by: ["properties.n"], limit: 400 }),
  };
  const wanted = await alone.run(many, null);
  const first = await helped(undefined, many);
  expect(first.json).toBe(wanted);
  expect(first.found.length).toBeGreaterThan(0);
  expect(await helped(undefined, many)).toMatchObject({ json: wanted, found: [] });
});

test("events with a property that one thread has just counted by are counted by it, others in parts", async () => {
  const asked = (field: Condition["field"]): Read<null, unknown> => ({
    ...everyQuestion,
    run: async (snapshot) => [
      await snapshot.countBy(view, { ...counts, group_by: ["properties.n"], limit: 400 }),
      await snapshot.eventCount(view, [{ field, op: "not_null", value: "" }]),
    ],
  });
  // Its groups are too many to be told, which is known from here on.
  await helped(undefined, asked("properties.n"));
  for (const [field, isInParts] of [
    ["properties.n", false],
    ["event", true],
  ] as const) {
    const { json, found } = await helped(undefined, asked(field));
    expect(json).toBe(await alone.run(asked(field), null));
    expect([field, found.length > 0]).toEqual([field, isInParts]);
  }
});

test("what is ordered by the users of too many groups is counted by one thread once one part has them", async () => {
  const byUsers: Read<null, unknown> = {
    ...everyQuestion,
    run: (snapshot) =>
      snapshot.countBy(view, { ...counts, group_by: ["properties.n"], order_by: "unique_users" }),
  };
  const wanted = await alone.run(byUsers, null);
  // Two helpers are asked for their events, and nobody for users.
  const first = await helped(undefined, byUsers);
  expect(first.json).toBe(wanted);
  expect(first.found.length).toBeLessThanOrEqual(2);
  expect(await helped(undefined, byUsers)).toMatchObject({ json: wanted, found: [] });
});

test("threads that end in the midst of a part change no answer, and others take their place", async () => {
  const before = workers.length;
  const ending = workers.slice();
  const end = () => ending.pop()?.terminate();
  const { json, found: foundMeanwhile } = await helped(end, oneQuestion);
  expect(json).toBe(expectedOfOne);
  expect(foundMeanwhile).toContain(null);
  await eventually(async () => {
    const { json: again, found } = await helped(undefined, oneQuestion);
    expect(again).toBe(expectedOfOne);
    expect(found.length).toBeGreaterThan(0);
    expect(found).not.toContain(null);
  });
  expect(workers.length).toBeGreaterThan(before);
});

test("a read that is cancelled in the midst of a part ends, and its helpers answer the next one", async () => {
  const { error } = await helped(() => Atomics.store(cancelled, 0, read), oneQuestion);
  expect(error).toBeInstanceOf(ReadCancelled);
  const { json, found } = await helped(undefined, oneQuestion);
  expect(json).toBe(expectedOfOne);
  expect(found).not.toContain(null);
});

test("who sees other data than the read does is of no help to it", async () => {
  let isAdded = false;
  const { json, found } = await helped(() => {
    // The first has just been asked, and takes its snapshot later; the second is asked now.
    if (!isAdded) addDate(usualToday);
    isAdded = true;
  }, oneQuestion);
  expect(json).toBe(expectedOfOne);
  expect(found).toContain(null);
  const now = await alone.run(oneQuestion, null);
  expect(now).not.toBe(expectedOfOne);
  expect((await helped(undefined, oneQuestion)).json).toBe(now);
});

test("a read that is cancelled does not wait for a helper that is busy with something else", async () => {
  const deaf = URL.createObjectURL(new Blob(["onmessage = () => undefined"]));
  const silent = helpersOf(() => new Worker(deaf));
  const cancel = (): void => {
    const number = read;
    setTimeout(() => Atomics.store(cancelled, 0, number), 50);
  };
  const { error } = await helped(cancel, everyQuestion, silent);
  expect(error).toBeInstanceOf(ReadCancelled);
  await silent.stop();
});

test("a helper that could not be brought back is started again, a while later", async () => {
  const started: Worker[] = [];
  const start = (): Worker => {
    const worker = new Worker(timedReaderUrl);
    started.push(worker);
    return worker;
  };
  const lines: unknown[] = [];
  const restore = replaceLogWriter((line) => void lines.push(JSON.parse(line)));
  // No thread opens its files in no time.
  const hasty = helpersOf(start, { count: 1, reopenMsMax: 0, retryAfterMs: 200 });
  const { json: wanted } = await helped(undefined, oneQuestion);
  const isHelped = async (): Promise<boolean> => {
    const { json, found } = await helped(undefined, oneQuestion, hasty);
    expect(json).toBe(wanted);
    expect(found.length).toBeGreaterThan(0);
    return !found.includes(null);
  };
  expect(await isHelped()).toBe(true);
  for (const worker of [...started]) worker.terminate();
  await eventually(() =>
    expect(lines).toContainEqual(
      expect.objectContaining({ message: "reads continue without a helper for a while" }),
    ),
  );
  await eventually(async () => expect(await isHelped()).toBe(true));
  // One at first, one that was brought back and lost, and one again.
  expect(started.length).toBeGreaterThanOrEqual(3);
  restore();
  await hasty.stop();
});
