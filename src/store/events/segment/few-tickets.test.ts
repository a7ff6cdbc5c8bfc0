import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eventAt, SegmentStore, startMs } from "../../../../test/support/engine/segment-store";
import { cases } from "../../../../test/support/random/cases";
import { type Random, randomFrom, randomSeed } from "../../../../test/support/random/random";
import { dayMs, hourMs, minuteMs } from "../../../lib/clock";
import { rowsById } from "./rows-by-id";
import type { Segment } from "./segment";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
  store.tune({ columnEventsMin: 1, waitingRowsMax: 1 });
});
afterEach(() => store.close());

const ticketColumns = (): string[] =>
  (store.db.query("select distinct name from segment_column order by name").values() as [string][])
    .map(([name]) => name)
    .filter((name) => name.startsWith("ticket_"));

/** Stores 80 events of some day, of which `count` have `n`. */
function given(count: number, n: unknown, dayStartMs = store.nowMs): void {
  const events = Array.from({ length: 80 }, (_, at) =>
    eventAt(dayStartMs - at * minuteMs, { properties: at < count ? { n } : { other: at } }),
  );
  store.store(...events);
  store.nowMs += dayMs;
  store.compact();
}

describe("tickets are stored", () => {
  const stored = ["ticket_counter.property.n", "ticket_time.property.n"];
  test.each([
    [1, 0.5],
    [10, 0.5],
    [10, -1e-7],
  ])("where %d of 80 events have %p", (count, n) => {
    given(count, n);
    expect(ticketColumns()).toEqual(stored);
  });
  test.each([
    // More than an eighth.
    [11, 0.5],
    // Sums of these need no order.
    ...[2, 1e21, "0.5", true, null, [0.5], { a: 0.5 }].map((n) => [10, n] as const),
  ])("and nothing more where %d of 80 have %p", (count, n) => {
    given(count, n);
    expect(ticketColumns()).toEqual([]);
  });
  test("with their rest where they were given long after the event, or before it", () => {
    given(1, 0.5);
    expect(ticketColumns()).toEqual(stored);
    given(2, 0.25, store.nowMs + 2 * hourMs);
    expect(ticketColumns()).toEqual(stored);
    store.nowMs += 30 * dayMs;
    given(3, 0.75, startMs);
    expect(ticketColumns()).toEqual([...stored, "ticket_time_high.property.n"]);
    const all = expectById(store.open()).flat();
    expect(all.sort((a, b) => a - b)).toEqual([...new Set(all)]);
    expect(all.length).toBe(6);
  });
});

test("rows with a property are in order of ids, with stored tickets and without, all of them and some", () => {
  const first = randomSeed();
  let stored = 0;
  for (let round = 0; round < cases(10, 100); round++) {
    const random = randomFrom(first + round);
    fill(random);
    const segments = store.open(random.chance(0.3) ? store.nowMs - 2 * dayMs : 0);
    stored += ticketColumns().length;
    const found = expectById(segments);
    const some = expectById(segments, (row) => (row + round) % 3 !== 0);
    // Older versions left the file like this.
    store.db.run("delete from segment_column where name like 'ticket_%'");
    expect([random.seed, ...expectById(segments)]).toEqual([random.seed, ...found]);
    expect(expectById(segments, (row) => (row + round) % 3 !== 0)).toEqual(some);
    store.close();
    store = new SegmentStore();
    store.tune({ columnEventsMin: 1, waitingRowsMax: 1 });
  }
  expect(stored).toBeGreaterThan(0);
});

/** Makes some commits of events of the last days, of which few have a fraction. */
function fill(random: Random): void {
  for (let commit = 0; commit < 4; commit++) {
    store.nowMs += random.below(3) * hourMs;
    const events = Array.from({ length: 1 + random.below(120) }, () =>
      eventAt(store.nowMs - random.below(3 * dayMs), {
        userId: random.pick([null, "a", "b"]),
        sessionId: random.pick([null, "s", "t"]),
        properties: random.chance(0.08)
          ? { n: random.pick([random.below(999) / 100, 7, "x"]) }
          : null,
      }),
    );
    store.store(...events);
    if (random.chance(0.5)) store.compact();
  }
  store.nowMs += 2 * dayMs;
  store.compact();
}

/** Returns the tickets of each. */
function expectById(
  segments: readonly Segment[],
  isWanted: (row: number) => boolean = () => true,
): number[][] {
  return segments.map((segment) => {
    const codes = segment.codes("property.n") ?? [];
    const having = Uint32Array.from(
      [...codes.keys()].filter((row) => codes[row] !== 0 && isWanted(row)),
    );
    const { rows, tickets } = rowsById(segment, "property.n", having);
    expect([...tickets]).toEqual([...tickets].sort((a, b) => a - b));
    expect([...tickets]).toEqual(Array.from(rows, (row) => segment.ticketAt(row)));
    expect([...rows].sort((a, b) => a - b)).toEqual([...having]);
    return [...tickets];
  });
}
