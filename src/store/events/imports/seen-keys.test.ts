import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hash } from "../segment/hash";
import { countKeys, findRepeats, KeyedRows, keyParts } from "./seen-keys";

const folder = mkdtempSync(join(tmpdir(), "sightline-keys-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Keys of ids have the lowest bit. This one lies in the part by that number. */
const keyOf = (part: number, number: number): Hash => [(part << 26) >>> 0, 2 * number + 1];

/** Adds keys to a part, of which the last is the first one again. */
function keyed(part: number, count: number) {
  const rows = new KeyedRows(folder, `keys-of-${count}`);
  for (let ordinal = 0; ordinal < count; ordinal++) {
    rows.add(keyOf(part, ordinal === count - 1 ? 0 : ordinal), ordinal);
  }
  return rows;
}
function ended<Value>(steps: Generator<void, Value>): Value {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
const filesOf = (count: number): string[] =>
  readdirSync(folder).filter((name) => name.startsWith(`keys-of-${count}-`));

describe("keys of a part wait in memory, and lie on the disk when there are 2,048 of them", () => {
  test.each([
    [2_047, 0, 0],
    [2_048, 63, 1],
    [2_049, 5, 1],
    [5_000, 63, 1],
  ])("%d keys of part %d are in %d files", (count, part, files) => {
    const rows = keyed(part, count);
    expect(filesOf(count)).toHaveLength(files);
    expect(ended(countKeys(rows))).toBe(count - 1);
    const repeats = ended(findRepeats(rows, count, () => []));
    const found = Array.from({ length: count }, (_, at) => (repeats[at >> 3] >> (at & 7)) & 1);
    expect(found.indexOf(1)).toBe(count - 1);
    expect(found.filter((bit) => bit === 1)).toHaveLength(1);
  });

  test("keys of another import are repeats in whichever part they are", () => {
    const rows = new KeyedRows(folder, "both");
    for (let part = 0; part < keyParts; part++) rows.add(keyOf(part, part), part);
    const earlierOf = (part: number) =>
      part % 2 === 0 ? [Uint32Array.from(keyOf(part, part))] : [];
    const repeats = ended(findRepeats(rows, keyParts, earlierOf));
    expect([...repeats]).toEqual(Array(8).fill(0b01010101));
  });
});
