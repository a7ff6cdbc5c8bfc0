import { expect, test } from "bun:test";
import { randomFrom } from "../../../../test/support/random/random";
import { Budget } from "./budget";
import { largest, nthLargest, nthLargestOf } from "./largest";

const budget = new Budget(() => undefined);

test("the n-th largest is the one a sort would put there", () => {
  const { below, pick } = randomFrom(1);
  for (let round = 0; round < 300; round++) {
    const size = 1 + below(100);
    const span = pick([1, 3, 1_000]); // many ties, few, none
    const values = Float64Array.from({ length: size }, () => below(span) - span / 2);
    const n = 1 + below(size);
    const sorted = [...values].sort((a, b) => b - a);
    expect(nthLargestOf(values, n, budget)).toBe(sorted[n - 1] ?? Number.NaN);
    expect(nthLargest(values, n, budget.check)).toBe(sorted[n - 1] ?? Number.NaN);
  }
});

test("the largest come with all that tie with the last of them, in the order they came", () => {
  const { below } = randomFrom(3);
  for (let round = 0; round < 200; round++) {
    const worths = Array.from({ length: 1 + below(60) }, () => below(20));
    const members = worths.map((_, member) => member);
    const count = 1 + below(60);
    const least = worths.toSorted((a, b) => b - a)[count - 1] ?? Number.NEGATIVE_INFINITY;
    const found = largest(members, count, (member) => worths[member] ?? 0, budget);
    expect(found).toEqual(members.filter((member) => (worths[member] ?? 0) >= least));
  }
});
