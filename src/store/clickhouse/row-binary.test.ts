import { expect, test } from "bun:test";
import { RowBinary } from "./row-binary";
import { bytesOf } from "./text";

/** As the format is defined: the length in groups of seven bits, and the bytes. */
function written(bytes: Uint8Array): number[] {
  const found: number[] = [];
  let left = bytes.length;
  for (; left > 127; left >>= 7) found.push((left & 127) | 128);
  return [...found, left, ...bytes];
}
const halves = "\ud83d\ude00".split("");
const texts = [
  ...["", "a", "é", "漢", "😀", "tab\tnul\0", halves[0], `x${halves[1]}`],
  // On both sides of each length that takes another byte, in letters of one, two, three and four bytes.
  ...[1, 126, 127, 128, 129, 16_383, 16_384].flatMap((count) =>
    ["a", "é", "漢", "😀", halves[0]].map((letter) => letter.repeat(count)),
  ),
  // Longer than the rows have room for at first.
  "long".repeat(50_000),
];

test("texts are written as the format says, at any length, also behind a byte and with halves of letters", () => {
  const rows = new RowBinary();
  const marked = new RowBinary();
  for (const text of texts) {
    rows.text(text).uint8(7);
    marked.marked(0xff, text).uint8(7);
  }
  expect(Buffer.from(rows.done())).toEqual(
    Buffer.from(texts.flatMap((text) => [...written(bytesOf(text)), 7])),
  );
  const behind = (text: string): Uint8Array => Uint8Array.of(0xff, ...bytesOf(text));
  expect(Buffer.from(marked.done())).toEqual(
    Buffer.from(texts.flatMap((text) => [...written(behind(text)), 7])),
  );
});

test("safe integers of either sign are written as 64 bits", () => {
  const { MAX_SAFE_INTEGER: most } = Number;
  const values = [0, 1, -1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -(2 ** 32), -(2 ** 32) - 1, most, -most];
  const rows = new RowBinary();
  for (const value of values) rows.int64(value);
  const view = new DataView(rows.done().slice().buffer);
  expect(values.map((_, index) => view.getBigInt64(8 * index, true))).toEqual(values.map(BigInt));
});
