import { expect, test } from "bun:test";
import { randomFrom } from "../../../../test/support/random";
import { nthLargest, Smallest } from "./selection";

test("the n-th largest is the one a sort would put there", () => {
  const { below, pick } = randomFrom(1);
  for (let round = 0; round < 300; round++) {
    const size = 1 + below(60);
    const span = pick([1, 3, 1_000]); // many ties, few, none
    const values = Float64Array.from({ length: size }, () => below(span) - span / 2);
    const n = 1 + below(size);
    const sorted = [...values].sort((a, b) => b - a);
    expect(nthLargest(values, n)).toBe(sorted[n - 1] ?? Number.NaN);
  }
});

test("the smallest are those at the front of a sort, ties in order of arrival", () => {
  const { below } = randomFrom(2);
  for (let round = 0; round < 200; round++) {
    const items = Array.from({ length: below(80) }, (_, index) => ({ value: below(9), index }));
    const limit = below(12);
    const smallest = new Smallest<(typeof items)[0]>(limit, (a, b) => a.value - b.value);
    for (const item of items) smallest.offer(item);
    const sorted = items.toSorted((a, b) => a.value - b.value || a.index - b.index);
    expect(smallest.members()).toEqual(sorted.slice(0, limit));
  }
});
