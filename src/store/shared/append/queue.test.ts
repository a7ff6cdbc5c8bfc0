import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { entryOf, numbered, numbers, projectId } from "../../../../test/support/engine/event-store";
import { cases } from "../../../../test/support/random/cases";
import { eventually } from "../../../../test/support/suite/eventually";
import { ApiError } from "../../../domain/errors";
import { replaceLogWriter } from "../../../lib/log";
import type { Appended, Entry, EventsEntry } from "../../port";
import type { Waits } from "../uncommitted";
import { Appends } from "./appends";
import { ingestQueueBytesMax, ingestQueueEventsMax } from "./places";
import { parseGroup } from "./wire";

interface Held {
  readonly waits?: Waits;
  readonly bytesMax?: number;
  /** The wait of each group; without it all groups wait for the one `release`. */
  readonly turn?: () => Promise<void> | undefined;
}

/** The queue alone, before a writer that commits nothing until the test lets it. */
function heldQueue({ waits, bytesMax, turn }: Held = {}) {
  const { promise, resolve } = Promise.withResolvers<void>();
  /** The project and the number of events of each request, by group. */
  const committed: (readonly [project: string, events: number])[][] = [];
  const queue = new Appends({
    ...(waits && { waits }),
    ...(bytesMax !== undefined && { bytesMax }),
    commit: async (group) => {
      await (turn?.() ?? promise);
      const { requests } = parseGroup(group);
      committed.push(
        requests.map(([entry]) => [
          entry.projectId,
          entry.kind === "events" ? entry.userIds.length : 0,
        ]),
      );
      const eventsOf = (entry: (typeof requests)[number][number]): number =>
        entry.kind === "events" ? entry.userIds.length : 0;
      const stored = Uint32Array.from(requests, ([entry]) => eventsOf(entry));
      return { stored, places: new Float64Array([1, 1]), repeats: null, linked: null };
    },
    refusal: () => null,
    stored: () => undefined,
    announce: null,
    storageFailed: () => undefined,
  });
  return { queue, release: resolve, committed };
}

async function refusalOf(append: Promise<Appended>): Promise<unknown> {
  try {
    return await append;
  } catch (error) {
    return error;
  }
}

describe("the queue", () => {
  const batch = 100;

  test("holds 50,000 events of one project, what the writer works on included, and has room for others", async () => {
    const { queue, release } = heldQueue();
    const all = entryOf(Array.from({ length: batch }, () => numbered(0)));
    const half = ingestQueueEventsMax / 2;
    const appends = Array.from({ length: half / batch }, () => queue.append([all]));
    // By now some of them are with the writer.
    await Bun.sleep(10);
    expect([queue.queuedEvents, queue.isFull]).toEqual([50_000, false]);
    expect(await refusalOf(queue.append([numbers(0, 1)]))).toMatchObject({
      code: "UNAVAILABLE",
      extras: { retry_after_seconds: 1 },
    });
    appends.push(queue.append([numbers(0, batch, "proj_other")]));
    release();
    await Promise.all(appends);
    expect([queue.queuedEvents, queue.isFull]).toEqual([0, false]);
    expect(await queue.append([numbers(0, 1)])).toEqual({ stored: 1 });
  });

  test("holds 100,000 events of many projects, and is full when nobody could add a batch", async () => {
    const { queue, release } = heldQueue();
    const projects = Array.from({ length: 600 }, (_, number) => `proj_${number}`);
    const [first, ...others] = projects;
    const appends: Promise<Appended>[] = [];
    const add = (project: string) => appends.push(queue.append([numbers(0, batch, project)]));
    for (const project of projects) add(project);
    for (const project of projects.slice(0, 398)) add(project);
    expect([queue.queuedEvents, queue.isFull]).toEqual([99_800, false]);
    expect(await refusalOf(queue.append([numbers(0, batch, first)]))).toBeInstanceOf(ApiError);
    add("proj_newcomer");
    expect([queue.queuedEvents, queue.isFull]).toEqual([99_900, true]);
    for (const project of [...others, "proj_next"]) {
      expect(await refusalOf(queue.append([numbers(0, batch, project)]))).toBeInstanceOf(ApiError);
    }
    release();
    expect(await Promise.all(appends)).toHaveLength(999);
    expect([queue.queuedEvents, queue.isFull]).toEqual([0, false]);
  });

  test("has room for 256 MiB", () => expect(ingestQueueBytesMax).toBe(256 * 1024 * 1024));

  test("holds half of its bytes of one project, and has room for others", async () => {
    const bytesMax = cases(16 * 1024 * 1024, ingestQueueBytesMax);
    const { queue, release } = heldQueue({ bytesMax });
    // Ours, and all around it on the way to the writer, is far less than a page.
    const large = (bytes: number, project?: string): EventsEntry =>
      entryOf(
        [{ ...numbered(0), eventId: null, properties: { text: "x".repeat(bytes) } }],
        project,
      );
    const each = bytesMax / 16;
    const usual = [large(each - 4_096)];
    const appends = Array.from({ length: bytesMax / 2 / each - 1 }, () => queue.append(usual));
    expect(await refusalOf(queue.append([large(each + 8 * 4_096)]))).toMatchObject({
      code: "UNAVAILABLE",
    });
    appends.push(queue.append([large(each + 6 * 4_096)]));
    expect(queue.isFull).toBe(false);
    appends.push(queue.append([large(each, "proj_other")]));
    release();
    expect(await Promise.all(appends)).toEqual(appends.map(() => ({ stored: 1 })));
  });

  test("lets projects take turns, and keeps the order of each", async () => {
    const { queue, release, committed } = heldQueue();
    const first = queue.append([numbers(0, 1)]);
    await Bun.sleep(10);
    const appends = Array.from({ length: 40 }, () => queue.append([numbers(0, batch, "flood")]));
    for (const n of [1, 2, 3]) appends.push(queue.append([numbers(0, n, "small")]));
    release();
    await Promise.all([first, ...appends]);
    const projects = committed.flat().map(([project]) => project);
    expect(projects.slice(1, 7)).toEqual(["flood", "small", "flood", "small", "flood", "small"]);
    const ofSmall = committed.flat().filter(([project]) => project === "small");
    expect(ofSmall.map(([, events]) => events)).toEqual([1, 2, 3]);
  });
});

/** Batches of one project that hold more than a tenth of the places, and take many groups. */
const flood = (queue: Appends): Promise<Appended>[] => {
  const all = entryOf(Array.from({ length: 1_000 }, () => numbered(0)));
  return Array.from({ length: 50 }, () => queue.append([all]));
};

test("a writer that goes on is not late because one project floods it: the queue of the others is short", async () => {
  // A busy machine may hold a turn back for a second.
  const lateMs = 3_000;
  const turnMs = 300;
  const turns: PromiseWithResolvers<void>[] = [];
  const { queue } = heldQueue({
    waits: { lateMs, answerMsMax: 60_000, lookEveryMs: 10 },
    turn: () => {
      turns.push(Promise.withResolvers<void>());
      return turns.at(-1)?.promise;
    },
  });
  const appends = flood(queue);
  const startedAtMs = performance.now();
  let isOver = false;
  while (!isOver) {
    await Bun.sleep(turnMs);
    turns.shift()?.resolve();
    isOver = performance.now() - startedAtMs > lateMs + turnMs;
    expect(queue.isLate).toBe(false);
  }
  // The oldest request of the flood still waits, longer than a request may whose project floods nothing.
  expect(queue.queuedEvents).toBeGreaterThan(ingestQueueEventsMax / 10);
  while (queue.queuedEvents > 0) {
    expect(queue.isLate).toBe(false);
    turns.shift()?.resolve();
    await Bun.sleep(1);
  }
  await Promise.all(appends);
});

describe("a writer that hangs", () => {
  let lines: string[] = [];
  let restore = (): void => undefined;
  beforeEach(() => {
    lines = [];
    restore = replaceLogWriter((line) => lines.push(line));
  });
  afterEach(() => restore());
  const waits: Waits = { lateMs: 150, answerMsMax: 400, lookEveryMs: 10 };
  const sums: Entry = {
    ...{ kind: "automated", projectId, date: "2026-01-01", category: "ai_agent" },
    ...{ actor: "GPTBot", requests: 1, droppedEvents: 1, lastSeenAtMs: 0 },
  };

  test("makes the queue late after a while, until it stores again; both are logged", async () => {
    const { queue, release } = heldQueue({ waits });
    const append = queue.append([numbers(0, 1)]);
    expect(queue.isLate).toBe(false);
    await eventually(() => expect(queue.isLate).toBe(true));
    await eventually(() => expect(lines.join()).toContain("the storage does not respond"));
    release();
    expect(await append).toEqual({ stored: 1 });
    expect(queue.isLate).toBe(false);
    await eventually(() => expect(lines.join()).toContain("the storage responds again"));
    expect(lines).toHaveLength(2);
  });

  test("is late for a flood too, though one project causes all of the wait", async () => {
    const { queue, release } = heldQueue({ waits });
    const appends = flood(queue);
    await eventually(() => expect(queue.isLate).toBe(true));
    release();
    await Promise.allSettled(appends);
  });

  test("what it has is answered 503 as perhaps stored, and is stored when it can be", async () => {
    const { queue, release, committed } = heldQueue({ waits });
    const startedAtMs = performance.now();
    const refused = await refusalOf(queue.append([numbers(0, 3)]));
    expect(performance.now() - startedAtMs).toBeGreaterThan(waits.answerMsMax - 20);
    expect(refused).toMatchObject({ code: "UNAVAILABLE", extras: { retry_after_seconds: 1 } });
    expect(String(refused)).toMatch(/may still be stored.*same event_id/);
    // It is neither stored nor dropped: its places are taken, and readiness fails.
    expect([queue.queuedEvents, queue.isLate]).toEqual([3, true]);
    release();
    await eventually(() => expect(queue.queuedEvents).toBe(0));
    expect([committed, queue.isLate]).toEqual([[[[projectId, 3]]], false]);
  });

  test("what it was not sent is answered 503 as not stored, and is stored by nobody", async () => {
    const { queue, release, committed } = heldQueue({ waits });
    const sent = refusalOf(queue.append([numbers(0, 1)]));
    await Bun.sleep(20);
    const waiting = await refusalOf(queue.append([numbers(0, 2)]));
    expect(String(waiting)).toMatch(/none of this was stored/);
    expect(String(await sent)).toMatch(/may still be stored/);
    expect(queue.queuedEvents).toBe(1);
    release();
    await eventually(() => expect(queue.queuedEvents).toBe(0));
    expect(committed).toEqual([[[projectId, 1]]]);
  });

  test("what comes later is refused at once, and taken again when it stores", async () => {
    const { queue, release } = heldQueue({ waits });
    await refusalOf(queue.append([numbers(0, 1)]));
    const startedAtMs = performance.now();
    expect(String(await refusalOf(queue.append([numbers(0, 1)])))).toMatch(/none of this/);
    expect(performance.now() - startedAtMs).toBeLessThan(waits.answerMsMax / 2);
    release();
    await eventually(() => expect(queue.queuedEvents).toBe(0));
    expect(await queue.append([numbers(0, 1)])).toEqual({ stored: 1 });
  });

  test("sums of automated requests wait for it, as a repeat would count twice", async () => {
    const { queue, release } = heldQueue({ waits });
    const append = queue.append([sums]);
    await Bun.sleep(waits.answerMsMax + 100);
    expect(await Promise.race([append, "it waits"])).toBe("it waits");
    release();
    expect(await append).toEqual({ stored: 0 });
  });
});
