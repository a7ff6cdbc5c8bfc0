import { describe, expect, test } from "bun:test";
import { randomFrom, randomSeed } from "../../../../test/support/random/random";
import { LinkedNumbers } from "./linked-numbers";

const ascending = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);

describe("the numbers that lead to one", () => {
  test("are itself, those that are linked to it, and those that are linked to these", () => {
    const linked = new LinkedNumbers(Uint32Array.of(0, 2, 3, 0, 3));
    expect(ascending(linked.leadingTo(3))).toEqual([1, 2, 3, 4]);
    expect(ascending(linked.leadingTo(2))).toEqual([1, 2]);
    expect(linked.leadingTo(1)).toEqual([1]);
    expect(linked.leadingTo(999)).toEqual([999]);
  });

  test("are what walks from each number to its end find, with links that come later too", () => {
    const seed = randomSeed();
    const random = randomFrom(seed);
    const size = 200;
    const linkedTo = new Uint32Array(size);
    const endOf = (number: number): number => {
      let end = number;
      while (linkedTo[end] > 0) end = linkedTo[end];
      return end;
    };
    const link = (): readonly [number, number] | null => {
      const [from, to] = [1 + random.below(size - 1), 1 + random.below(size - 1)];
      if (linkedTo[from] > 0 || endOf(to) === from) return null;
      linkedTo[from] = to;
      return [from, to];
    };
    for (let i = 0; i < size / 2; i++) link();
    const linked = new LinkedNumbers(linkedTo);
    for (let i = 0; i < size / 2; i++) {
      const added = link();
      if (added !== null) linked.add(...added);
    }
    for (let end = 1; end < size; end++) {
      if (linkedTo[end] > 0) continue;
      const expected = [...linkedTo.keys()].filter((number) => number > 0 && endOf(number) === end);
      expect({ seed, found: ascending(linked.leadingTo(end)) }).toEqual({ seed, found: expected });
    }
  });
});
