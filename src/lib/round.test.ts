import { expect, test } from "bun:test";
import { roundTo } from "./round";

test("halves go up, as Math.round takes them", () => {
  expect(roundTo(0.0005, 3)).toBe(0.001);
  expect(roundTo(-2.5, 0)).toBe(-2);
  expect(roundTo(2 / 3, 3)).toBe(0.667);
});
