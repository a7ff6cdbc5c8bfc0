import { expect, test } from "bun:test";
import { randomFrom, randomSeed } from "../../../../test/support/random/random";
import { FixedLengthTexts } from "./fixed-length-texts";
import { Texts } from "./texts";

const listOf = (values: readonly unknown[]): Buffer => Buffer.from(JSON.stringify(values));

test("texts of one length are read where they lie", () => {
  const values = ["abc", "déf".slice(0, 2), "x,y", "[,]", "???"];
  const even = FixedLengthTexts.of(listOf(values), values.length)!;
  expect(values.map((_, index) => even.text(index))).toEqual(values);
  const bytes = values.map((_, index) =>
    Buffer.from(even.bytes.subarray(even.startOf(index), even.endOf(index))).toString(),
  );
  expect(bytes).toEqual(values);
});

test("a list has fixed-length texts if all its values are texts with as many bytes, without escapes", () => {
  const isEven = (...values: unknown[]): boolean =>
    FixedLengthTexts.of(listOf(values), values.length) !== null;
  expect(isEven("a")).toBe(true);
  expect(isEven("", "")).toBe(true);
  expect(isEven("ab", "cd")).toBe(true);
  expect(isEven()).toBe(false);
  expect(isEven("ab", "c")).toBe(false);
  expect(isEven(null, null)).toBe(false);
  expect(isEven("abcd", null, "ab")).toBe(false);
  expect(isEven('a"', 'b"')).toBe(false);
  expect(isEven("a\\", "b\\")).toBe(false);
  expect(isEven("a\n", "b\n")).toBe(false);
});

test("a list whose number of bytes alone fits is no list of fixed-length texts", () => {
  const seed = randomSeed();
  const random = randomFrom(seed);
  let even = 0;
  for (let round = 0; round < 20_000; round++) {
    const values = Array.from({ length: random.between(1, 4) }, () =>
      random.chance(0.1)
        ? null
        : Array.from({ length: random.between(0, 3) }, () =>
            random.pick(['"', ",", "a", "\\", "é"]),
          ).join(""),
    );
    const found = FixedLengthTexts.of(listOf(values), values.length);
    if (found === null) continue;
    even++;
    const parsed = Texts.parse(listOf(values));
    expect({ seed, texts: values.map((_, index) => found.text(index)) }).toEqual({
      seed,
      texts: values as string[],
    });
    expect(values.map((_, index) => parsed.text(index))).toEqual(values);
  }
  expect(even).toBeGreaterThan(0);
});
