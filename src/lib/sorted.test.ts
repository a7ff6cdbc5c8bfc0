import { expect, test } from "bun:test";
import { lowerBound } from "./sorted";

test("the place of a bound among ascending values", () => {
  const values = [2, 4, 4, 8];
  const places = [1, 2, 3, 4, 5, 8, 9].map((bound) => lowerBound(bound, values));
  expect(places).toEqual([0, 0, 1, 1, 3, 3, 4]);
  expect(lowerBound(1, [])).toBe(0);
});

test("is looked for from a place on", () => {
  expect(lowerBound(2, new Uint32Array([2, 4, 6]), 1)).toBe(1);
  expect(lowerBound(5, [2, 4, 6], 1)).toBe(2);
  expect(lowerBound(9, [2, 4, 6], 3)).toBe(3);
});
