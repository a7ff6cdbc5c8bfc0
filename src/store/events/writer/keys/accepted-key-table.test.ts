import { expect, test } from "bun:test";
import { AcceptedKeyTable } from "./accepted-key-table";

/** Spread over all 32 bits, as hashes are. */
const highOf = (at: number): number => Math.imul(at, 0x9e3779b1) >>> 0;

/** A table is small up to 2,048 keys, has its usual size up to 131,072, and twice that beyond. */
for (const count of [2_048, 2_049, 131_072, 131_073]) {
  test(`all of ${count} keys are found, with the time of each, and in their blocks`, () => {
    const table = new AcceptedKeyTable();
    for (let at = 1; at <= count; at++) table.set(highOf(at), at, at);
    let wrong = 0;
    for (let at = 1; at <= count; at++) if (table.find(highOf(at), at) !== at) wrong++;
    expect([table.size, wrong, table.find(highOf(1), count + 1)]).toEqual([count, 0, null]);
    const highs = [0, 1, 2, 3].flatMap((block) => [...table.block(block, 2).high]);
    expect(highs.length).toBe(count);
    expect(highs.every((high, index) => index === 0 || highs[index - 1] <= high)).toBe(true);
  });
}

test("an emptied table has none of its keys", () => {
  for (const count of [10, 3_000, 140_000]) {
    const table = new AcceptedKeyTable();
    for (let at = 1; at <= count; at++) table.set(highOf(at), at, at);
    const emptied = table.emptied();
    expect([emptied.size, emptied.find(highOf(1), 1), emptied.firstAtMs]).toEqual([
      0,
      null,
      Number.POSITIVE_INFINITY,
    ]);
  }
});
