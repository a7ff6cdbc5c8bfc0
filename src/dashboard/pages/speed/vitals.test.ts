import { describe, expect, test } from "bun:test";
import { ratingOf, vitals, worsening } from "./vitals";

const [lcp] = vitals;
const dated = (...values: number[]) =>
  values.map((value, at) => ({ date: `2026-11-${String(at + 1).padStart(2, "0")}`, value }));

describe("the rating of a vital", () => {
  test("is good up to its first bound, fair up to its second, and poor above", () => {
    expect([2_500, 2_501, 4_000, 4_001].map((ms) => ratingOf(ms, lcp))).toEqual([
      ...(["good", "fair", "fair", "poor"] as const),
    ]);
  });
});

describe("the date since when a page is worse", () => {
  test("is the first one of the values that have a worse rating", () => {
    const values = dated(1_800, 1_900, 2_000, 1_900, 4_400, 4_500, 4_300, 4_600);
    expect(worsening(values, lcp)).toEqual({ date: "2026-11-05", before: 1_900, since: 4_450 });
  });
  test("is none for one slow day, a page that became faster, or one that was always slow", () => {
    expect(worsening(dated(1_800, 1_900, 2_000, 9_000, 1_900, 1_800, 2_000), lcp)).toBeNull();
    expect(worsening(dated(4_400, 4_500, 4_300, 1_800, 1_900, 2_000), lcp)).toBeNull();
    expect(worsening(dated(4_400, 4_900, 4_300, 5_800, 5_900, 6_000), lcp)).toBeNull();
  });
  test("is none while fewer than three dates stand on either side", () => {
    expect(worsening(dated(1_800, 1_900, 2_000, 4_400, 4_500), lcp)).toBeNull();
    expect(worsening(dated(1_800, 1_900, 4_400, 4_500, 4_600), lcp)).toBeNull();
    expect(worsening([], lcp)).toBeNull();
  });
});
