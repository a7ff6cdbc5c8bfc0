import { afterAll, expect, test } from "bun:test";
import { eventAt, SegmentStore, startMs } from "../../../../test/support/engine/segment-store";
import { Selection } from "../scan/selection";
import { columnVector } from "../scan/vector";
import { Budget } from "../sets/budget";
import { SparePlanes } from "../sets/spare-planes";
import { DistinctSets } from "./distinct-sets";
import { Chunk } from "./hash-aggregate";

const eventCount = 600;
const store = new SegmentStore();
store.tune({ columnEventsMin: 1, waitingRowsMax: 2, countedEventsMin: 1 });
store.store(
  ...Array.from({ length: eventCount }, (_, number) =>
    eventAt(startMs + number, {
      name: `event ${number % 5}`,
      sessionId: `session ${(number * 7) % 83}`,
      properties: { order: `order ${number % 90}` },
    }),
  ),
);
store.compact();
const [segment] = store.open();
afterAll(() => store.close());

/** A member's number that is too large for planes. */
const largeMember = 2 ** 25;

/** The members of each group, in planes and in pairs, for few rows in a list and for many rows. */
test.each(["event.name", "property.order"])(
  "planes and pairs hold the same members, by %s",
  (column) => {
    const vector = columnVector(segment, column)!;
    const groupOf = Int32Array.from({ length: vector.size }, (_, code) => code - 1);
    for (const step of [1, 3, 50]) {
      const rows = Uint8Array.from({ length: eventCount }, (_, row) => (row % step === 0 ? 1 : 0));
      const selection = Selection.ofRows(segment, rows);
      const members = Uint32Array.from({ length: segment.visitCount }, (_, visit) => visit % 40);
      const budget = new Budget(() => undefined);
      const setsOf = (largest: number): Set<string> => {
        const sets = new DistinctSets(vector.size, largest, budget, new SparePlanes());
        sets.add(new Chunk(selection, vector, groupOf), members);
        const found = new Set<string>();
        sets.forEach((group, member) => void found.add(`${group} ${member}`));
        for (let group = 0; group < vector.size; group++)
          expect(sets.count(group)).toBe(
            [...found].filter((one) => one.startsWith(`${group} `)).length,
          );
        return found;
      };
      const expected = new Set<string>();
      const codes = segment.codes(column)!;
      selection.eachRow((row, visit) => {
        if (members[visit] !== 0) expected.add(`${groupOf[codes[row]]} ${members[visit]}`);
      });
      expect(setsOf(40)).toEqual(expected);
      expect(setsOf(largeMember)).toEqual(expected);
    }
  },
);

test("a plane that serves again has no members of the earlier count", () => {
  const vector = columnVector(segment, "event.name")!;
  const groupOf = Int32Array.from({ length: vector.size }, () => 0);
  const members = new Uint32Array(segment.visitCount).fill(7);
  const [budget, spare] = [new Budget(() => undefined), new SparePlanes()];
  for (let round = 0; round < 2; round++) {
    const sets = new DistinctSets(1, 40, budget, spare);
    expect(sets.count(0)).toBe(0);
    sets.add(new Chunk(Selection.all(segment), vector, groupOf), members);
    expect(sets.count(0)).toBe(1);
    sets.end();
  }
});

test("without a group nobody is added", () => {
  const vector = columnVector(segment, "event.name")!;
  const groupOf = Int32Array.from({ length: vector.size }, () => -1);
  const sets = new DistinctSets(0, 40, new Budget(() => undefined), new SparePlanes());
  sets.add(
    new Chunk(Selection.all(segment), vector, groupOf),
    new Uint32Array(segment.visitCount).fill(7),
  );
  let members = 0;
  sets.forEach(() => {
    members++;
  });
  expect(members).toBe(0);
});
