import { expect, test } from "bun:test";
import { dotsOf, lineOf } from "./geometry";

const places = { x: (i: number) => i * 10, y: (value: number) => value };

test("a value between two gaps has a point of its own", () => {
  expect(dotsOf([null, 3, null, 4, 5, null, 0], places)).toBe("M10.0 3.0h0M60.0 0.0h0");
  expect(dotsOf([7], places)).toBe("M0.0 7.0h0");
  expect(dotsOf([1, 2, 3], places)).toBe("");
  expect(dotsOf([null, null], places)).toBe("");
});

test("a line has a gap where a value is missing", () => {
  expect(lineOf([1, 2, null, 4], places)).toBe("M0.0 1.0L10.0 2.0M30.0 4.0h0");
});
