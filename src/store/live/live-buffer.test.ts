import { describe, expect, test } from "bun:test";
import type { StoredEvent, StoredEvents } from "../port";
import { LiveBuffer, liveEventsMax, liveKeptMs } from "./live-buffer";

const nowMs = 1_000_000_000;
const id = (number: number): string => String(number).padStart(8, "0");
const eventOf = (number: number, timeMs = nowMs): StoredEvent => ({
  ...{ id: id(number), timeMs, name: '"step"', userId: "null", sessionId: "null" },
  ...{ country: "null", properties: "null", property: () => null },
});

/** Events with consecutive numbers, of one request. */
function request(
  from: number,
  count: number,
  {
    projectId = "a",
    receivedAtMs = nowMs,
    lastTimeMs = nowMs,
    bytes = count,
  }: Partial<StoredEvents> = {},
): StoredEvents {
  const events = Array.from({ length: count }, (_, at) =>
    eventOf(from + at, lastTimeMs - (count - 1 - at)),
  );
  const lastId = id(from + count - 1);
  return { projectId, receivedAtMs, lastTimeMs, count, bytes, lastId, read: () => events };
}
const numbers = (events: readonly StoredEvent[]): number[] => events.map((event) => +event.id);
const range = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => from + at);
const all = (buffer: LiveBuffer, projectId = "a"): number[] =>
  numbers(buffer.receivedAfter(projectId, 0, liveEventsMax));

describe("the buffer of a project", () => {
  test("holds 10,000 events, the oldest dropped first, also from the midst of a request", () => {
    const buffer = new LiveBuffer(1e9);
    for (let from = 0; from < liveEventsMax; from += 100) buffer.add(request(from, 100), nowMs);
    expect(all(buffer)).toEqual(range(0, liveEventsMax));
    buffer.add(request(liveEventsMax, 1), nowMs);
    expect(all(buffer)).toEqual(range(1, liveEventsMax));
    buffer.add(request(liveEventsMax + 1, 99), nowMs);
    expect(all(buffer)).toEqual(range(100, liveEventsMax));
    expect(buffer.bytes).toBe(liveEventsMax);
    for (let from = 20_000; from < 45_000; from += 100) buffer.add(request(from, 100), nowMs);
    expect(all(buffer)).toEqual(range(35_000, liveEventsMax));
  });

  test("holds the last 5 minutes by time of receipt", () => {
    const buffer = new LiveBuffer(1e9);
    buffer.add(request(1, 1, { receivedAtMs: nowMs }), nowMs);
    buffer.add(request(2, 1, { receivedAtMs: nowMs + 1 }), nowMs + liveKeptMs - 1);
    expect(all(buffer)).toEqual([1, 2]);
    buffer.add(request(3, 1, { receivedAtMs: nowMs + liveKeptMs }), nowMs + liveKeptMs);
    expect(all(buffer)).toEqual([2, 3]);
    expect(numbers(buffer.receivedAfter("a", nowMs + 1, liveEventsMax))).toEqual([3]);
  });

  test("tells events by their own time, of what was received in the last 5 minutes", () => {
    const buffer = new LiveBuffer(1e9);
    const dated = (fromMs: number, atMs = nowMs) => numbers(buffer.datedFrom("a", fromMs, atMs));
    buffer.add(request(1, 3, { lastTimeMs: nowMs - 10 }), nowMs);
    buffer.add(request(4, 2, { lastTimeMs: nowMs + 1 }), nowMs);
    buffer.add(request(6, 1, { lastTimeMs: nowMs - 11, receivedAtMs: nowMs + 1 }), nowMs + 1);
    expect(dated(0)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(dated(nowMs - 11)).toEqual([2, 3, 4, 5, 6]);
    expect(dated(nowMs - 10)).toEqual([3, 4, 5]);
    expect(dated(nowMs + 2)).toEqual([]);
    expect(dated(0, nowMs + liveKeptMs - 1)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(dated(0, nowMs + liveKeptMs)).toEqual([6]);
    expect(numbers(buffer.datedFrom("b", 0, nowMs))).toEqual([]);
  });

  test("tells the newest received, also of the request that is partly beyond the bound", () => {
    const buffer = new LiveBuffer(1e9);
    for (let from = 0; from <= liveEventsMax; from += 100) buffer.add(request(from, 100), nowMs);
    buffer.add(request(20_000, 4), nowMs);
    const newest = (count: number) => numbers(buffer.receivedAfter("a", 0, count));
    expect(newest(3)).toEqual([20_001, 20_002, 20_003]);
    expect(newest(6)).toEqual([10_098, 10_099, 20_000, 20_001, 20_002, 20_003]);
    expect(newest(liveEventsMax)).toEqual(all(buffer));
    expect(numbers(buffer.datedFrom("a", 0, nowMs))).toEqual(all(buffer));
    expect(all(buffer)).toHaveLength(liveEventsMax);
  });

  test("continues after an id that it holds, and only then", () => {
    const buffer = new LiveBuffer(1e9);
    buffer.add(request(10, 3), nowMs);
    buffer.add(request(20, 1), nowMs);
    buffer.add(request(30, 2), nowMs);
    const after = (number: number, atMs = nowMs) =>
      numbers(buffer.storedAfter("a", id(number), atMs));
    expect(after(10)).toEqual([11, 12, 20, 30, 31]);
    expect(after(12)).toEqual([20, 30, 31]);
    expect(after(20)).toEqual([30, 31]);
    expect(after(31)).toEqual([]);
    expect([after(9), after(13), after(25), after(99)]).toEqual([[], [], [], []]);
    expect(numbers(buffer.storedAfter("a", "no id", nowMs))).toEqual([]);
    expect(numbers(buffer.storedAfter("b", id(10), nowMs))).toEqual([]);
    expect(after(10, nowMs + liveKeptMs - 1)).toEqual([11, 12, 20, 30, 31]);
    expect(after(10, nowMs + liveKeptMs)).toEqual([]);
  });

  test("does not continue after an id that it has just lost", () => {
    const buffer = new LiveBuffer(1e9);
    for (let from = 0; from <= liveEventsMax; from += 100) buffer.add(request(from, 100), nowMs);
    buffer.add(request(liveEventsMax + 100, 1), nowMs);
    const first = all(buffer)[0] ?? 0;
    expect(first % 100).toBe(1);
    expect(numbers(buffer.storedAfter("a", id(first - 1), nowMs))).toEqual([]);
    expect(numbers(buffer.storedAfter("a", id(first), nowMs))).toEqual(all(buffer).slice(1));
  });
});

describe("over all projects", () => {
  test("the bytes are bounded: those that were idle the longest lose theirs first", () => {
    const buffer = new LiveBuffer(100);
    for (const [at, projectId] of ["a", "b", "c"].entries()) {
      buffer.add(request(at, 1, { projectId, bytes: 30 }), nowMs + at);
    }
    buffer.add(request(10, 1, { projectId: "a", bytes: 30 }), nowMs + 3);
    expect([all(buffer, "a"), all(buffer, "b"), all(buffer, "c")]).toEqual([[0, 10], [], [2]]);
    expect(buffer.bytes).toBe(90);
    buffer.add(request(11, 1, { projectId: "d", bytes: 40 }), nowMs + 4);
    expect([all(buffer, "a"), all(buffer, "c"), all(buffer, "d")]).toEqual([[0, 10], [], [11]]);
  });

  test("a project that is alone within the bound keeps its newest", () => {
    const buffer = new LiveBuffer(100);
    for (let at = 0; at < 20; at++) buffer.add(request(at, 1, { bytes: 30 }), nowMs);
    expect(all(buffer)).toEqual([17, 18, 19]);
    buffer.add(request(20, 1, { bytes: 500 }), nowMs);
    expect(all(buffer)).toEqual([20]);
    buffer.add(request(21, 1, { projectId: "b", bytes: 10 }), nowMs);
    expect([all(buffer, "a"), all(buffer, "b"), buffer.bytes]).toEqual([[], [21], 10]);
  });

  test("what nobody sends to any more is forgotten, and what is dropped is gone", () => {
    const buffer = new LiveBuffer(1e9);
    buffer.add(request(1, 1, { projectId: "a" }), nowMs);
    buffer.add(
      request(2, 1, { projectId: "b", receivedAtMs: nowMs + liveKeptMs }),
      nowMs + liveKeptMs,
    );
    expect([buffer.has("a"), buffer.has("b"), buffer.bytes]).toEqual([false, true, 1]);
    buffer.drop("b");
    expect([buffer.has("b"), buffer.bytes]).toEqual([false, 0]);
  });
});
