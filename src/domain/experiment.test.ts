import { expect, test } from "bun:test";
import { bucketOf, variantOf } from "../../test/support/world/bucket";
import { checkTransition, variantsOf } from "./experiment";

test("visitors fall into the buckets that are expected", () => {
  expect(bucketOf("signup_cta", "user_1")).toBe(14);
  expect(bucketOf("hero_text", "anon_abc")).toBe(75);
  expect(bucketOf("signup_cta", "anon_k7x9")).toBe(33);
  expect(bucketOf("hero", "user-42")).toBe(80);
});

test("default weights send each bucket where the tracker sends it", () => {
  const shares = (keys: readonly string[]) => {
    const variants = variantsOf(keys, undefined);
    const counts = new Map(keys.map((key) => [key, 0]));
    for (let user = 0; user < 20_000; user++) {
      const key = variantOf("hero", variants, `anon_${user.toString(36)}`);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts.values()].map((count) => Math.round((100 * count) / 20_000));
  };
  expect(shares(["a", "b"])).toEqual([50, 50]);
  const [first = 0, ...others] = shares(["a", "b", "c"]);
  expect(Math.abs(first - 34)).toBeLessThanOrEqual(1);
  for (const share of others) expect(Math.abs(share - 33)).toBeLessThanOrEqual(1);
});

test("a refusal says what is possible", () => {
  expect(() => checkTransition("active", "active")).toThrow(
    "Its status can only change to paused or completed.",
  );
  expect(() => checkTransition("paused", "paused")).toThrow(
    "Its status can only change to active or completed.",
  );
  expect(() => checkTransition("completed", "active")).toThrow("cannot be changed");
});
