import { expect, test } from "bun:test";
import { randomFrom } from "../../../../test/support/random/random";
import { Budget } from "../sets/budget";
import { NumbersOfGroups } from "./numbers-of-groups";

/** Some numbers, and how many events have each. */
interface Numbers {
  readonly different: number;
  readonly repeatedMax: number;
}

/** Sorting chooses its way by both. */
const shapes: readonly Numbers[] = [
  { different: 500, repeatedMax: 1 },
  { different: 500, repeatedMax: 3 },
  { different: 500, repeatedMax: 60 },
  { different: 3, repeatedMax: 5_000 },
  { different: 70_000, repeatedMax: 3 },
];

test("percentiles are numbers of the list with each as often as it occurs, sorted", () => {
  const { below } = randomFrom(11);
  for (const { different, repeatedMax } of shapes) {
    const numbers = new NumbersOfGroups(new Budget(() => undefined));
    const all: number[] = [];
    for (let at = 0; at < different; at++) {
      // Some are added again.
      const value = below(2 * different) - different + below(4) / 4;
      const events = 1 + below(repeatedMax);
      numbers.add(1, value, events);
      numbers.add(0, -value, 1);
      for (let event = 0; event < events; event++) all.push(value);
    }
    const sorted = Float64Array.from(all).sort();
    for (const [measure, percent] of [
      ["p50", 50],
      ["p75", 75],
      ["p95", 95],
    ] as const) {
      const rank = Math.ceil((percent * all.length) / 100);
      expect(numbers.value(1, measure)).toBe(sorted[rank - 1] ?? Number.NaN);
    }
    expect(numbers.value(1, "min")).toBe(sorted[0] ?? Number.NaN);
    expect(numbers.value(1, "max")).toBe(sorted[sorted.length - 1] ?? Number.NaN);
    expect(numbers.value(2, "p95")).toBeNull();
  }
});
