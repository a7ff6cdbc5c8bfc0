import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cases } from "../../../../test/support/random/cases";
import { recordBytesMax } from "./broken";
import { csvRecords } from "./csv";
import { jsonRecords } from "./json";

/** Bytes cut into pieces of these lengths, which take turns. */
async function* cut(bytes: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (lengths[turn % lengths.length] ?? 1);
    yield bytes.slice(at, end);
    at = end;
  }
}
async function all<Item>(pieces: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const piece of pieces) found.push(...piece);
  return found;
}
/** The rows that a reader makes of a file, errors included. */
const outcome = <Item>(pieces: AsyncIterable<readonly Item[]>): Promise<unknown> =>
  all(pieces).catch((error: unknown) => String(error));

const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const anyText = fc.string({ unit: "grapheme", maxLength: 8 });
const structure = fc.constantFrom('"', '""', ",", "\n", "\r\n", "\r", "\uFEFF", "a", "é", "\0");
const anyBytes = fc.oneof(
  fc.array(structure, { maxLength: 30 }).map((parts) => encode(parts.join(""))),
  fc.uint8Array({ maxLength: 40 }),
);

describe("CSV", () => {
  const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  const cell = fc.oneof(anyText, structure).filter((text) => !text.includes("\0"));
  const table = fc
    .tuple(fc.integer({ min: 2, max: 4 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
    .chain(([width, newline, isMarked]) =>
      fc
        .array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 })
        .map((rows) => ({
          rows,
          text:
            (isMarked ? "\uFEFF" : "") +
            rows.map((row) => row.map(quoted).join(",") + newline).join(""),
        })),
    );

  test("any table that is written by RFC 4180 is read as it was, wherever it is cut", async () => {
    const property = fc.asyncProperty(table, lengths, async ({ rows, text }, pieces) => {
      const read = await all(csvRecords(cut(encode(text), pieces)));
      expect(read.map(({ cells }) => cells)).toEqual(rows);
    });
    await fc.assert(property, { numRuns: cases(100, 20_000) });
  });

  test("any bytes are read as the same records, wherever they are cut", async () => {
    const property = fc.asyncProperty(anyBytes, lengths, async (bytes, pieces) => {
      const whole = await outcome(csvRecords(cut(bytes, [bytes.length])));
      expect(await outcome(csvRecords(cut(bytes, pieces)))).toEqual(whole);
    });
    await fc.assert(property, { numRuns: cases(200, 50_000) });
  });

  test("a record that is too long ends where it would end if it were read", async () => {
    const long = "x".repeat(recordBytesMax + 300_000);
    const property = fc.asyncProperty(fc.array(structure, { maxLength: 12 }), async (parts) => {
      const text = parts.join("");
      // In the first file nothing of the record is left when it ends, in the second one all of it.
      const piecemeal = await outcome(csvRecords(cut(encode(`${long},${text}\nb,c\n`), [200_000])));
      const whole = await outcome(
        csvRecords(cut(encode(`${long},${text}\nb,c\n`), [2 * recordBytesMax])),
      );
      expect(piecemeal).toEqual(whole);
    });
    const examples: [string[]][] = [[["a", '"', "\n"]], [['"', '""', "\n", '"', ",", "a"]]];
    await fc.assert(property, { numRuns: cases(8, 300), examples });
  });

  test("the longest record is read, one byte more is refused, and its neighbours are read", async () => {
    const fits = "x".repeat(recordBytesMax - "a,".length);
    const bytes = encode(`a,${fits}\na,${fits}x\nb,"${"\n".repeat(recordBytesMax)}"\nc,d`);
    for (const piece of [100_000, 5_000_000]) {
      const records = await all(csvRecords(cut(bytes, [piece])));
      expect(
        records.map(({ line, cells, isTooLong }) => [line, cells?.[0], isTooLong === true]),
      ).toEqual([
        [1, "a", false],
        [2, undefined, true],
        [3, undefined, true],
        [3 + recordBytesMax + 1, "c", false],
      ]);
    }
  });

  test("a quote that never ends is an error that names its line, however long it is", async () => {
    for (const length of [10, 3 * recordBytesMax]) {
      const bytes = encode(`a,b\nc,"${"x\n".repeat(length / 2)}`);
      expect(all(csvRecords(cut(bytes, [300_000])))).rejects.toMatchObject({
        ...{ code: "IMPORT_BROKEN", extras: { line: 2 } },
      });
    }
  });
});

describe("JSON", () => {
  const values = fc.array(fc.dictionary(anyText, fc.oneof(anyText, fc.jsonValue({ maxDepth: 2 }))));
  const texts = async (bytes: Uint8Array, pieces: readonly number[]) =>
    (await all(jsonRecords(cut(bytes, pieces)))).map(({ text }): unknown => JSON.parse(text ?? ""));

  test("objects are read from lines and from one list, wherever they are cut", async () => {
    const property = fc.asyncProperty(values, lengths, async (objects, pieces) => {
      const plain: unknown[] = JSON.parse(JSON.stringify(objects));
      const lines = objects.map((object) => `${JSON.stringify(object)}\r\n`).join("");
      expect(await texts(encode(lines), pieces)).toEqual(plain);
      expect(await texts(encode(`\uFEFF${JSON.stringify(objects)}\n`), pieces)).toEqual(plain);
      expect(await texts(encode(JSON.stringify(objects, null, 1)), pieces)).toEqual(plain);
    });
    await fc.assert(property, { numRuns: cases(60, 1_000) });
  });

  test("any bytes are read as the same records, wherever they are cut", async () => {
    const json = fc.constantFrom(...'[]{},:"\\\n 1', "é", "\uFEFF");
    const bytesOf = fc.array(json, { maxLength: 25 }).map((parts) => encode(parts.join("")));
    const property = fc.asyncProperty(
      fc.oneof(bytesOf, fc.uint8Array({ maxLength: 30 })),
      lengths,
      async (bytes, pieces) => {
        const whole = await outcome(jsonRecords(cut(bytes, [bytes.length])));
        expect(await outcome(jsonRecords(cut(bytes, pieces)))).toEqual(whole);
      },
    );
    await fc.assert(property, { numRuns: cases(200, 50_000) });
  });

  test("lines of elements are those on which they begin; one that is too long is refused alone", async () => {
    const long = `"${"x".repeat(recordBytesMax)}"`;
    const list = encode(`[\n1,\n\n {"a":\n2}, ${long}\n,3 ]`);
    const lines = encode(`1\n\n${long}\n3`);
    for (const piece of [1_001, 3_000_000]) {
      const inList = await all(jsonRecords(cut(list, [piece])));
      expect(inList.map(({ line, isTooLong }) => [line, isTooLong === true])).toEqual([
        ...[
          [2, false],
          [4, false],
          [5, true],
          [6, false],
        ],
      ]);
      const inLines = await all(jsonRecords(cut(lines, [piece])));
      expect(inLines.map(({ line, isTooLong }) => [line, isTooLong === true])).toEqual([
        ...[
          [1, false],
          [3, true],
          [4, false],
        ],
      ]);
    }
  });

  test("a list that is cut short, or goes on after its end, is an error", async () => {
    for (const text of ["[1,\n2", "[1]\n2", '["', "[1]]", "[{]"]) {
      const broken = all(jsonRecords(cut(encode(text), [1])));
      await expect(broken).rejects.toMatchObject({ code: "IMPORT_BROKEN" });
    }
  });
});
