import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startInThread } from "../../../../test/support/engine/in-thread";
import { clock, dayMs } from "../../../lib/clock";
import type { EventStore } from "../../port";
import { openEventStore } from "../store";

const noonMs = Date.UTC(2026, 0, 14, 12);
let dataDir = "";
let store: EventStore;
let restoreClock: () => void;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sightline-received-"));
  restoreClock = clock.replace(() => noonMs);
  const onFatal = (why: string) => {
    throw new Error(why);
  };
  const options = { dataDir, durability: "normal", cacheBytes: 0, onFatal } as const;
  store = await openEventStore({ ...options, clockOffsetMs: 0 }, startInThread);
});
afterEach(async () => {
  await store.close();
  restoreClock();
  rmSync(dataDir, { recursive: true, force: true });
});

const append = (projectId: string, receivedAtMs: number, events: number) => {
  const event = {
    name: "a",
    timeMs: receivedAtMs - 3 * dayMs,
    userId: null,
    sessionId: null,
    country: null,
    properties: null,
    eventId: null,
  };
  const repeated = Array.from({ length: events }, () => event);
  return store.append([{ kind: "events", projectId, receivedAtMs, events: repeated }]);
};
const received = async (fromDate: string, toDate: string) =>
  Object.fromEntries(await store.receivedEvents(fromDate, toDate));

test("events are counted by project and the date of their receipt, both ends included", async () => {
  expect(await received("2026-01-01", "2026-01-31")).toEqual({});
  await append("proj_a", noonMs - dayMs, 1);
  await append("proj_a", noonMs, 2);
  await append("proj_b", noonMs - dayMs, 2);
  expect(await received("2026-01-01", "2026-01-14")).toEqual({ proj_a: 3, proj_b: 2 });
  expect(await received("2026-01-14", "2026-01-14")).toEqual({ proj_a: 2 });
  expect(await received("2026-01-13", "2026-01-13")).toEqual({ proj_a: 1, proj_b: 2 });
  expect(await received("2026-01-01", "2026-01-12")).toEqual({});
});

test("what retention hides was received all the same", async () => {
  await append("proj_a", noonMs, 2);
  await store.forget("proj_a", noonMs + dayMs);
  expect(await received("2026-01-01", "2026-01-31")).toEqual({ proj_a: 2 });
});
