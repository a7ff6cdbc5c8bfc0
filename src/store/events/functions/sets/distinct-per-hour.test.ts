import { expect, test } from "bun:test";
import { cases } from "../../../../../test/support/random/cases";
import { randomFrom } from "../../../../../test/support/random/random";
import { Budget } from "../budget";
import { SparePlanes } from "./distinct";
import { DistinctPerHour } from "./distinct-per-hour";

/** A set for this number of members takes 2.5 MB: there is no room for those of all hours. */
const largeLimit = 20_000_000;

test.each([
  ["few members", 1_000, 1_500],
  ["members about the limit of a word", 64, 70],
  ["more members than there is room for in sets of all hours", largeLimit, 500],
])("members of hours are counted once each: %s", (_, limit, members) => {
  const spare = new SparePlanes();
  const budget = new Budget(() => undefined);
  for (let seed = 1; seed <= cases(3, 20); seed++) {
    const random = randomFrom(seed);
    // The limit is known as late as that of a thread which has seen no user yet.
    let known = seed % 2 === 0 ? limit : 1;
    const counted = new DistinctPerHour(budget, () => known, spare);
    const model = new Map<number, Set<number>>();
    for (let index = 0; index < 3_000; index++) {
      if (index === 1_000) known = limit;
      const [hour, member] = [random.below(40), random.between(1, members)];
      counted.add(hour, member);
      model.set(hour, (model.get(hour) ?? new Set()).add(member));
    }
    for (let hour = 0; hour < 45; hour++) {
      expect(counted.count(hour)).toBe(model.get(hour)?.size ?? 0);
    }
    counted.handBack();
  }
  spare.letGo();
});

test("what was taken from the budget is given back or put aside", () => {
  const budget = new Budget(() => undefined);
  const spare = new SparePlanes();
  const counted = new DistinctPerHour(budget, () => 10_000, spare);
  counted.add(3, 7);
  counted.add(50, 9_999);
  expect(budget.bytes).toBeGreaterThanOrEqual(2 * (10_000 / 8));
  counted.handBack();
  expect(budget.bytes).toBe(0);
});
