import { afterEach, beforeEach, expect, test } from "bun:test";
import { ApiError } from "../domain/errors";
import { replaceLogWriter } from "../lib/log";
import type { AutomatedEntry } from "../store/port";
import { AutomatedCounts } from "./automated-counts";

const nowMs = Date.parse("2026-03-10T23:59:59.000Z");
/** Instead of a second: what is not written after ten times of it is not going to be. */
const flushMs = 10;
const curl = { category: "automation_script", actor: "curl" } as const;
const generic = (actor: string) => ({ category: "generic_bot", actor }) as const;

/** Collects the counts that are appended, and says whether there is room for more. */
function ledger() {
  const written: AutomatedEntry[] = [];
  const state = { written, commits: 0, isFull: false };
  const append = async (counts: readonly AutomatedEntry[]): Promise<void> => {
    if (state.isFull) throw new ApiError("UNAVAILABLE", "The queue is full.");
    state.commits++;
    written.push(...counts);
  };
  return { state, counts: new AutomatedCounts(append, flushMs) };
}

let restoreLog: () => void;
beforeEach(() => {
  restoreLog = replaceLogWriter(() => undefined);
});
afterEach(() => restoreLog());

test("requests of one actor and day become one entry, whose date is that of the request", async () => {
  const { state, counts } = ledger();
  counts.add("proj_a", curl, 1, nowMs);
  counts.add("proj_a", curl, 20, nowMs + 999);
  counts.add("proj_a", curl, 1, nowMs + 1000);
  counts.add("proj_b", curl, 1, nowMs - 5);
  await counts.flush();
  const entry = { kind: "automated", projectId: "proj_a", ...curl } as const;
  expect(state.written).toEqual([
    { ...entry, date: "2026-03-10", requests: 2, droppedEvents: 21, lastSeenAtMs: nowMs + 999 },
    { ...entry, date: "2026-03-11", requests: 1, droppedEvents: 1, lastSeenAtMs: nowMs + 1000 },
    {
      ...entry,
      projectId: "proj_b",
      date: "2026-03-10",
      requests: 1,
      droppedEvents: 1,
      lastSeenAtMs: nowMs - 5,
    },
  ]);
});

test("they are written soon, without being asked", async () => {
  const { state, counts } = ledger();
  counts.add("proj_a", curl, 1, nowMs);
  while (state.commits === 0) await Bun.sleep(1);
  expect(state.commits).toBe(1);
});

test("nothing gathered, nothing written", async () => {
  const { state, counts } = ledger();
  await counts.flush();
  expect(state.commits).toBe(0);
});

test("what the store refuses is kept and added to", async () => {
  const { state, counts } = ledger();
  state.isFull = true;
  counts.add("proj_a", curl, 3, nowMs);
  const flushed = counts.flush();
  counts.add("proj_a", curl, 4, nowMs - 10);
  await flushed;
  state.isFull = false;
  await counts.flush();
  expect(state.written).toMatchObject([{ requests: 2, droppedEvents: 7, lastSeenAtMs: nowMs }]);
});

test("at the end everything is written at once, and a refusal is not tried again", async () => {
  const { state, counts } = ledger();
  counts.add("proj_a", curl, 1, nowMs);
  await counts.close();
  expect(state.written).toHaveLength(1);
  state.isFull = true;
  counts.add("proj_a", curl, 1, nowMs);
  await counts.close();
  state.isFull = false;
  await Bun.sleep(10 * flushMs);
  expect(state.written).toHaveLength(1);
});

test("a project has at most 200 generic actors a day; the rest are Other", async () => {
  const { state, counts } = ledger();
  for (let n = 0; n < 500; n++) counts.add("proj_a", generic(`Bot${n}`), 1, nowMs);
  for (let n = 0; n < 3; n++) counts.add("proj_a", generic("Bot7"), 1, nowMs);
  counts.add("proj_b", generic("Bot300"), 1, nowMs);
  counts.add("proj_a", generic("Bot300"), 1, nowMs + 2000);
  await counts.flush();
  const written = state.written;
  const today = written.filter((one) => one.projectId === "proj_a" && one.date === "2026-03-10");
  expect(today).toHaveLength(201);
  expect(today.find((one) => one.actor === "Bot7")).toMatchObject({ requests: 4 });
  expect(today.find((one) => one.actor === "Other")).toMatchObject({ requests: 300 });
  expect(written.filter((one) => one.actor === "Bot300")).toHaveLength(2);
});

test("a store that never takes anything does not let the counts grow", async () => {
  const { state, counts } = ledger();
  state.isFull = true;
  for (let round = 0; round < 10; round++) {
    for (let n = 0; n < 300; n++) counts.add("proj_a", generic(`Bot${round}-${n}`), 1, nowMs);
    await counts.flush();
  }
  state.isFull = false;
  await counts.flush();
  expect(state.written).toHaveLength(201);
  const requests = state.written.reduce((sum, one) => sum + one.requests, 0);
  expect(requests).toBe(3000);
});
