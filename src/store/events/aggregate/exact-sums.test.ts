import { expect, test } from "bun:test";
import fc from "fast-check";
import { sum } from "../../../../test/model/values";
import { cases } from "../../../../test/support/random/cases";
import { Budget } from "../sets/budget";
import { ExactSums } from "./exact-sums";

const sumsOf = (groups: number) => new ExactSums(groups, new Budget(() => undefined));
const { MAX_VALUE: most, MIN_VALUE: least } = Number;

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0.1, 0.2, 19.99, 1e16, 1, 2 ** 53, least, most, 2 ** 970, 2 ** -300),
);
/** For many numbers the list also has the opposite number, so that the sum is small. */
const numbers = fc.tuple(fc.array(number), fc.array(number)).map(([some, others]) => {
  return [...some, ...others, ...some.map((one) => -one)];
});

test("a sum is the exact one, rounded once, in any order", () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(number), numbers), (values) => {
      const [inOrder, backwards, ascending] = [sumsOf(1), sumsOf(1), sumsOf(1)];
      for (const value of values) inOrder.add(0, value);
      for (const value of values.toReversed()) backwards.add(0, value);
      for (const value of values.toSorted((a, b) => a - b)) ascending.add(0, value);
      expect(inOrder.of(0)).toBe(sum(values));
      expect(backwards.of(0)).toBe(sum(values));
      expect(ascending.of(0)).toBe(sum(values));
    }),
    { numRuns: cases(500, 20_000) },
  );
});

test("a number of several events counts once for each event, in its own group", () => {
  const repeated = fc.array(fc.tuple(fc.nat(2), number, fc.integer({ min: 1, max: 40 })));
  fc.assert(
    fc.property(repeated, (added) => {
      const sums = sumsOf(3);
      for (const [group, value, times] of added) sums.add(group, value, times);
      for (const group of [0, 1, 2]) {
        const own = added.filter(([of]) => of === group);
        expect(sums.of(group)).toBe(
          sum(own.flatMap(([, value, times]) => Array<number>(times).fill(value))),
        );
      }
    }),
    { numRuns: cases(500, 20_000) },
  );
  const many = sumsOf(1);
  many.add(0, 0.1, 2 ** 26 - 1);
  expect(many.of(0)).toBe(sum(Array.from({ length: 26 }, (_, power) => 0.1 * 2 ** power)));
});

test.each([
  ["an exact half and a little more", [2 ** 53, 1, 2 ** -300], 2 ** 53 + 2],
  ["an exact half and a little less", [2 ** 53 + 2, 1, -(2 ** -300)], 2 ** 53 + 2],
  ["an exact half", [2 ** 53, 1], 2 ** 53],
  ["a sum that was too large on the way", [most, most, -most, 0.1], most],
  ["a sum that is too large", [most, most], Number.POSITIVE_INFINITY],
  ["a sum that is nearly too large", [most, 2 ** 969], most],
  ["a little under a sum of nothing", [most, 1, -most, -1, least], least],
  ["nothing", [], 0],
  ["zeros", [-0, -0], 0],
])("%s", (_, values, wanted) => {
  const sums = sumsOf(1);
  for (const value of values) sums.add(0, value);
  expect(sums.of(0)).toBe(wanted);
  expect(sum(values)).toBe(wanted);
});
