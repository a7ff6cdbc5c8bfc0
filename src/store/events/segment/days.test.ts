import { afterEach, beforeEach, expect, test } from "bun:test";
import { eventAt, SegmentStore, startMs } from "../../../../test/support/engine/segment-store";
import { randomFrom, randomSeed } from "../../../../test/support/random/random";
import { dayOf } from "../../../domain/event";
import { dayMs } from "../../../lib/clock";
import type { Segment } from "./segment";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
});
afterEach(() => store.close());

function countedIn(segment: Segment): number[] {
  const first = dayOf(segment.firstTime);
  const counts: number[] = new Array(dayOf(segment.lastTime) - first + 1).fill(0);
  for (let row = 0; row < segment.eventCount; row++) counts[dayOf(segment.timeAt(row)) - first]++;
  return counts;
}
const isStored = (segment: Segment): boolean => segment.storedNames().includes("counts.days");

test("events per day are stored where a segment has several days, and are those of the times", () => {
  const seed = randomSeed();
  const random = randomFrom(seed);
  store.tune({ columnEventsMin: 100, waitingRowsMax: 2 });
  const days = Array.from({ length: 12 }, () => startMs - random.below(15) * dayMs);
  const spread = Array.from({ length: 300 }, () =>
    eventAt(random.pick(days) - random.below(dayMs / 2), { sessionId: `s${random.below(30)}` }),
  );
  store.store(...spread.slice(0, 150));
  const rows = store.open();
  for (const segment of rows) expect([...segment.eventsPerDay]).toEqual(countedIn(segment));
  store.store(...spread.slice(150));
  store.compact();
  const segments = store.open();
  for (const segment of segments) {
    const { firstTime, lastTime } = segment;
    const isOfColumns = segment.info.encoding === "columns";
    if (isOfColumns) expect(isStored(segment)).toBe(dayOf(firstTime) < dayOf(lastTime));
    expect({ seed, counts: [...segment.eventsPerDay] }).toEqual({
      seed,
      counts: countedIn(segment),
    });
  }
  expect(segments.some(({ info }) => info.encoding === "columns")).toBe(true);
  expect(segments.some(isStored)).toBe(true);
  const retainedFromMs = startMs - 7 * dayMs;
  for (const segment of store.open(retainedFromMs)) {
    expect([...segment.eventsPerDay]).toEqual(countedIn(segment));
  }
});
