import { expect, test } from "bun:test";
import { eventAt, SegmentStore } from "../../../../test/support/engine/segment-store";
import { type Random, randomFrom, randomSeed } from "../../../../test/support/random/random";
import { ByteBoundedCache } from "../../../lib/cache";
import { dayMs, hourMs, minuteMs } from "../../../lib/clock";
import type { Segment } from "../segment/segment";
import { SegmentReader } from "../segment/segment-reader";
import { rowsWithin } from "./range";

const noonMs = Date.UTC(2026, 4, 19, 12);

test("the rows of a window are those of its events, with and without the cache", () => {
  const first = randomSeed();
  const seen = { cut: 0, cached: 0 };
  for (let round = 0; round < 20; round++) {
    const random = randomFrom(first + round);
    const store = new SegmentStore();
    try {
      store.tune({ columnEventsMin: 1, waitingRowsMax: 2 });
      store.nowMs = noonMs + 2 * dayMs;
      const spanMs = random.pick([2 * hourMs, 2 * hourMs, 3 * dayMs]);
      const events = Array.from({ length: random.pick([2, 20, 300]) }, () =>
        eventAt(noonMs - random.below(spanMs / minuteMs) * minuteMs, {
          sessionId: random.chance(0.7) ? `s${random.below(20)}` : null,
        }),
      );
      store.store(...events);
      if (random.chance(0.8)) store.compact();
      for (const segment of opened(store, random)) {
        for (let turn = 0; turn < 5; turn++) expectRows(segment, random, seen);
      }
    } finally {
      store.close();
    }
  }
  expect(seen.cut).toBeGreaterThan(0);
  expect(seen.cached).toBeGreaterThan(0);
});

test("a segment that a midnight cuts within a visit marks its rows once", () => {
  const store = new SegmentStore();
  try {
    store.tune({ columnEventsMin: 1, waitingRowsMax: 2 });
    const times = [noonMs - hourMs, noonMs, noonMs + hourMs];
    store.store(...times.map((timeMs) => eventAt(timeMs, { sessionId: "s" })));
    store.compact();
    const [segment] = store.open();
    const { test: inWindow } = rowsWithin(segment, { fromMs: noonMs, toMs: noonMs + dayMs });
    // Walks read the codes again for each visit.
    const { codes, verdicts } = inWindow;
    expect(Array.from(codes, (code) => verdicts[code])).toEqual([0, 1, 1]);
    expect(inWindow.codes).toBe(codes);
  } finally {
    store.close();
  }
});

/** In some cases retention hides events. */
function opened(store: SegmentStore, random: Random): Segment[] {
  const retainedFromMs = random.chance(0.3) ? noonMs - random.below(120) * minuteMs : 0;
  const reader = new SegmentReader(store.readDb, new ByteBoundedCache(1e8), store.tuning);
  return store.open().flatMap(({ id, lastTime }) => {
    return lastTime < retainedFromMs ? [] : [reader.open(id, () => retainedFromMs)];
  });
}

function expectRows(segment: Segment, random: Random, seen: { cut: number; cached: number }): void {
  const { firstTime, lastTime, eventCount } = segment;
  const moment = () => {
    const ms = firstTime - minuteMs + random.below(lastTime - firstTime + 2 * minuteMs);
    return random.chance(0.5) ? ms : ms - (ms % (15 * minuteMs));
  };
  const [a, b] = [moment(), moment()];
  const window = random.pick([
    { fromMs: Math.min(a, b), toMs: Math.max(a, b) },
    { fromMs: a, toMs: Number.POSITIVE_INFINITY },
    { fromMs: 0, toMs: a },
  ]);
  const expected = Array.from({ length: eventCount }, (_, row) => row).filter((row) => {
    const timeMs = segment.timeAt(row);
    return timeMs >= window.fromMs && timeMs < window.toMs;
  });
  for (let turn = 0; turn < 2; turn++) {
    const selection = rowsWithin(segment, window);
    const found = { rows: marked(selection.rows), visits: marked(selection.visits) };
    const visits = [...new Set(expected.map((row) => segment.visitOfRow[row]))];
    expect({ ...window, ...found }).toEqual({ ...window, rows: expected, visits });
    expect(selection.count).toBe(expected.length);
    if (!selection.isAll && !selection.isNone) seen.cut++;
    if (selection.name?.startsWith("from ") !== true) continue;
    seen.cached++;
    const cuts = [window.fromMs, window.toMs].filter((ms) => ms > firstTime && ms <= lastTime);
    expect(cuts.filter((ms) => ms % (15 * minuteMs) !== 0)).toEqual([]);
  }
}

const marked = (marks: Uint8Array): number[] =>
  Array.from(marks.keys()).filter((place) => marks[place] === 1);
