import { expect, test } from "bun:test";
import { roundTo, sharePercent } from "./round";

test("halves go up, as Math.round takes them", () => {
  expect(roundTo(0.0005, 3)).toBe(0.001);
  expect(roundTo(-2.5, 0)).toBe(-2);
  expect(roundTo(2 / 3, 3)).toBe(0.667);
});

test("a percentage that is half a tenth goes up, whatever its fraction is in binary", () => {
  for (let whole = 1; whole <= 2_000; whole++) {
    for (let part = 0; part <= whole; part++) {
      const tenths = Math.floor((2_000 * part + whole) / (2 * whole));
      if (sharePercent(part, whole) !== tenths / 10) expect([part, whole]).toEqual([]);
    }
  }
  expect(sharePercent(51, 80)).toBe(63.8);
  expect(sharePercent(0, 0)).toBe(0);
});
