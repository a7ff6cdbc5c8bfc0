import { expect, test } from "bun:test";
import { TwoGenerationCache } from "./two-generation-cache";

test("what was made once is not made again while it is recent", () => {
  const recent = new TwoGenerationCache<string, number>(2);
  let made = 0;
  const get = (key: string) => recent.get(key, () => ++made);
  expect([get("a"), get("a"), get("b"), get("a")]).toEqual([1, 1, 2, 1]);
  // "a" is used in every generation and stays; "b" is not and goes.
  for (const other of ["c", "d", "e", "f", "g"]) {
    get(other);
    expect(get("a")).toBe(1);
  }
  expect(get("b")).toBeGreaterThan(2);
});

test("it never holds more than two generations", () => {
  const recent = new TwoGenerationCache<number, number>(10);
  for (let key = 0; key < 1_000; key++) {
    recent.get(key, (made) => made);
    expect(recent.count).toBeLessThanOrEqual(20);
  }
});

test("null is a value like any other", () => {
  const recent = new TwoGenerationCache<string, null>(4);
  let made = 0;
  const make = () => {
    made++;
    return null;
  };
  for (let n = 0; n < 5; n++) recent.get("a", make);
  expect(made).toBe(1);
});

test("a value that is set or deleted is not made from what was before", () => {
  const recent = new TwoGenerationCache<string, number>(2);
  expect(recent.get("a", () => 1)).toBe(1);
  recent.set("a", 2);
  expect(recent.get("a", () => 3)).toBe(2);
  recent.set("b", 4);
  recent.set("c", 5);
  recent.delete("a");
  expect(recent.get("a", () => 6)).toBe(6);
});
