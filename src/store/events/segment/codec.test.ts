import { describe, expect, test } from "bun:test";
import { randomFrom, randomSeed } from "../../../../test/support/random/random";
import { DamagedBlob } from "../../damage";
import {
  asUnpacked,
  packIntegers,
  packText,
  unpackIntegers,
  unpackJson,
  unpackText,
} from "./codec";

describe("integers", () => {
  test("come back, with as many bytes as the largest needs", () => {
    const random = randomFrom(randomSeed());
    for (const largest of [0, 255, 256, 65_535, 65_536, 2 ** 24 - 1, 2 ** 24, 2 ** 32 - 1]) {
      for (const count of [0, 1, 7, 1_000]) {
        const values = new Uint32Array(count).map(() => random.below(largest + 1));
        if (count > 0) values[random.below(count)] = largest;
        const [own, wide] = [false, true].map((isWide) =>
          unpackIntegers(packIntegers(values), isWide),
        );
        expect([...own]).toEqual([...values]);
        expect(wide).toEqual(values);
        expect([asUnpacked(values), asUnpacked(values, true)]).toEqual([own, wide]);
      }
    }
  });
});

describe("texts", () => {
  test("come back, short and long, in any alphabet", () => {
    for (const text of ["", "a", "\0\u2028ü😀", "x".repeat(100_000), "ключ ".repeat(5_000)]) {
      expect(unpackText(packText(text))).toBe(text);
    }
  });

  test("come back when they are packed in parts, which never end inside a character", () => {
    const long = "😀".repeat(700_000);
    for (const text of [long, `a${long}`, `${"x".repeat(2 ** 19)}`, `${"ü".repeat(2 ** 19)}ü`]) {
      expect(unpackText(packText(text)) === text).toBe(true);
    }
    const value = ["\ud800", { __proto__: null, a: [1.5, -0.1] }];
    expect(JSON.stringify(unpackJson(packText(JSON.stringify(value))))).toBe(JSON.stringify(value));
  });
});

test("any flipped bit is found", () => {
  for (const blob of [packText("short"), packText("long ".repeat(1_000))]) {
    for (let bit = 0; bit < blob.length * 8; bit++) {
      const damaged = blob.slice();
      damaged[bit >> 3] ^= 1 << (bit & 7);
      expect(() => unpackText(damaged)).toThrow(DamagedBlob);
    }
  }
  expect(() => unpackText(packText("cut off").subarray(0, 3))).toThrow(DamagedBlob);
});
