import { describe, expect, test } from "bun:test";
import { randomFrom } from "../../../../../test/support/random/random";
import { Budget } from "../budget";
import { Sums } from "./sums";

describe("sums by place", () => {
  for (const places of [1, 900, 70_000, 300_000]) {
    for (const expected of [undefined, 1, places, 100_000]) {
      test(`${places} places, ${expected ?? "nobody knows how many"} expected`, () => {
        const { below } = randomFrom(places);
        const sums = new Sums(new Budget(() => undefined), expected);
        const wanted = new Map<number, number>();
        for (let i = 0; i < 4_000; i++) {
          const place = below(places);
          const amount = 1 + below(9);
          sums.add(place, amount);
          wanted.set(place, (wanted.get(place) ?? 0) + amount);
        }
        const members = [...wanted.keys()].sort((a, b) => a - b);
        expect([...sums.members()]).toEqual(members);
        for (const place of members) expect(sums.of(place)).toBe(wanted.get(place) ?? Number.NaN);
        expect(sums.of(2 * places + 1_000_000)).toBe(0);
      });
    }
  }

  test("millions of places take what they need, and are never there twice", () => {
    const budget = new Budget(() => undefined);
    const sums = new Sums(budget);
    for (let place = 0; place < 2_000_000; place++) sums.add(place, 1);
    expect(budget.bytes / 2_000_000).toBeLessThan(8.5);
  });
});
