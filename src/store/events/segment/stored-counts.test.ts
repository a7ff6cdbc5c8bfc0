import { afterEach, beforeEach, expect, test } from "bun:test";
import { eventAt, SegmentStore, startMs } from "../../../../test/support/engine/segment-store";
import { type Random, randomFrom, randomSeed } from "../../../../test/support/random/random";
import type { ObjectEvent } from "../../../domain/event";
import { dayMs } from "../../../lib/clock";
import { countsOfColumn } from "../aggregate/counts";
import { Selection } from "../scan/selection";
import type { Segment } from "./segment";
import { maskedValuesMax, storedCounts, storedMasks } from "./stored-counts";
import { textReader } from "./text-reader";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
});
afterEach(() => store.close());

const columns = ["event.name", "event.country", "property.path", "property.url", "property.rare"];

function randomEvent({ below, chance, pick }: Random, names: number): ObjectEvent {
  const path = `/${below(5)}`;
  return eventAt(startMs - below(3_600_000), {
    name: `event ${below(names)}`,
    sessionId: `s${below(20)}`,
    country: pick([null, "DE", "FR"]),
    properties: {
      ...(chance(0.8) && { path, url: `https://example.com${path}` }),
      ...(chance(0.05) && { rare: pick<unknown>([1, null, "", "text"]) }),
    },
  });
}

/** Counts the values in the rows of a segment one by one. */
function countedIn(segment: Segment, column: string): number[] {
  const counts: number[] = new Array(segment.dictionary(column).length + 1).fill(0);
  const codes = segment.codes(column);
  for (let row = 0; row < segment.eventCount; row++) counts[codes?.[row] ?? 0]++;
  return counts;
}
function maskedIn(segment: Segment, column: string): number[] {
  const masks: number[] = new Array(segment.visitCount).fill(0);
  const codes = segment.codes(column)!;
  for (let row = 0; row < segment.eventCount; row++) {
    masks[segment.visitOfRow[row]] |= 1 << codes[row];
  }
  return masks;
}

function storeColumns(random: Random, events: number, names: number, countedEventsMin: number) {
  store.tune({ columnEventsMin: 1, waitingRowsMax: 2, countedEventsMin });
  store.store(...Array.from({ length: events }, () => randomEvent(random, names)));
  store.compact();
}

test("stored counts and masks are those of the rows", () => {
  const seed = randomSeed();
  const random = randomFrom(seed);
  storeColumns(random, 300, 6, 1);
  const [segment] = store.open();
  for (const column of columns) {
    const counts = countedIn(segment, column);
    expect({ seed, counts: [...(storedCounts(segment, column) ?? [])] }).toEqual({ seed, counts });
    expect(Array.from(countsOfColumn(Selection.all(segment), column))).toEqual(counts);
    const { length, textAt } = textReader(segment, column, true);
    const values = segment.dictionary(column);
    const texts = values.map((value) => (value === null ? null : String(value)));
    expect(Array.from({ length }, (_, index) => textAt(index))).toEqual(texts);
    expect(Array.from(texts, (_, index) => segment.texts(column).text(index))).toEqual(texts);
  }
  const masks = maskedIn(segment, "event.name");
  expect([...(storedMasks(segment, "event.name") ?? [])]).toEqual(masks);
  expect(storedMasks(segment, "event.country")).toBeNull();
});

test("a segment of few events stores no counts, nor does a column with nearly as many values as events", () => {
  const random = randomFrom(1);
  storeColumns(random, 40, 3, 41);
  const [small] = store.open();
  expect(storedCounts(small, "event.name")).toBeNull();
  expect(storedMasks(small, "event.name")).toBeNull();
  store.tune({ countedEventsMin: 1 });
  const names = [...Array.from({ length: 9 }, (_, place) => `n${place}`), "n0"];
  store.store(...names.map((name) => eventAt(startMs - 2 * dayMs, { name })));
  store.compact();
  const few = store.open().find(({ eventCount }) => eventCount === names.length)!;
  expect(few.dictionary("event.name").length).toBe(9);
  expect(storedCounts(few, "event.name")).toBeNull();
});

test("names beyond the bits of a word have counts and no masks", () => {
  storeColumns(randomFrom(2), 600, maskedValuesMax + 1, 1);
  const [segment] = store.open();
  expect(segment.dictionary("event.name").length).toBe(maskedValuesMax + 1);
  expect(storedMasks(segment, "event.name")).toBeNull();
  expect(Array.from(countsOfColumn(Selection.all(segment), "event.name"))).toEqual(
    countedIn(segment, "event.name"),
  );
});
