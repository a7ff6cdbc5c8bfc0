import { expect, test } from "bun:test";
import { free } from "./free";

test("a large array is empty afterwards, and nothing is left to be collected", () => {
  const values = new Uint32Array(16_384 / 4).fill(7);
  const another = values.slice();
  expect(free(values)).toBe(0);
  expect(values.length).toBe(0);
  expect(another[0]).toBe(7);
});

test("a small one stays as it is, and is told", () => {
  const values = new Float64Array(16_384 / 8 - 1).fill(7);
  expect(free(values)).toBe(values.byteLength);
  expect(values[0]).toBe(7);
});

test("what it is a part of is not freed with it while more than it is in use", () => {
  const whole = new Uint8Array(65_536).fill(7);
  expect(free(whole.subarray(0, 20_000))).toBe(20_000);
  expect(whole[65_535]).toBe(7);
});
