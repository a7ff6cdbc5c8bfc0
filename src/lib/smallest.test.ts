import { expect, test } from "bun:test";
import { randomFrom } from "../../test/support/random/random";
import { Smallest } from "./smallest";

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
