import { expect, test } from "bun:test";
import { carriesShares, sortDimensions } from "./sort-dimensions";

type Numbers = readonly [value: string | null, previous: number, current: number];
const rowOf = ([value, previous, current]: Numbers) => ({
  ...{ value, previous, current, delta: current - previous },
  ...{ share_pct: 1, excess: null, z: 0, significant: false },
});
const dimensionOf = (dimension: string, rows: readonly Numbers[], others = 0) => ({
  ...{ dimension, values: rows.map(rowOf), other: { values: others, delta: 0 } },
});

const browsers: readonly Numbers[] = [
  ["Chrome", 10, 30],
  ["Safari", 20, 10],
];

test("a dimension that repeats another one row by row is left out, whatever the order of its rows", () => {
  const { shown, repeated } = sortDimensions([
    dimensionOf("browser", browsers),
    dimensionOf("os", [
      ["iOS", 20, 10],
      ["Windows", 10, 30],
    ]),
    dimensionOf("device", [
      ["mobile", 20, 10],
      ["desktop", 10, 31],
    ]),
  ]);
  expect(shown.map(({ dimension }) => dimension)).toEqual(["browser", "device"]);
  expect(repeated).toEqual([["os", "browser"]]);
});

test("equal rows beside different others repeat nothing", () => {
  const { repeated } = sortDimensions([
    dimensionOf("browser", browsers),
    dimensionOf("version", browsers, 3),
  ]);
  expect(repeated).toEqual([]);
});

test("a dimension without values, and one with a single one, have no table", () => {
  const sorted = sortDimensions([
    dimensionOf("language", [[null, 30, 40]]),
    dimensionOf("event", [["page_view", 30, 40]]),
    dimensionOf("country", [
      ["DE", 29, 40],
      [null, 1, 0],
    ]),
  ]);
  expect(sorted.missing).toEqual(["language"]);
  expect(sorted.single).toEqual(["event"]);
  expect(sorted.shown.map(({ dimension }) => dimension)).toEqual(["country"]);
});

test("shares are shown where the net change is significant and at least half of all movement", () => {
  const moving = (...deltas: number[]) => deltas.map((delta) => rowOf(["v", 100, 100 + delta]));
  const of = (delta: number | null, significant: boolean | null = true) => ({ delta, significant });
  expect(carriesShares(moving(90, 10), of(100))).toBe(true);
  expect(carriesShares(moving(150, -50), of(100))).toBe(true);
  expect(carriesShares(moving(150, -51), of(99))).toBe(false);
  // 340 % of the change.
  expect(carriesShares(moving(-340, 240), of(-100))).toBe(false);
  expect(carriesShares(moving(5, -5), of(0))).toBe(false);
  expect(carriesShares(moving(5), of(null, null))).toBe(false);
  expect(carriesShares(moving(90, 10), of(100, false))).toBe(false);
  const without = moving(5).map((row) => ({ ...row, share_pct: null }));
  expect(carriesShares(without, of(5))).toBe(false);
});
