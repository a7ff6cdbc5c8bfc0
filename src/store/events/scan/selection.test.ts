import { afterAll, describe, expect, test } from "bun:test";
import { eventAt, SegmentStore, startMs } from "../../../../test/support/engine/segment-store";
import { cases } from "../../../../test/support/random/cases";
import { type Random, randomFrom, randomSeed } from "../../../../test/support/random/random";
import type { Condition } from "../../../domain/filter";
import { ByteBoundedCache } from "../../../lib/cache";
import { byVisit } from "../aggregate/by-visit";
import { countsOfColumn } from "../aggregate/counts";
import { Context } from "../filter/context";
import { Filter } from "../filter/filter";
import { storedCounts } from "../segment/stored-counts";
import { Selection } from "./selection";
import { columnVector } from "./vector";

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
afterAll(() => store.close());

const marksOf = (rows: readonly number[], length = eventCount): Uint8Array => {
  const marks = new Uint8Array(length);
  for (const row of rows) marks[row] = 1;
  return marks;
};
const rowsWithMark = (marks: Uint8Array): number[] =>
  Array.from(marks.keys()).filter((row) => marks[row] === 1);
const visitOf = (row: number): number => segment.visitOfRow[row];

describe("the forms of a selection", () => {
  test("rows are a list if they are fewer than a sixteenth of all", () => {
    const most = Math.ceil(eventCount / 16) - 1;
    const rows = Array.from({ length: most }, (_, place) => eventCount - 1 - place * 16).reverse();
    expect(Selection.ofRows(segment, marksOf(rows)).list).toEqual(Uint32Array.from(rows));
    expect(Selection.ofRows(segment, marksOf([0, ...rows])).list).toBeNull();
    expect(Selection.ofList(segment, Uint32Array.from(rows)).rows).toEqual(marksOf(rows));
    expect(Selection.ofList(segment, Uint32Array.of(0, ...rows)).list).toBeNull();
  });

  test("nothing marked is none; all visits are all", () => {
    const { visitCount } = segment;
    expect(Selection.ofRows(segment, new Uint8Array(eventCount)).isNone).toBe(true);
    expect(Selection.ofList(segment, new Uint32Array(0)).isNone).toBe(true);
    expect(Selection.ofVisits(segment, new Uint8Array(visitCount)).isNone).toBe(true);
    expect(Selection.ofVisits(segment, new Uint8Array(visitCount).fill(1)).isAll).toBe(true);
    expect(Selection.all(segment).count).toBe(eventCount);
    expect(Selection.none(segment).count).toBe(0);
    expect(Selection.none(segment).visits).toEqual(new Uint8Array(visitCount));
    expect(Selection.none(segment).rows).toEqual(new Uint8Array(eventCount));
  });

  test("a selection of a test decodes no codes before a caller reads its rows", () => {
    let decoded = 0;
    const test = {
      verdicts: Uint8Array.of(0, 0, 1),
      get codes() {
        decoded++;
        return Uint8Array.from({ length: eventCount }, (_, row) => (row === 7 ? 2 : 1));
      },
      visits: null,
    };
    const selection = Selection.ofTest(segment, 1, test);
    expect([selection.count, selection.isNone, selection.isAll, decoded]).toEqual([
      1,
      false,
      false,
      0,
    ]);
    expect([selection.list, decoded]).toEqual([Uint32Array.of(7), 1]);
    expect(Selection.ofTest(segment, eventCount, test).isAll).toBe(true);
    expect(Selection.ofTest(segment, 0, test).isNone).toBe(true);
  });
});

test("the cache keeps values of a selection with a name, and computes those of one without a name again", () => {
  let made = 0;
  const make = () => {
    made++;
    return new Uint8Array(1);
  };
  const rows = marksOf([1, 2]);
  const named = () => Selection.ofRows(segment, rows, "two rows");
  expect(named().memoArray("a value", make)).toBe(named().memoArray("a value", make));
  expect(made).toBe(1);
  Selection.ofRows(segment, rows).memoArray("a value", make);
  Selection.ofRows(segment, rows).memoArray("a value", make);
  expect(made).toBe(3);
  const kept = () =>
    Selection.cached(segment, "kept rows", () => Selection.ofRows(segment, make()));
  expect([kept().isNone, kept().isNone, made]).toEqual([true, true, 4]);
});

/** A selection in any of its forms, and its rows. */
function randomSelection(random: Random): {
  readonly selection: Selection;
  readonly rows: Set<number>;
} {
  const all = Array.from({ length: eventCount }, (_, row) => row);
  const share = random.pick([0.001, 0.03, 0.06, 0.07, 0.2, 0.9]);
  if (random.chance(0.1)) return { selection: Selection.all(segment), rows: new Set(all) };
  if (random.chance(0.1)) return { selection: Selection.none(segment), rows: new Set() };
  if (random.chance(0.4)) {
    const visits = Uint8Array.from({ length: segment.visitCount }, () =>
      random.chance(share) ? 1 : 0,
    );
    const rows = all.filter((row) => visits[visitOf(row)] === 1);
    return { selection: Selection.ofVisits(segment, visits), rows: new Set(rows) };
  }
  const rows = all.filter(() => random.chance(share));
  const selection = random.pick([
    () => Selection.ofRows(segment, marksOf(rows)),
    () => Selection.ofList(segment, Uint32Array.from(rows)),
    () =>
      Selection.ofTest(segment, rows.length, {
        ...{ verdicts: Uint8Array.of(0, 1), codes: marksOf(rows), visits: null },
      }),
  ])();
  return { selection, rows: new Set(rows) };
}

const seed = randomSeed();
test(`every form has the same rows, visits, counts and groups (seed ${seed})`, () => {
  const random = randomFrom(seed);
  const names = segment.codes("event.name")!;
  for (let round = 0; round < cases(80, 3_000); round++) {
    const [a, b] = [randomSelection(random), randomSelection(random)];
    const [selection, rows] = random.pick([
      [a.selection, a.rows],
      [a.selection.and(b.selection), a.rows.intersection(b.rows)],
      [a.selection.or(b.selection), a.rows.union(b.rows)],
      [a.selection.not(), new Set(Array.from(names.keys()).filter((row) => !a.rows.has(row)))],
    ] as const);
    const expected = [...rows].toSorted((one, other) => one - other);
    const read = random.pick(["list", "rows", "visits", "count"] as const);
    void selection[read]; // the order in which forms are made does not matter
    expect(selection.count).toBe(expected.length);
    expect(selection.isNone).toBe(expected.length === 0);
    expect(rowsWithMark(selection.rows)).toEqual(expected);
    if (selection.list !== null) expect([...selection.list]).toEqual(expected);
    const visits = marksOf(expected.map(visitOf), segment.visitCount);
    expect(selection.visits).toEqual(visits);
    const seen: number[] = [];
    selection.eachRow((row, visit) => {
      expect(visit).toBe(visitOf(row));
      seen.push(row);
    });
    expect(seen).toEqual(expected);
    const { codes, verdicts } = selection.test;
    expect(expected.every((row) => verdicts[codes[row]] === 1)).toBe(true);

    const counts = new Array<number>(4).fill(0);
    // The group of each code, which two codes may have in common; −1 is left out.
    const groupOf = Int32Array.from(
      random.pick([
        [-1, 5, -1, 2],
        [-1, 5, 2, 5],
        [0, 0, 0, 0],
      ]),
    );
    const groups = new Map<number, Set<number>>();
    for (const row of expected) {
      counts[names[row]]++;
      const group = groupOf[names[row]];
      if (group < 0) continue;
      groups.set(visitOf(row), (groups.get(visitOf(row)) ?? new Set()).add(group));
    }
    expect(Array.from(countsOfColumn(selection, "event.name"))).toEqual(counts);
    const vector = columnVector(segment, "event.name")!;
    const ofVisits = byVisit(selection, vector, groupOf)!;
    for (let v = 0; v < segment.visitCount; v++) {
      if (visits[v] === 0) continue;
      const code = ofVisits.codes[v];
      const own = ofVisits.groups.subarray(ofVisits.starts[code], ofVisits.starts[code + 1]);
      expect(own.toSorted()).toEqual(Uint32Array.from(groups.get(v) ?? []).sort());
    }
  }
});

describe("the selection of filters in a segment with stored counts", () => {
  const always = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };
  const ofEvent: Condition = { field: "event", op: "eq", value: "purchase" };
  const ofCountry: Condition = { field: "country", op: "eq", value: "DE" };
  const opened = () => {
    const context = new Context(store.readDb, new ByteBoundedCache(1 << 20), () => undefined);
    return { context, whole: context.segments([segment.id])[0] };
  };

  test("is the rows for which all conditions hold, in whichever order they come", () => {
    const { context, whole } = opened();
    const [events, places] = ["event.name", "event.country"].map((column) => {
      const values = whole.dictionary(column);
      return Array.from(whole.codes(column)!, (code) => values[code - 1]);
    });
    const selected = (...conditions: readonly Condition[]) =>
      new Filter(context, conditions, context.identity(whole.projectId)).select(whole, always);
    const rowsWith = (isWanted: (row: number) => boolean) =>
      Array.from(events.keys()).filter(isWanted);
    const purchases = rowsWith((row) => events[row] === "purchase");
    expect(purchases.length).toBe(Math.ceil(eventCount / 20));
    const ofBoth = rowsWith((row) => events[row] === "purchase" && places[row] === "DE");
    expect([...(selected(ofEvent).list ?? [])]).toEqual(purchases);
    expect([...(selected(ofEvent, ofCountry).list ?? [])]).toEqual(ofBoth);
    expect([...(selected(ofCountry, ofEvent).list ?? [])]).toEqual(ofBoth);
  });

  test("throws if a stored count is not the number of rows", () => {
    const { context, whole } = opened();
    const code = whole.dictionary("event.name").indexOf("purchase") + 1;
    const counts = storedCounts(whole, "event.name")!;
    counts[code]++;
    const filter = new Filter(context, [ofEvent], context.identity(whole.projectId));
    expect(() => filter.select(whole, always).list).toThrow("stored count");
    counts[code]--;
  });

  test("does not change when counts use its rows", () => {
    const { context, whole } = opened();
    const filter = new Filter(context, [ofEvent], context.identity(whole.projectId), true);
    const before = [...filter.select(whole, always).rows];
    countsOfColumn(filter.select(whole, always), "event.name");
    expect([...filter.select(whole, always).rows]).toEqual(before);
  });
});
