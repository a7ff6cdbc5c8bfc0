import { expect, test } from "bun:test";
import fc from "fast-check";
import { bytesPerUnitMax, readText, writeText } from "./code-points";
import { compareText } from "./text";

const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
});

const bytesOf = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length * bytesPerUnitMax);
  return bytes.subarray(0, writeText(bytes, 0, text));
};

test("what was written can be read, lone surrogates included", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const bytes = bytesOf(text);
      expect(readText(bytes, 0, bytes.length)).toBe(text);
    }),
  );
});

test("bytes are in the order of code points", () => {
  const sign = (order: number): number => Math.sign(order);
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      expect(sign(Buffer.compare(bytesOf(a), bytesOf(b)))).toBe(sign(compareText(a, b)));
    }),
  );
});

test("whole characters are written as UTF-8", () => {
  const text = "aü€😀";
  expect([...bytesOf(text)]).toEqual([...Buffer.from(text)]);
});
