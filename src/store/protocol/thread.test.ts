import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { renameSync, writeFileSync } from "node:fs";
import {
  ask,
  eventCount,
  numbers,
  openTestStore,
  type TestStore,
} from "../../../test/support/engine/event-store";
import { slowRead } from "../../../test/support/engine/timed-reads";
import { cases } from "../../../test/support/random/cases";
import { rowsWaitingMax } from "../../domain/limits";

let opened: TestStore;
afterEach(() => opened.close());

const newest = (workers: readonly Worker[]): Worker => workers[workers.length - 1];

/** Long enough for a busy disk. */
const waitMsMax = 50_000;
/** What looks into the file looks seldom, as that takes a core from the threads that are waited for. */
const lookMs = 25;
async function until(what: () => boolean, everyMs = 5): Promise<void> {
  const startedAt = performance.now();
  while (!what()) {
    if (performance.now() - startedAt > waitMsMax) throw new Error(`It did not come: ${what}`);
    await Bun.sleep(everyMs);
  }
}

describe("the writer thread", () => {
  test("dies in the midst of a load: what was acknowledged is there, once, and it goes on", async () => {
    opened = await openTestStore({ workers: ["writer"] });
    const { store, workers } = opened;
    const acknowledged: number[] = [];
    const refused: number[] = [];
    const append = async (number: number): Promise<void> => {
      try {
        await store.append([numbers(number, 1)]);
        acknowledged.push(number);
      } catch (error) {
        expect(error).toMatchObject({ code: "UNAVAILABLE", extras: { retry_after_seconds: 1 } });
        refused.push(number);
      }
    };
    const count = cases(720, 2_400);
    let next = 0;
    const caller = async (): Promise<void> => {
      while (next < count) await append(next++);
    };
    const callers = Array.from({ length: 32 }, caller);
    for (const reached of [count / 6, count / 2.4, count / 1.5]) {
      await until(() => next >= reached);
      newest(workers.writer).terminate();
    }
    await Promise.all(callers);
    expect(workers.writer).toHaveLength(4);
    expect(acknowledged.length).toBeGreaterThan(count / 1.2);

    const stored = opened.storedNumbers();
    expect(new Set(stored).size).toBe(stored.length);
    expect(acknowledged.filter((number) => !stored.includes(number))).toEqual([]);
    // A refused event is sent again under the same key.
    await Promise.all([...refused].map((number) => store.append([numbers(number, 1)])));
    expect(opened.storedNumbers()).toEqual(Array.from({ length: count }, (_, index) => index));
    expect(opened.fatal).toEqual([]);
    expect(store.health()).toMatchObject({ storage: "ok", queue: "ok", queuedEvents: 0 });
  });

  test("that cannot be brought back is the end: every request is refused, none hangs", async () => {
    opened = await openTestStore({ workers: ["writer"] });
    const { store, workers, file, fatal } = opened;
    await store.append([numbers(1, 1)]);
    renameSync(file, `${file}.away`);
    writeFileSync(file, "not a database");
    newest(workers.writer).terminate();
    const waiting = store.append([numbers(2, 1)]);
    await expect(waiting).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await until(() => fatal.length > 0);
    expect(fatal).toEqual([expect.stringContaining("thread")]);
    await expect(store.append([numbers(3, 1)])).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(store.forget("proj_shop", 0)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(store.health().queue).toBe("failed");
  });

  test("that dies again and again is not brought back for ever", async () => {
    opened = await openTestStore({ workers: ["writer"] });
    const { store, workers, fatal } = opened;
    for (let deaths = 1; fatal.length === 0 && deaths < 20; deaths++) {
      newest(workers.writer).terminate();
      await until(() => workers.writer.length > deaths || fatal.length > 0);
    }
    expect(workers.writer).toHaveLength(6);
    expect(fatal).toHaveLength(1);
    await expect(store.append([numbers(1, 1)])).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});

const mergedEvents = cases(6_000, 30_000);

describe("the compactor thread", () => {
  const rowsLeft = `
    select coalesce(sum(event_count), 0) from current_segment where encoding = 'rows'`;

  test("turns rows into columns by itself, and what it replaced is read no more", async () => {
    opened = await openTestStore({ workers: ["compactor"] });
    const { store, count } = opened;
    for (let from = 0; from < 10_000; from += 1_000) await store.append([numbers(from, 1_000)]);
    await until(() => count(rowsLeft) < 2_048, lookMs);
    expect(count(eventCount)).toBe(10_000);
    expect(opened.storedNumbers()).toEqual(Array.from({ length: 10_000 }, (_, index) => index));
  });

  test("dies while it merges: it starts again, and nothing is lost or doubled", async () => {
    opened = await openTestStore({ workers: ["compactor"] });
    const { store, workers, count } = opened;
    for (let from = 0; from < mergedEvents; from += 1_000) {
      await store.append([numbers(from, 1_000)]);
      if (from % (mergedEvents / 3) !== 0) continue;
      const started = workers.compactor.length;
      newest(workers.compactor).terminate();
      await until(() => workers.compactor.length > started);
    }
    await until(() => count(rowsLeft) < 2_048, lookMs);
    expect(workers.compactor).toHaveLength(4);
    expect(opened.fatal).toEqual([]);
    expect(opened.storedNumbers()).toEqual(
      Array.from({ length: mergedEvents }, (_, index) => index),
    );
  });

  test("finds after a restart what was left to it", async () => {
    opened = await openTestStore({ workers: ["compactor"] });
    const { store, workers } = opened;
    newest(workers.compactor).terminate();
    const appends = Array.from({ length: mergedEvents / 1_000 }, (_, index) =>
      store.append([numbers(index * 1_000, 1_000)]),
    );
    await Promise.all(appends);
    opened = await opened.reopen();
    await until(() => opened.count(rowsLeft) < 2_048, lookMs);
    expect(opened.count(eventCount)).toBe(mergedEvents);
  });
});

describe("a reader thread", () => {
  test("dies: what it read is refused, what waited is answered by the next", async () => {
    opened = await openTestStore({ workers: ["reader"] });
    await opened.store.append([numbers(1, 1)]);
    const asked = [600_000, 600_000, 1, 1].map((ms, index) =>
      ask(opened, slowRead, { label: `${index}`, ms }),
    );
    await Bun.sleep(100);
    for (const worker of [...opened.workers.reader]) worker.terminate();
    const settled = await Promise.allSettled(asked);
    expect(settled.map(({ status }) => status)).toEqual([
      ...["rejected", "rejected"],
      ...["fulfilled", "fulfilled"],
    ] as never);
    expect(settled[0]).toMatchObject({ reason: { code: "UNAVAILABLE" } });
    expect(opened.fatal).toEqual([]);
  });
});

describe("a flood that compaction cannot follow", () => {
  test("is held back until compaction has caught up, and others are not", async () => {
    let lock: Database | null = null;
    // This runs after the commit and before maintenance is woken, whose next round finds the file as it is left here.
    const hold = (): void => {
      if (lock !== null) return;
      lock = new Database(opened.file);
      // The rows say that they are more than they are: only what the compactor makes of that matters here.
      lock.run("update segment set event_count = ?", [rowsWaitingMax + 1]);
      // The writer is busy from now on, so that the merged rows cannot replace them yet.
      lock.run("begin immediate");
    };
    opened = await openTestStore({ workers: ["writer", "compactor"], onStored: hold });
    const { store } = opened;
    let sent = 0;
    const flood = () => store.append([numbers(sent++, 1, "flood")]);
    /** Returns why the next event is refused, or null when it is taken: it then waits for the writer. */
    const refusal = (): Promise<unknown> =>
      Promise.race([flood().then(() => null, Object), Bun.sleep(1).then(() => null)]);

    await flood();
    let refused = await refusal();
    while (refused === null) refused = await refusal();
    expect(refused).toMatchObject({ code: "UNAVAILABLE", extras: { retry_after_seconds: 1 } });
    expect(store.health().queue).toBe("ok");
    const others = store.append([numbers(0, 1, "others")]);
    (lock as Database | null)?.close();
    expect(await others).toEqual({ stored: 1 });
    while ((await flood().catch(() => null)) === null) await Bun.sleep(5);
  });
});
