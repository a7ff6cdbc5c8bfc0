import { afterAll, beforeAll, expect, test } from "bun:test";
import { clock, dayMs } from "../../src/lib/clock";
import { ClickHouse } from "../../src/store/clickhouse/client";
import { openClickHouseStore } from "../../src/store/clickhouse/store";
import { removeUnseen } from "../../src/store/clickhouse/writer/sweep";
import { numbers, projectId } from "../support/engine/event-store";
import { onFatal, placeAt } from "./place";
import { startClickHouse, type TestClickHouse } from "./server-process";
import { storedNumbers, upTo } from "./stored-numbers";

let clickhouse: TestClickHouse;
beforeAll(async () => {
  clickhouse = await startClickHouse();
});
afterAll(() => clickhouse.close());

test("a retained_from that lies ahead hides, deletes nothing, and can be set back", async () => {
  const options = { ...placeAt(clickhouse.url, "ahead"), onFatal };
  let store = await openClickHouseStore(options);
  expect(store.knownTime()).toEqual({ newestCommitMs: null, retainedFromMs: 0 });
  const startedMs = clock.nowMs();
  await store.append([numbers(0, 10)]);
  const aheadMs = startedMs + 35 * dayMs;
  await store.forget(projectId, aheadMs);
  expect(await storedNumbers(store)).toEqual([]);
  await store.append([numbers(10, 5)]);
  await store.close();

  store = await openClickHouseStore(options);
  const { newestCommitMs, retainedFromMs } = store.knownTime();
  expect(retainedFromMs).toBe(aheadMs);
  expect(Math.abs((newestCommitMs ?? 0) - clock.nowMs())).toBeLessThan(dayMs);
  const projects = new Map([[projectId, { number: 1, retainedFromMs: aheadMs }]]);
  const nothing = { linked: new Set<number>(), versions: new Map(), lastTicket: 0, lastCommit: 0 };
  await removeUnseen(new ClickHouse(options), { projects, ...nothing });
  await store.showAgain(clock.nowMs(), 0);
  expect(await storedNumbers(store)).toEqual(upTo(15));
  expect(store.knownTime().retainedFromMs).toBe(0);
  await store.close();
});
