import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { cases } from "../../../../test/support/cases";
import {
  entryOf,
  eventCount,
  numbered,
  numbers,
  openTestStore,
  type TestStore,
} from "../../../../test/support/event-store";
import type { Appended, EventsEntry } from "../../port";
import { Appends, ingestQueueBytesMax, ingestQueueEventsMax } from "./appends";
import { parseGroup } from "./wire";

let opened: TestStore | null = null;
afterEach(async () => {
  await opened?.close();
  opened = null;
});
const open = async (options: Parameters<typeof openTestStore>[0] = {}): Promise<TestStore> => {
  opened = await openTestStore({ workers: [], ...options });
  return opened;
};

/** Opens another connection in the midst of a transaction: the writer has to wait, as on a slow disk. */
function busyFile({ file }: TestStore): { release(): void } {
  const db = new Database(file);
  db.run("begin immediate");
  return { release: () => db.close() };
}

/** The queue alone, before a writer that commits nothing until it is let. */
function heldQueue(): { readonly queue: Appends; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const queue = new Appends({
    commit: async (group) => {
      await promise;
      const { requests } = parseGroup(group);
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
  return { queue, release: resolve };
}

async function refusalOf(append: Promise<Appended>): Promise<unknown> {
  try {
    return await append;
  } catch (error) {
    return error;
  }
}

describe("an append", () => {
  test("resolves when its events are in the file, with how many were new", async () => {
    const { store, storedNumbers } = await open({ durability: "full" });
    expect(await store.append([numbers(1, 3)])).toEqual({ stored: 3 });
    expect(storedNumbers()).toEqual([1, 2, 3]);
    expect(await store.append([numbers(2, 3)])).toEqual({ stored: 1 });
    expect(storedNumbers()).toEqual([1, 2, 3, 4]);
  });

  test("of many callers at once is answered to each of them, in few commits", async () => {
    const { store, storedNumbers, count } = await open();
    const callers = Array.from({ length: 300 }, (_, index) => store.append([numbers(index, 1)]));
    const answers: readonly Appended[] = await Promise.all(callers);
    expect(answers).toEqual(Array.from({ length: 300 }, () => ({ stored: 1 })));
    expect(storedNumbers()).toEqual(Array.from({ length: 300 }, (_, index) => index));
    expect(count("select count(*) from segment")).toBeLessThan(10);
  });

  test("that comes after a burst waits for the next group, not for the next request", async () => {
    const { store, count } = await open();
    const rounds = cases(50, 100);
    for (let round = 0; round < rounds; round++) {
      const burst = Array.from({ length: 10 }, (_, index) =>
        store.append([numbers(round * 100 + index, 1)]),
      );
      await Promise.all(burst);
      await store.append([numbers(round * 100 + 50, 1)]);
    }
    expect(count(eventCount)).toBe(11 * rounds);
  });

  test("of nothing is answered too", async () => {
    const { store } = await open();
    expect(await store.append([])).toEqual({ stored: 0 });
    expect(await store.append([entryOf([])])).toEqual({ stored: 0 });
    expect(store.health().queuedEvents).toBe(0);
  });

  test("that cannot be stored fails alone: the rest of its group is stored", async () => {
    const { store, storedNumbers } = await open();
    const poison = { ...numbered(13), userId: {} as string };
    const answers = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        store.append([index === 13 ? entryOf([poison]) : numbers(index, 1)]),
      ),
    );
    const failed = answers.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
    expect(failed).toEqual([13]);
    expect(answers[13]).not.toMatchObject({ reason: { code: "UNAVAILABLE" } });
    expect(storedNumbers()).toEqual(
      Array.from({ length: 40 }, (_, index) => index).filter((number) => number !== 13),
    );
    expect(store.health()).toMatchObject({ storage: "ok", queuedEvents: 0 });
  });
});

describe("an announcement that throws", () => {
  test("is logged; whoever sent the events is answered, and others are announced", async () => {
    let announced = 0;
    opened = await openTestStore({
      workers: [],
      onStored: () => {
        if (++announced === 2) throw new TypeError("text of an event");
      },
    });
    const { store, storedNumbers, logged } = opened;
    const answers = await Promise.all([0, 1, 2].map((n) => store.append([numbers(n, 1)])));
    expect(answers).toEqual([{ stored: 1 }, { stored: 1 }, { stored: 1 }]);
    expect(await store.append([numbers(3, 1)])).toEqual({ stored: 1 });
    expect(announced).toBe(4);
    expect(storedNumbers()).toEqual([0, 1, 2, 3]);
    const lines = logged.filter(({ level }) => level === "error");
    expect(lines).toMatchObject([
      { message: "stored events were not announced", fault: "TypeError" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("text of an event");
  });
});

describe("the queue", () => {
  const batch = 100;

  test("holds what comes while the writer is busy, and is empty when that is stored", async () => {
    const { store, count } = await open({ workers: ["writer"] });
    const file = busyFile(opened!);
    const appends = Array.from({ length: 30 }, (_, index) =>
      store.append([numbers(index * batch, batch)]),
    );
    expect(store.health()).toMatchObject({ queuedEvents: 3_000, queue: "ok" });
    file.release();
    await Promise.all(appends);
    expect(store.health()).toMatchObject({ queuedEvents: 0, queue: "ok" });
    expect(count(eventCount)).toBe(3_000);
  });

  test("holds 100,000 events, what the writer works on included, and no more", async () => {
    const { queue, release } = heldQueue();
    const all = entryOf(Array.from({ length: batch }, () => numbered(0)));
    const appends = Array.from({ length: ingestQueueEventsMax / batch }, () => queue.append([all]));
    // By now some of them are with the writer.
    await Bun.sleep(10);
    expect([queue.queuedEvents, queue.isFull]).toEqual([100_000, true]);
    expect(await refusalOf(queue.append([numbers(0, 1)]))).toMatchObject({
      code: "UNAVAILABLE",
      extras: { retry_after_seconds: 1 },
    });
    release();
    await Promise.all(appends);
    expect([queue.queuedEvents, queue.isFull]).toEqual([0, false]);
    expect(await queue.append([numbers(0, 1)])).toEqual({ stored: 1 });
  });

  test("holds 256 MiB, and no more", async () => {
    const { queue, release } = heldQueue();
    // Ours, and all around it on the way to the writer, is far less than a page.
    const large = (bytes: number): EventsEntry =>
      entryOf([{ ...numbered(0), eventId: null, properties: { text: "x".repeat(bytes) } }]);
    const each = 16 * 1024 * 1024;
    const usual = [large(each - 4_096)];
    const appends = Array.from({ length: ingestQueueBytesMax / each - 1 }, () =>
      queue.append(usual),
    );
    expect(await refusalOf(queue.append([large(each + 15 * 4_096)]))).toMatchObject({
      code: "UNAVAILABLE",
    });
    appends.push(queue.append([large(each + 14 * 4_096)]));
    expect(queue.isFull).toBe(false);
    release();
    expect(await Promise.all(appends)).toEqual(appends.map(() => ({ stored: 1 })));
  });

  test("closing answers everything that was appended, and refuses what comes later", async () => {
    const { store, storedNumbers } = await open();
    const appends = Array.from({ length: 50 }, (_, index) => store.append([numbers(index, 1)]));
    const closed = store.close();
    expect(store.append([numbers(50, 1)])).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await Promise.all(appends)).toHaveLength(50);
    await closed;
    expect(storedNumbers()).toHaveLength(50);
  });
});
