import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  ask,
  numbers,
  openTestStore,
  type TestStore,
} from "../../../../test/support/engine/event-store";
import { brokenRead, deafRead, slowRead } from "../../../../test/support/engine/timed-reads";
import { eventually } from "../../../../test/support/suite/eventually";
import { clock } from "../../../lib/clock";
import { readQueueMax } from "./readers";

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore({ workers: ["reader"] });
  await opened.store.append([numbers(1, 10)]);
});
afterAll(() => opened.close());

const threads = 2;
const before = (ms: number): number => clock.nowMs() - ms;
const slow = (label: string, ms: number, request: Parameters<typeof ask>[3] = {}) =>
  ask(opened, slowRead, { label, ms }, request);

/** Both threads have nothing to do, whatever the test before left to them. */
const idle = () => Promise.all([slow("first", 5), slow("second", 5)]);
beforeEach(async () => {
  await idle();
});

interface Begun {
  readonly accountId: string;
  readonly queueMs: number;
}
/** The accounts of reads that were asked at the same moment, in the order in which the reads were begun. */
const begun = (reads: readonly Begun[]): string[] =>
  reads.toSorted((a, b) => a.queueMs - b.queueMs).map(({ accountId }) => accountId);

/** Returns the codes with which reads were refused; empty for those that were answered. */
async function codesOf(reads: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(reads);
  return settled.map((one) => (one.status === "rejected" ? one.reason.code : ""));
}

describe("a read", () => {
  test("is answered as JSON text, with how long it waited and how long it took", async () => {
    const askedAt = performance.now();
    const { json, queueMs, storeMs } = await slow("here", 30);
    expect(json).toBe('"here"');
    expect(storeMs).toBeGreaterThanOrEqual(30);
    expect(queueMs).toBeGreaterThanOrEqual(0);
    expect(queueMs + storeMs).toBeLessThanOrEqual(performance.now() - askedAt);
  });

  test("that fails says where, and its thread goes on", async () => {
    const error = await ask(opened, brokenRead, { label: "", ms: 0 }).catch((reason) => reason);
    expect(error).toMatchObject({ name: "TypeError", message: "no such thing" });
    expect(error.stack).toContain("timed-reads.ts");
    expect((await slow("next", 1)).json).toBe('"next"');
  });
});

describe("waiting reads", () => {
  test("of one account do not keep those of others waiting", async () => {
    const asked = [..."aaaaaaaaab"].map((accountId) =>
      slow(accountId, 20, { accountId }).then(({ queueMs }) => ({ accountId, queueMs })),
    );
    // Two began at once, and two more before it at the most.
    expect(begun(await Promise.all(asked)).indexOf("b")).toBeLessThanOrEqual(4);
  });

  test("are 64 at most: one more is refused at once", async () => {
    const leaver = new AbortController();
    const running = Array.from({ length: threads }, () => slow("runs", 300));
    const waiting = Array.from({ length: readQueueMax }, () =>
      slow("waits", 1, { signal: leaver.signal }),
    );
    await expect(slow("too many", 1)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      extras: { retry_after_seconds: 1 },
    });
    leaver.abort();
    const left = await Promise.allSettled(waiting);
    expect(left.every(({ status }) => status === "rejected")).toBe(true);
    expect(await Promise.all(running)).toHaveLength(threads);
  });

  test("of an account that fills the queue give way to another's, the newest first", async () => {
    const running = Array.from({ length: threads }, () => slow("runs", 50));
    const answered: Begun[] = [];
    const from = (accountId: string) =>
      slow(accountId, 1, { accountId }).then(({ queueMs }) => {
        answered.push({ accountId, queueMs });
      });
    const many = Array.from({ length: readQueueMax }, () => from("many"));
    const few = from("few");
    const codes = await codesOf(many);
    expect(codes.slice(0, -1).every((code) => code === "")).toBe(true);
    expect(codes.at(-1)).toBe("UNAVAILABLE");
    await Promise.all([few, ...running]);
    expect(begun(answered).indexOf("few")).toBeLessThanOrEqual(4);
  });

  test("not begun 5 s after the request came are refused", async () => {
    const leaver = new AbortController();
    const running = Array.from({ length: threads }, () =>
      slow("runs", 600_000, { signal: leaver.signal }),
    );
    const waits = slow("waits", 1, { arrivedAtMs: before(4_900) });
    expect(await codesOf([waits])).toEqual(["UNAVAILABLE"]);
    leaver.abort();
    expect(await codesOf(running)).toEqual(["QUERY_FAILED", "QUERY_FAILED"]);
    await idle();
    // One with time left is begun.
    expect((await slow("begins", 1, { arrivedAtMs: before(4_000) })).json).toBe('"begins"');
  });

  test("whose client hangs up leave the queue", async () => {
    const running = Array.from({ length: threads }, () => slow("runs", 100));
    const leaver = new AbortController();
    const waiting = Array.from({ length: threads }, () =>
      slow("waits", 600_000, { signal: leaver.signal }),
    );
    leaver.abort();
    expect(await codesOf(waiting)).toEqual(["QUERY_FAILED", "QUERY_FAILED"]);
    await Promise.all(running);
    // The queue has dropped the others, or this read would not be answered.
    expect((await slow("next", 1)).json).toBe('"next"');
  });
});

describe("a running read", () => {
  test("is refused within 10 s after the request came, and its thread is free then", async () => {
    const startedAt = performance.now();
    const reads = Array.from({ length: threads }, () =>
      slow("runs", 600_000, { arrivedAtMs: before(9_400) }),
    );
    expect(await codesOf(reads)).toEqual(["QUERY_FAILED", "QUERY_FAILED"]);
    expect(performance.now() - startedAt).toBeGreaterThan(150);
    expect((await slow("next", 1)).json).toBe('"next"');
    // It stopped by itself: no thread had to be ended for it.
    expect(opened.workers.reader).toHaveLength(threads);
  });

  test("leaves time for its refusal", async () => {
    const late = slow("runs", 600_000, { arrivedAtMs: before(9_700) });
    expect(await codesOf([late])).toEqual(["QUERY_FAILED"]);
  });

  test("stops when its client hangs up", async () => {
    const leaver = new AbortController();
    const reads = Array.from({ length: threads }, () =>
      slow("runs", 600_000, { signal: leaver.signal }),
    );
    setTimeout(() => leaver.abort(), 50);
    expect(await codesOf(reads)).toEqual(["QUERY_FAILED", "QUERY_FAILED"]);
    expect((await slow("next", 1)).json).toBe('"next"');
    expect(opened.workers.reader).toHaveLength(threads);
  });

  test("of a client that has already gone is not begun", async () => {
    const signal = AbortSignal.abort();
    await expect(slow("never", 600_000, { signal })).rejects.toMatchObject({
      code: "QUERY_FAILED",
    });
  });

  test("that does not listen loses its thread, and others are answered", async () => {
    // On a busy machine both may be given up before a thread has begun one.
    await eventually(async () => {
      const leaver = new AbortController();
      const deaf = Array.from({ length: threads }, () =>
        ask(opened, deafRead, { label: "deaf", ms: 600_000 }, { signal: leaver.signal }),
      );
      setTimeout(() => leaver.abort(), 20);
      expect(await codesOf(deaf)).toEqual(["QUERY_FAILED", "QUERY_FAILED"]);
      expect((await slow("next", 1)).json).toBe('"next"');
      expect(opened.workers.reader.length).toBeGreaterThan(threads);
    });
    expect(opened.logged).toContainEqual(expect.objectContaining({ read: "deaf", level: "error" }));
    expect(opened.fatal).toEqual([]);
  });
});
