import { describe, expect, test } from "bun:test";
import { ByteBoundedCache } from "./cache";

/** Each entry costs its bytes and 200 more. */
const own = 200;
const get = (cache: ByteBoundedCache, key: string, bytes = 0, value = key): string =>
  cache.get(
    key,
    () => bytes,
    () => value,
  );

describe("a cache bounded in bytes", () => {
  test("makes a value once, as long as there is room for it", () => {
    const cache = new ByteBoundedCache(10 * own);
    expect(get(cache, "a", 0, "first")).toBe("first");
    expect(get(cache, "a", 0, "second")).toBe("first");
    expect([cache.hits, cache.misses, cache.bytes]).toEqual([1, 1, own]);
  });

  test("evicts the value that was used longest ago", () => {
    const cache = new ByteBoundedCache(3 * own);
    for (const key of ["a", "b", "c", "a", "d"]) get(cache, key);
    const isKept = (key: string): boolean => get(cache, key, 0, "made again") === key;
    expect(["a", "c", "d"].map(isKept)).toEqual([true, true, true]);
    expect(isKept("b")).toBe(false);
  });

  test("never holds more than its bound, and does not keep what alone is larger", () => {
    const cache = new ByteBoundedCache(1_000);
    for (let i = 0; i < 100; i++) {
      get(cache, `${i}`, i * 20);
      expect(cache.bytes).toBeLessThanOrEqual(1_000);
    }
    expect(get(cache, "large", 801, "large")).toBe("large");
    expect(get(cache, "large", 801, "large again")).toBe("large again");
  });

  test("evicts other values, or the value itself, when that has grown", () => {
    const cache = new ByteBoundedCache(3 * own);
    for (const key of ["a", "b", "c"]) get(cache, key);
    cache.put("a", "a", own);
    expect([...cache.keys()]).toEqual(["c", "a"]);
    expect(cache.bytes).toBe(3 * own);
    cache.put("a", "a", 0);
    expect(cache.bytes).toBe(2 * own);
    cache.put("a", "a", 2 * own + 1);
    expect([...cache.keys()]).toEqual(["c"]);
    expect(cache.bytes).toBe(own);
  });

  test("takes back a value that it had evicted", () => {
    const cache = new ByteBoundedCache(2 * own);
    for (const key of ["a", "b", "c"]) get(cache, key);
    cache.put("a", "a itself", 0);
    expect([...cache.keys()]).toEqual(["c", "a"]);
    expect(get(cache, "a", 0, "another")).toBe("a itself");
    expect(cache.bytes).toBe(2 * own);
  });

  test("counts a value once when making it stored one under the same key", () => {
    const cache = new ByteBoundedCache(10 * own);
    cache.get(
      "a",
      () => 0,
      () => get(cache, "a"),
    );
    expect(cache.bytes).toBe(own);
    cache.clear();
    expect(cache.bytes).toBe(0);
    expect(get(cache, "a", 0, "new")).toBe("new");
  });
});
