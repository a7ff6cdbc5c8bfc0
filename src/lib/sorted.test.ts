import { expect, test } from "bun:test";
import { placeOf } from "./sorted";

test("the place of a bound among ascending values", () => {
  const values = [2, 4, 4, 8];
  const places = [1, 2, 3, 4, 5, 8, 9].map((bound) => placeOf(bound, values));
  expect(places).toEqual([0, 0, 1, 1, 3, 3, 4]);
  expect(placeOf(1, [])).toBe(0);
});

test("is looked for from a place on", () => {
  expect(placeOf(2, new Uint32Array([2, 4, 6]), 1)).toBe(1);
  expect(placeOf(5, [2, 4, 6], 1)).toBe(2);
  expect(placeOf(9, [2, 4, 6], 3)).toBe(3);
});
