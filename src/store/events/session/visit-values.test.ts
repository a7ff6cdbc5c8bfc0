import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eventAt, SegmentStore } from "../../../../test/support/engine/segment-store";
import { cases } from "../../../../test/support/random/cases";
import { type Random, randomFrom, randomSeed } from "../../../../test/support/random/random";
import { textOf } from "../../../domain/filter";
import { minuteMs } from "../../../lib/clock";
import { readText } from "../../../lib/code-points";
import type { Segment } from "../segment/segment";
import { Budget } from "../sets/budget";
import type { Edge } from "../sets/outermost-row";
import type { Reading } from "../sets/row-values";
import { TextTable } from "../sets/text-table";
import { visitValues } from "./visit-values";

let store: SegmentStore;
beforeEach(() => {
  store = new SegmentStore();
  store.tune({ columnEventsMin: 1, waitingRowsMax: 1 });
});
afterEach(() => store.close());

type Properties = Readonly<Record<string, unknown>>;
const columnsOf = (keys: readonly string[]) => keys.map((key) => `property.${key}`);
const names = (): string[] => store.open().flatMap((segment) => segment.storedNames());

/** A visit of some events for each list of properties. */
function storeVisits(...visits: readonly (readonly Properties[])[]): void {
  store.store(
    ...visits.flatMap((events, visit) =>
      events.map((properties, at) =>
        eventAt(store.nowMs - minuteMs + at, { sessionId: `s${visit}`, properties }),
      ),
    ),
  );
  store.compact();
}

/** A text that is no own page is no value, so the next event of the visit may have one. */
const isOwn = (text: string): boolean => text.startsWith("own");

/** Returns the values by visit, as the code under test tells them, and as a loop over all events does. */
function bothOf(segment: Segment, columns: readonly string[], edge: Edge) {
  const budget = new Budget(() => undefined);
  const table = new TextTable(5, budget);
  const read: Reading = (bytes, from, to) =>
    from === to || isOwn(readText(bytes, from, to)) ? 0 : table.numberOf(bytes, from, to) + 1;
  const values = visitValues(
    segment,
    columns.map((name) => ({ name, read, known: new WeakMap() })),
    edge,
    new Uint32Array(segment.visitCount).fill(1),
    budget,
  );
  const found = Array.from({ length: segment.visitCount }, (_, visit) => {
    const number = values === null ? 0 : values.numbers[values.codes[visit]];
    return number === 0 ? null : table.text(number - 1);
  });
  const valueAt = (row: number): string | null => {
    for (const name of columns) {
      const value = segment.dictionary(name)[(segment.codes(name)?.[row] ?? 0) - 1] ?? null;
      const text = value === null ? null : textOf(value);
      if (text !== null && text !== "" && !isOwn(text)) return text;
    }
    return null;
  };
  let areAtEdge = true;
  const looped = Array.from({ length: segment.visitCount }, (_, visit) => {
    const rows = Array.from(
      { length: segment.firstRows[visit + 1] - segment.firstRows[visit] },
      (_, at) => segment.firstRows[visit] + at,
    );
    if (edge === "last") rows.reverse();
    for (const row of rows) {
      const text = valueAt(row);
      if (text !== null && row !== rows[0]) areAtEdge = false;
      if (text !== null) return text;
    }
    return null;
  });
  const claims = values?.areAtEdge ?? true;
  return { found, looped, isTrueOfEdge: !claims || areAtEdge };
}

function expectAlike(columns: readonly string[], what: object = {}): void {
  for (const segment of store.open())
    for (const edge of ["first", "last"] as const) {
      const { found, looped, isTrueOfEdge } = bothOf(segment, columns, edge);
      expect({ ...what, columns, edge, found, isTrueOfEdge }).toEqual({
        ...{ ...what, columns, edge, found: looped },
        isTrueOfEdge: true,
      });
    }
}

describe("the first value of a visit", () => {
  test("is stored with the visit where all its events have it", () => {
    storeVisits([{ os: "a" }, { os: "a" }], [{ os: "b" }, { os: "b" }], [{ os: "" }, { os: "" }]);
    const [segment] = store.open();
    expect(Array.from(segment.visitCodes("property.os") ?? []).toSorted()).toEqual([1, 2, 3]);
    expect(segment.codes("property.os")).toHaveLength(6);
    expectAlike(["property.os"]);
  });

  test("is stored beside a column of events that sessions are told by", () => {
    const visits = [
      [
        { os: "a", utm_source: "", plan: "x" },
        { os: "b", utm_source: "y" },
      ],
      [{ os: "b", utm_source: "z", plan: "x" }, { os: "c" }, {}],
    ];
    storeVisits(...visits);
    expect(names()).toContain("first_event.property.os");
    expect(names()).toContain("first_text.property.utm_source");
    expect(names().filter((name) => name.includes("plan"))).toEqual(["property.plan"]);
    for (const name of ["os", "utm_source", "plan"]) expectAlike([`property.${name}`]);
  });

  test("is not stored where visits have fewer than two events", () => {
    storeVisits([{ os: "a" }, { os: "b" }], [{ os: "c" }, { os: "a" }]);
    expect(names()).toContain("first_event.property.os");
    store.close();
    store = new SegmentStore();
    store.tune({ columnEventsMin: 1, waitingRowsMax: 1 });
    storeVisits([{ os: "a" }, { os: "b" }], [{ os: "c" }]);
    expect(names()).not.toContain("first_event.property.os");
    expectAlike(["property.os"]);
  });

  test("is looked for in its events where a text stands for nothing, or a column before has none", () => {
    storeVisits(
      [
        { referrer: "own", path: "" },
        { referrer: "a", path: "/" },
      ],
      [{ referrer: "b", url: "u" }, { referrer: "own" }],
      [{ path: "/p", url: "v" }, { url: "w" }],
    );
    expectAlike(["property.referrer"]);
    expectAlike(columnsOf(["path", "url"]));
    expectAlike(columnsOf(["url", "path"]));
  });
});

/** Most often all events of a visit have the same, or all have something. */
function randomVisit(random: Random, isCalm: boolean): Properties[] {
  const value = (): unknown =>
    random.pick<() => unknown>([
      () => `t${random.below(4)}`,
      () => `t${random.below(400)}`,
      () => (isCalm ? "t" : ""),
      () => (isCalm ? "t" : "own"),
      () => (isCalm ? "t" : random.pick([null, 7, { a: 1 }, undefined])),
    ])();
  const [os, path] = [value(), value()];
  return Array.from({ length: 1 + random.below(6) }, () => {
    const own = random.chance(0.5) ? path : value();
    return {
      ...(os !== undefined && { os }),
      ...(own !== undefined && { path: own }),
      ...(random.chance(0.5) && own !== undefined && { url: own }),
      referrer: value() ?? "own",
    };
  });
}

test("is what a loop over events finds, also in what older versions stored", () => {
  const first = randomSeed();
  for (let round = 0; round < cases(8, 40); round++) {
    const random = randomFrom(first + round);
    const isCalm = random.chance(0.6);
    storeVisits(
      ...Array.from({ length: random.pick([1, 5, 60]) }, () => randomVisit(random, isCalm)),
    );
    const asked = [["os"], ["path"], ["url"], ["referrer"], ["path", "url"], ["os", "path", "url"]];
    for (const keys of asked) expectAlike(columnsOf(keys), { seed: random.seed });
    store.db.run("delete from segment_column where name like 'first!_%' escape '!'");
    for (const keys of asked) expectAlike(columnsOf(keys), { seed: random.seed });
    store.db.run("update segment set retired_at = 1");
  }
});
