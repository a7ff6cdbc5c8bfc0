import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import {
  entryOf,
  eventCount,
  numbered,
  numbers,
  openTestStore,
  type TestStore,
} from "../../../../test/support/engine/event-store";
import { cases } from "../../../../test/support/random/cases";
import type { Appended } from "../../port";

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
