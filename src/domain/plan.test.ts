import { expect, test } from "bun:test";
import { dayMs } from "../lib/clock";
import { allowsMore, effectiveTier, retentionDays, tierLimits, unlimited } from "./plan";

test("the limits are those of the documentation", () => {
  expect(Object.values(tierLimits.free)).toEqual([100_000, 2, 500, 90, 10]);
  expect(Object.values(tierLimits.pro)).toEqual([-1, -1, -1, 365, 1_000]);
});

test("a complimentary account has the rights of Pro", () => {
  expect(effectiveTier({ tier: "free", complimentary: true })).toBe("pro");
  expect(effectiveTier({ tier: "pro", complimentary: true })).toBe("pro");
  expect(effectiveTier({ tier: "free", complimentary: false })).toBe("free");
});

test("a limit is reached by its last one and not crossed", () => {
  expect(allowsMore(500, 499)).toBe(true);
  expect(allowsMore(500, 500)).toBe(false);
  expect(allowsMore(100, 50, 50)).toBe(true);
  expect(allowsMore(100, 50, 51)).toBe(false);
  expect(allowsMore(unlimited, 1e12, 1e12)).toBe(true);
});

test("retention follows 30 days after Pro was lost, to the millisecond", () => {
  const lost = { tier: "free", complimentary: false, lostProAtMs: 1_000 } as const;
  const ends = 1_000 + 30 * dayMs;
  expect(retentionDays(lost, ends - 1)).toBe(365);
  expect(retentionDays(lost, ends)).toBe(90);
  expect(retentionDays({ ...lost, lostProAtMs: null }, 0)).toBe(90);
  expect(retentionDays({ ...lost, complimentary: true }, ends)).toBe(365);
  expect(retentionDays({ ...lost, tier: "pro" }, ends)).toBe(365);
});
