import { describe, expect, test } from "bun:test";
import { codePointCount, compareLabels, compareText, withSeparators } from "./text";

describe("compareText", () => {
  test("orders by code points, where UTF-16 would not", () => {
    const ascending = ["", "a", "ab", "b", "é", "\ud7ff", "\ue000", "～", "😀", "😀a", "😁"];
    expect(ascending.toReversed().sort(compareText)).toEqual(ascending);
  });
  test("takes a lone half of a pair for the code point that it is", () => {
    const ascending = ["\ud83d", "\ud83da", "\ud83d\ud83d", "\ude00", "\ue000", "😀", "😀\ude00"];
    expect(ascending.toReversed().sort(compareText)).toEqual(ascending);
  });
  test("finds equal texts equal", () => {
    expect(compareText("😀", "😀")).toBe(0);
  });
});

describe("compareLabels", () => {
  test("puts null first and orders numbers by value", () => {
    expect([10, null, 9].sort(compareLabels)).toEqual([null, 9, 10]);
    expect(["10", null, "9"].sort(compareLabels)).toEqual([null, "10", "9"]);
  });
});

test("codePointCount counts a pair once", () => {
  expect(codePointCount("a😀\ud83d")).toBe(3);
});

test.each([
  [0, "0"],
  [365, "365"],
  [1_000, "1,000"],
  [60_000, "60,000"],
  [-999, "-999"],
  [-1_234_567, "-1,234,567"],
])("withSeparators writes %p as %s", (integer, text) => {
  expect(withSeparators(integer)).toBe(text);
  expect(withSeparators(integer)).toBe(integer.toLocaleString("en-US"));
});
