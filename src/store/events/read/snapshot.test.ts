import { afterEach, describe, expect, test } from "bun:test";
import type { Engine } from "../../../../test/support/engine/engine";
import {
  event,
  lastDays,
  noonMs,
  projectId,
  store,
  storeOf,
  storeOfColumns,
} from "../../../../test/support/engine/examples";
import { selectionOf } from "../../../domain/metric";
import { allTime } from "../../../domain/period";
import { queryRead } from "../../../features/query/read";
import { statsRead } from "../../../features/stats/stats";
import type { Read } from "../../port";
import { ReadCancelled } from "../../protocol/failure";

let engine: Engine;
afterEach(() => engine.close());

const input = { projectId, days: lastDays, groupBy: "day" } as const;

describe("cancellation", () => {
  test("stops a read at any of its steps, and the next one answers", async () => {
    engine = storeOfColumns((index) =>
      event({ timeMs: noonMs + index, userId: `u${index % 9}`, sessionId: `s${index % 50}` }),
    );
    const whole = await engine.read(statsRead, input);
    let checks = 0;
    engine.isCancelled = () => ++checks < 0;
    await engine.read(statsRead, input);
    const checksOfOneRead = checks;
    expect(checksOfOneRead).toBeGreaterThan(5);
    for (let at = 1; at <= checksOfOneRead; at++) {
      let left = at;
      engine.isCancelled = () => --left <= 0;
      await expect(engine.read(statsRead, input)).rejects.toThrow(ReadCancelled);
    }
    engine.isCancelled = () => false;
    expect(await engine.read(statsRead, input)).toEqual(whole);
  });
});

describe("a snapshot", () => {
  /** Runs work between two questions of one read. */
  const interrupted = (work: () => void): Read<null, number[]> => ({
    name: "interrupted",
    scope: () => ({ projectIds: [projectId], fromMs: 0, toMs: 0 }),
    async run(snapshot) {
      const view = { projectId, ...allTime };
      const count = async (): Promise<number> => (await snapshot.totals(view)).unique_users;
      const before = await count();
      work();
      return [before, await count()];
    },
  });

  test("sees nothing of events and links that are committed while it lasts", async () => {
    engine = storeOf([event({ userId: "anon" }), event({ userId: "ann" })]);
    const identity = {
      kind: "identity",
      projectId,
      receivedAtMs: noonMs,
      previousId: "anon",
      userId: "ann",
      traits: null,
    } as const;
    const seen = await engine.read(
      interrupted(() => {
        store(engine, [event({ userId: "bob" })]);
        engine.append([identity]);
      }),
      null,
    );
    expect(seen).toEqual([2, 2]);
    expect(
      await engine.read(
        interrupted(() => undefined),
        null,
      ),
    ).toEqual([2, 2]);
    store(engine, [event({ userId: "cy" })]);
    expect(
      await engine.read(
        interrupted(() => undefined),
        null,
      ),
    ).toEqual([3, 3]);
  });
  test("survives compaction and a sweep while it lasts", async () => {
    engine = storeOf(Array.from({ length: 3_000 }, (_, index) => event({ userId: `u${index}` })));
    const compactAndSweep = () => {
      engine.compact();
      engine.sweep();
    };
    const seen = await engine.read(interrupted(compactAndSweep), null);
    expect(seen).toEqual([3_000, 3_000]);
  });
});

test("a project that has no events matches nothing", async () => {
  engine = storeOf([event()]);
  const other = { ...input, projectId: "proj_other" };
  expect((await engine.read(statsRead, other)).totals).toEqual({
    unique_users: 0,
    total_events: 0,
    visitors: 0,
  });
});

test("a failing read leaves the store as it was", async () => {
  engine = storeOf([event()]);
  const failing: Read<null, null> = {
    name: "failing",
    scope: () => ({ projectIds: [], fromMs: 0, toMs: 0 }),
    async run(snapshot) {
      await snapshot.totals({ projectId, ...allTime });
      throw new Error("It failed half way.");
    },
  };
  await expect(engine.read(failing, null)).rejects.toThrow("It failed half way.");
  expect((await engine.read(statsRead, input)).totals.total_events).toBe(1);
});

test("the cache stays within its bytes, and answers do not depend on it", async () => {
  engine = storeOfColumns((index) =>
    event({ timeMs: noonMs + index, userId: `u${index}`, sessionId: `s${index % 500}` }),
  );
  const selection = selectionOf({
    group_by: ["user_id"],
    metrics: ["session_count", "bounce_rate"],
  });
  const question = { projectId, days: lastDays, selection, filters: [], limit: 1_000 };
  const answer = await engine.read(queryRead, question);
  for (const bytes of [0, 10_000, 100_000]) {
    engine.restart(bytes);
    expect(await engine.read(queryRead, question)).toEqual(answer);
    expect((await engine.read(statsRead, input)).totals.total_events).toBe(3_000);
    expect(engine.cachedBytes).toBeLessThanOrEqual(bytes);
  }
});
