import { expect, test } from "bun:test";
import {
  eventAt,
  expectColumns,
  expected,
  project,
  SegmentStore,
} from "../../../../test/support/engine/segment-store";
import { cases } from "../../../../test/support/random/cases";
import { type Random, randomFrom, randomSeed } from "../../../../test/support/random/random";
import type { ObjectEvent } from "../../../domain/event";
import { ByteBoundedCache } from "../../../lib/cache";
import { dayMs, hourMs, minuteMs } from "../../../lib/clock";
import type { Segment } from "./segment";
import { SegmentReader } from "./segment-reader";

test("agrees with a list through random commits, merges, clips and restarts", () => {
  const first = randomSeed();
  for (let round = 0; round < cases(6, 25); round++) {
    const store = new SegmentStore();
    try {
      compareWithList(store, randomFrom(first + round));
    } finally {
      store.close();
    }
  }
});

function compareWithList(store: SegmentStore, random: Random): void {
  const columnEventsMin = random.pick([1, 5, 40, 512]);
  store.tune({
    columnEventsMin,
    propertyColumnsMax: random.pick([1, 3, 256]),
    waitingRowsMax: random.pick([10, 100, 2_048]) + columnEventsMin,
    mergeFanIn: random.pick([2, 3, 8]),
    mergeEventsMax: random.pick([60, 300, 262_144]),
    mergeBytesMax: random.pick([4_000, 64 * 1024 * 1024]),
  });
  const list: ObjectEvent[] = [];
  const total = random.pick([5, 100, 700]);
  while (list.length < total) {
    store.nowMs += random.below(hourMs);
    const events = Array.from({ length: 1 + random.below(random.pick([1, 10, 120])) }, () =>
      randomEvent(store.nowMs, random),
    );
    store.store(...events);
    list.push(...events);
    if (random.chance(0.3)) store.compact();
    if (random.chance(0.05)) store.writer.forget(project, store.nowMs - random.below(35 * dayMs));
    if (random.chance(0.1)) store.restart();
  }
  store.compact();
  const { ms } = store.readDb.query("select max(retained_from_ms) as ms from project").get() as {
    ms: number;
  };
  const retainedFromMs = Math.max(
    ms,
    random.chance(0.3) ? store.nowMs - random.below(30 * dayMs) : 0,
  );
  const kept = list.filter(({ timeMs }) => timeMs >= retainedFromMs);
  const segments = store.open(retainedFromMs);
  expect({ seed: random.seed, events: store.eventsIn(segments) }).toEqual({
    seed: random.seed,
    events: kept.map(expected),
  });
  expectColumns(segments, kept, ["path", "n", "", "key 3", "__proto__", "never"]);
  for (const segment of segments) expectSegmentToHoldTogether(segment, store);
}

/** Checks the invariants that reads need: bounds, the order of visits and rows, sums by visit. */
function expectSegmentToHoldTogether(segment: Segment, store: SegmentStore): void {
  const { firstRows, times, firstTime, lastTime, sessionHigh, sessionLow, users } = segment;
  expect(Math.min(...times)).toBe(0);
  expect(Math.max(...times)).toBe(lastTime - firstTime);
  expect(firstRows[segment.visitCount]).toBe(segment.eventCount);
  const reader = new SegmentReader(store.readDb, new ByteBoundedCache(0));
  for (let v = 0; v < segment.visitCount; v++) {
    const id = segment.sessionIds[v];
    const key = id === null ? [0, 0] : reader.sessionKeyOf(id);
    expect([sessionHigh[v], sessionLow[v]]).toEqual([...key]);
    for (let row = firstRows[v] + 1; row < firstRows[v + 1]; row++) {
      const order =
        times[row] - times[row - 1] || segment.ticketAt(row) - segment.ticketAt(row - 1);
      expect(order).toBeGreaterThan(0);
    }
    if (v === 0) continue;
    const order =
      sessionHigh[v] - sessionHigh[v - 1] ||
      sessionLow[v] - sessionLow[v - 1] ||
      users[v] - users[v - 1];
    expect(order).toBeGreaterThan(0);
  }
}

function randomEvent(nowMs: number, random: Random): ObjectEvent {
  const lateMs = random.chance(0.5) ? random.below(minuteMs) : random.below(30 * dayMs);
  const timeMs = nowMs - (random.chance(0.3) ? Math.floor(lateMs / minuteMs) * minuteMs : lateMs);
  return eventAt(timeMs, {
    name: random.pick(["page_view", "click", "$error", "😀", 'a"b', "a\0b"]),
    userId: random.chance(0.7) ? random.pick(["u", "ü", "a\0"]) + random.below(9) : null,
    sessionId: random.chance(0.7) ? `s${random.below(20)}` : null,
    country: random.pick(["DE", "US", null]),
    properties: random.chance(0.1) ? null : randomProperties(random),
  });
}

function randomProperties(random: Random): Record<string, unknown> {
  const value = (): unknown =>
    random.pick<() => unknown>([
      () => random.below(9),
      () => random.below(1_000) / 8,
      () => String(random.below(9)),
      () => random.chance(0.5),
      () => null,
      () => ({ b: random.below(3), a: [1, { "ü\0": "\ud800" }] }),
      () => [random.below(3), '"},'],
      () => "",
      () => "\\",
    ])();
  const entries: [string, unknown][] = [];
  if (random.chance(0.7)) entries.push(["path", `/${random.below(5)}`]);
  for (let n = random.below(4); n > 0; n--)
    entries.push([random.pick(["n", "10", "2", "ключ", ""]), value()]);
  if (random.chance(0.2)) entries.push([`key ${random.below(400)}`, value()]);
  if (random.chance(0.05)) entries.push(["__proto__", value()]);
  return Object.fromEntries(entries);
}
