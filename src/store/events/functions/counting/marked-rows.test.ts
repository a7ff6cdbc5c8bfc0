import { afterAll, expect, test } from "bun:test";
import { eventAt, SegmentStore, startMs } from "../../../../../test/support/engine/segment-store";
import { cases } from "../../../../../test/support/random/cases";
import { randomFrom, randomSeed } from "../../../../../test/support/random/random";
import type { Condition } from "../../../../domain/filter";
import { ByteBoundedCache } from "../../../../lib/cache";
import { isCounted } from "../../segment/stored-counts";
import { Context } from "../context";
import { Filter } from "./filter";
import { codeCountsOf, countOf, fewOf, forgetFew, noteFew, visitsWithRow } from "./marked-rows";
import { bitsOfVisits, codeCounts } from "./visit-masks";

const eventCount = 1_283;
const store = new SegmentStore();
store.tune({ columnEventsMin: 1, waitingRowsMax: 2, countedEventsMin: 1 });
const others = ["page_view", "signup"];
const countries = ["DE", "US"];
store.store(
  ...Array.from({ length: eventCount }, (_, number) =>
    eventAt(startMs + number, {
      name: number % 20 === 0 ? "purchase" : others[number % 2],
      sessionId: `session ${(number * 7) % 211}`,
      country: countries[Math.floor(number / 20) % 2],
    }),
  ),
);
store.compact();
const [segment] = store.open();
const names = segment.codes("event.name")!;
afterAll(() => store.close());

const marked = (rows: readonly number[]): Uint8Array => {
  const marks = new Uint8Array(eventCount);
  for (const row of rows) marks[row] = 1;
  return marks;
};

test("as many rows are few as a sixteenth of all, the last one among them, and one more are not", () => {
  expect(segment.eventCount).toBe(eventCount);
  const most = Math.floor(eventCount / 16);
  const rows = Array.from({ length: most }, (_, place) => eventCount - 1 - place * 16).reverse();
  expect(fewOf(marked(rows))).toEqual(Uint32Array.from(rows));
  expect(fewOf(marked([0, ...rows]))).toBeNull();
  expect(fewOf(marked([]))).toEqual(new Uint32Array(0));
  expect(fewOf(new Uint8Array(eventCount).fill(1))).toBeNull();
});

test("rows are taken for many when one row in 64 says so, however few they are", () => {
  const [most, sampled] = [Math.floor(eventCount / 16), 64];
  const bySample = (count: number) => Array.from({ length: count }, (_, place) => place * sampled);
  const passing = Math.floor((2 * most + sampled) / sampled);
  expect(fewOf(marked(bySample(passing)))).toEqual(Uint32Array.from(bySample(passing)));
  expect(fewOf(marked(bySample(passing + 1)))).toBeNull();
});

test("what is known of few rows is forgotten before marks are taken away", () => {
  const marks = marked([3, 8]);
  noteFew(marks, Uint32Array.of(3, 8));
  expect([fewOf(marks), countOf(marks, segment)]).toEqual([Uint32Array.of(3, 8), 2]);
  forgetFew(marks);
  marks[3] = 0;
  expect([fewOf(marks), countOf(marks, segment)]).toEqual([Uint32Array.of(8), 1]);
});

test("of few rows that pass one filter, those are known that pass the next one too", () => {
  const ofEvent: Condition = { field: "event", op: "eq", value: "purchase" };
  const ofCountry: Condition = { field: "country", op: "eq", value: "DE" };
  expect(isCounted(segment, "event.name")).toBe(true);
  const always = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };
  const context = new Context(store.readDb, new ByteBoundedCache(1 << 20), () => undefined);
  const [whole] = context.segments([segment.id]);
  const [events, places] = ["event.name", "event.country"].map((column) => {
    const values = whole.dictionary(column);
    return Array.from(whole.codes(column)!, (code) => values[code - 1]);
  });
  const passing = (...conditions: readonly Condition[]) =>
    new Filter(context, conditions, context.identity(whole.projectId)).select(whole, always);
  const rowsWith = (isWanted: (row: number) => boolean) =>
    Uint32Array.from(Array.from(events.keys()).filter(isWanted));
  const purchases = rowsWith((row) => events[row] === "purchase");
  expect(purchases.length).toBe(Math.ceil(eventCount / 20));
  const ofBoth = rowsWith((row) => events[row] === "purchase" && places[row] === "DE");
  expect(fewOf(passing(ofEvent) as Uint8Array)).toEqual(purchases);
  expect(fewOf(passing(ofEvent, ofCountry) as Uint8Array)).toEqual(ofBoth);
  expect(fewOf(passing(ofCountry, ofEvent) as Uint8Array)).toEqual(ofBoth);
});

test("a stored count that is not that of the rows is a fault, and no wrong number", () => {
  const ofEvent: Condition = { field: "event", op: "eq", value: "purchase" };
  const context = new Context(store.readDb, new ByteBoundedCache(1 << 20), () => undefined);
  const [whole] = context.segments([segment.id]);
  const code = whole.dictionary("event.name").indexOf("purchase") + 1;
  // What the file says is looked at once, and kept for the questions that follow.
  const counts = codeCounts(whole, "event.name");
  counts[code]++;
  const filter = new Filter(context, [ofEvent], context.identity(whole.projectId));
  const always = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };
  expect(() => filter.select(whole, always)).toThrow("stored count");
});

const seed = randomSeed();
test(`of any marks, the same visits, codes and groups are told (seed ${seed})`, () => {
  const random = randomFrom(seed);
  for (let round = 0; round < cases(60, 2_000); round++) {
    const share = random.pick([0.001, 0.03, 0.06, 0.07, 0.2, 0.9]);
    const rows = Array.from(names.keys()).filter(() => random.chance(share));
    const visitOf = (row: number): number => segment.visitOfRow[row];
    const visits = new Uint8Array(segment.visitCount);
    for (const row of rows) visits[visitOf(row)] = 1;
    expect(visitsWithRow(segment, marked(rows))).toEqual(visits);
    expect(countOf(marked(rows), segment)).toBe(rows.length);

    const counts = new Uint32Array(4);
    for (const row of rows) counts[names[row]]++;
    expect(codeCountsOf(segment, marked(rows), "event.name", 4)).toEqual(counts);

    // The group of each code; −1 is left out.
    const groupOf = Int32Array.of(-1, 5, -1, 2);
    const bits = new Int32Array(segment.visitCount);
    for (const row of rows) {
      if (groupOf[names[row]] >= 0) bits[visitOf(row)] |= 1 << groupOf[names[row]];
    }
    const told = bitsOfVisits(segment, marked(rows), names, groupOf);
    expect(Int32Array.from(bits.keys(), told)).toEqual(bits);
  }
});
