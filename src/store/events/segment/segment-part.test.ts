import { expect, test } from "bun:test";
import { eventAt, SegmentStore } from "../../../../test/support/engine/segment-store";
import { type Random, randomFrom, randomSeed } from "../../../../test/support/random/random";
import type { ObjectEvent } from "../../../domain/event";
import { ByteBoundedCache } from "../../../lib/cache";
import { dayMs, minuteMs } from "../../../lib/clock";
import type { Segment } from "./segment";
import { SegmentReader } from "./segment-reader";

const noonMs = Date.UTC(2026, 4, 19, 12);
const keys = ["path", "n", "rare 3", "never"];

test("the two parts of a segment have its events, whatever the moment that they are cut at", () => {
  const first = randomSeed();
  let split = 0;
  for (let round = 0; round < 20; round++) {
    const random = randomFrom(first + round);
    const store = new SegmentStore();
    try {
      store.tune({
        columnEventsMin: 1,
        waitingRowsMax: 2,
        propertyColumnsMax: random.pick([1, 256]),
      });
      store.nowMs = noonMs + dayMs;
      store.store(...Array.from({ length: random.pick([2, 20, 300]) }, () => randomEvent(random)));
      store.compact();
      for (const whole of wholeSegments(store, random)) split += compareParts(whole, store, random);
    } finally {
      store.close();
    }
  }
  expect(split).toBeGreaterThan(0);
});

/** Sometimes without the events that retention hides. */
function wholeSegments(store: SegmentStore, random: Random): Segment[] {
  const retainedFromMs = random.chance(0.3) ? noonMs - random.below(120) * minuteMs : 0;
  const segments = store.open(retainedFromMs);
  expect(segments.every(({ info }) => info.encoding === "columns")).toBe(true);
  return segments.filter(({ firstTime, lastTime }) => firstTime < lastTime);
}

/** Returns how many visits are on both sides. */
function compareParts(whole: Segment, store: SegmentStore, random: Random): number {
  const { firstTime, lastTime } = whole;
  const atMs = random.pick([
    firstTime + 1,
    lastTime,
    firstTime + 1 + random.below(lastTime - firstTime),
  ]);
  const cache = new ByteBoundedCache(random.pick([0, 1e8]));
  const reader = new SegmentReader(store.readDb, cache, store.tuning);
  const parts = (["before", "from"] as const).map((side) => reader.part(whole, { atMs, side }));
  const isBefore = ({ timeMs }: Row): boolean => timeMs < atMs;
  const all = rowsOf(whole);
  const [before, from] = parts.map(rowsOf);
  expect(rowsOf(whole)).toEqual(all);
  expect({ seed: random.seed, before, from }).toEqual({
    seed: random.seed,
    before: all.filter(isBefore),
    from: all.filter((row) => !isBefore(row)),
  });
  for (const part of parts) expectToHoldTogether(part);
  return parts[0].visitCount + parts[1].visitCount - whole.visitCount;
}

type Row = ReturnType<typeof rowsOf>[number];

/** What a count can see of each event, in order of their ids. */
function rowsOf(segment: Segment) {
  const at = (column: string, row: number): unknown =>
    segment.dictionary(column)[(segment.codes(column)?.[row] ?? 0) - 1] ?? null;
  return Array.from({ length: segment.eventCount }, (_, row) => {
    const visit = segment.visitOfRow[row];
    return {
      ticket: segment.ticketAt(row),
      timeMs: segment.timeAt(row),
      user: segment.users[visit],
      session: [segment.sessionIdAt(visit), segment.sessionIds[visit]],
      key: [segment.sessionHigh[visit], segment.sessionLow[visit]],
      visit: segment.wholeVisits()(visit),
      values: ["event.name", "event.country", ...keys.map((key) => `property.${key}`)].map(
        (column) => at(column, row),
      ),
    };
  }).sort((a, b) => a.ticket - b.ticket);
}

function expectToHoldTogether(part: Segment): void {
  const { firstRows, visitCount, eventCount, firstTime, lastTime, whole } = part;
  const times = Array.from({ length: eventCount }, (_, row) => part.timeAt(row));
  expect([Math.min(...times), Math.max(...times)]).toEqual([firstTime, lastTime]);
  expect([firstRows.length, firstRows[visitCount]]).toEqual([visitCount + 1, eventCount]);
  const starts = part.integers("visit.start");
  const durations = part.integers("visit.duration");
  for (let v = 0; v < visitCount; v++) {
    const own = times.slice(firstRows[v], firstRows[v + 1]);
    expect(firstTime + starts[v]).toBe(own[0]);
    expect(firstTime + starts[v] + durations[v]).toBe(own[own.length - 1]);
  }
  const numbers = Uint32Array.from({ length: whole.visitCount }, (_, visit) => visit);
  const wholeVisitOf = part.wholeVisits();
  const visits = Array.from({ length: visitCount }, (_, visit) => wholeVisitOf(visit));
  expect([...part.ofVisits(numbers)]).toEqual(visits);
  expect(part.ofVisits(new Uint32Array(0))).toHaveLength(0);
}

/** Many at the same moments, in sessions that go on for hours. */
function randomEvent(random: Random): ObjectEvent {
  const properties = {
    ...(random.chance(0.7) && { path: `/${random.below(5)}`, title: random.below(5) }),
    ...(random.chance(0.3) && { n: random.below(1_000) / 8 }),
    ...(random.chance(0.2) && { [`rare ${random.below(9)}`]: "x" }),
  };
  return eventAt(noonMs - random.below(120) * minuteMs, {
    name: random.pick(["page_view", "click", "$error"]),
    userId: random.chance(0.7) ? `u${random.below(9)}` : null,
    sessionId: random.chance(0.7) ? `s${random.below(20)}` : null,
    country: random.pick(["DE", "US", null]),
    properties: random.chance(0.1) ? null : properties,
  });
}
