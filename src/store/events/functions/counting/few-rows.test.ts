import { afterAll, expect, test } from "bun:test";
import { eventAt, SegmentStore, startMs } from "../../../../../test/support/engine/segment-store";
import { fewRowsOf } from "./few-rows";
import { leftOut } from "./groups";
import { codeCounts } from "./visit-masks";

const eventCount = 640;
const column = "property.order";
const store = new SegmentStore();
store.tune({ columnEventsMin: 1, waitingRowsMax: 2 });
store.store(
  ...Array.from({ length: eventCount }, (_, number) =>
    eventAt(startMs + number, {
      sessionId: `session ${(number * 7) % 53}`,
      properties: { order: number % 4 === 0 ? `often ${number % 8}` : `order ${number >> 1}` },
    }),
  ),
);
store.compact();
const [segment] = store.open();
const codes = segment.codes(column)!;
const found = { codes, counts: codeCounts(segment, column) };
afterAll(() => store.close());

const groupsOf = (...wanted: readonly number[]): Int32Array => {
  const groups = new Int32Array(found.counts.length).fill(leftOut);
  for (const code of wanted) groups[code] = 0;
  return groups;
};
/** The order of the rows is that of hashes with a secret of the file, so that these are others in each run. */
const rowsWith = (...wanted: readonly number[]): Uint32Array =>
  Uint32Array.from([...codes.keys()].filter((row) => wanted.includes(codes[row])));
const rare = [...found.counts.keys()].filter((code) => code > 0 && found.counts[code] < 3);
const [often] = [...found.counts.keys()].filter((code) => found.counts[code] > 64);

test("the rows of a few rare values are found, in order", () => {
  const wanted = [rare[40], rare[3], rare[7]];
  expect(fewRowsOf(segment, null, found, groupsOf(...wanted))).toEqual(rowsWith(...wanted));
  expect(fewRowsOf(segment, null, found, groupsOf())).toEqual(new Uint32Array(0));
});

test("neither many values are looked for, nor one that many rows have", () => {
  const ofMany = (count: number) =>
    fewRowsOf(segment, null, found, groupsOf(...rare.slice(0, count)));
  expect(ofMany(8)).toEqual(rowsWith(...rare.slice(0, 8)));
  expect(ofMany(9)).toBeNull();
  expect(fewRowsOf(segment, null, found, groupsOf(often))).toBeNull();
});

test("of few marked rows, those of the groups are found, whatever their values", () => {
  const marks = new Uint8Array(eventCount);
  // Marks on three of the rows that are looked at first would say that there are many (marked-rows.test.ts).
  const isLater = (row: number): boolean => row % 64 !== 0;
  const wanted = rowsWith(often, rare[0], rare[1]).filter(isLater).slice(0, 20);
  for (const row of wanted) marks[row] = 1;
  const others = rowsWith(rare[5], rare[6]).filter(isLater);
  for (const row of others) marks[row] = 1;
  const groups = groupsOf(often, rare[0], rare[1]);
  expect(fewRowsOf(segment, marks, found, groups)).toEqual(wanted);
  expect(fewRowsOf(segment, marks.slice().fill(1), found, groups)).toBeNull();
});

test("a count that is not that of the rows is a fault", () => {
  const counts = found.counts.slice();
  counts[rare[2]] = 20;
  expect(() => fewRowsOf(segment, null, { codes, counts }, groupsOf(rare[2]))).toThrow(
    "as many events have a code as its count says",
  );
});
