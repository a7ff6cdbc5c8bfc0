import { expect, test } from "bun:test";
import { lineThrough } from "../src/dashboard/pages/live/line";
import {
  afterMessage,
  begunAt,
  chartMs,
  nothingSaid,
  type Past,
  spanOf,
  withPast,
} from "../src/dashboard/pages/live/messages";

const startMs = Date.UTC(2026, 0, 14, 12);
const snapshotAt = (atMs: number, value = 0) => ({
  ...{ type: "snapshot", timestamp: atMs, events_per_minute: value, recent_events: [] },
});
const past = (isForgotten: boolean): Past => ({
  points: [startMs - 30_000, startMs - 15_000, startMs].map((atMs) => ({ atMs, value: 3 })),
  isForgotten,
});
const first = afterMessage(nothingSaid, snapshotAt(startMs));

test("a line of one point is drawn as a dot, and one that is interrupted as several", () => {
  expect(lineThrough([["600.0 10.0"]])).toBe("M600.0 10.0L600.0 10.0");
  expect(lineThrough([["1 2", "3 4"], ["5 6"]])).toBe("M1 2L3 4M5 6L5 6");
  expect(lineThrough([])).toBe("");
});

test("numbers are of five minutes, unless the buffer has begun since", () => {
  expect(spanOf(first, "5 minutes")).toBe("in the last 5 minutes");
  expect(spanOf(withPast(first, past(false), startMs), "5 minutes")).toBe("in the last 5 minutes");
  const begun = withPast(first, past(true), startMs);
  const at = (ms: number) => afterMessage(begun, snapshotAt(startMs + ms));
  for (const [ms, five, one] of [
    [0, true, true],
    [59_999, true, true],
    [60_000, true, false],
    [chartMs - 1, true, false],
    [chartMs, false, false],
  ] as const) {
    const seen = [spanOf(at(ms), "5 minutes"), spanOf(at(ms), "minute")];
    expect([ms, ...seen.map((text) => text.startsWith("since "))]).toEqual([ms, five, one]);
    expect([ms, begunAt(at(ms), "5 minutes")]).toEqual([ms, five ? startMs : null]);
  }
  expect(spanOf(at(chartMs), "minute")).toBe("in the last minute");
});

test("what is stored stands before a connection, what was heard since after it", () => {
  const heard = afterMessage(first, snapshotAt(startMs + 2_000, 1));
  const told = withPast(heard, past(false), startMs);
  expect(told.points.map(({ atMs }) => atMs - startMs)).toEqual([-30_000, -15_000, 0, 2_000]);
  // The server was away: of what was heard before, the store has the whole.
  const again = afterMessage(told, snapshotAt(startMs + 40_000, 2));
  const stored = { ...past(true), points: [{ atMs: startMs + 25_000, value: 1 }] };
  const found = withPast(again, stored, startMs + 40_000);
  expect(found.points.map(({ atMs }) => atMs - startMs)).toEqual([25_000, 40_000]);
});
