import { expect, test } from "bun:test";
import { SeenHashes } from "./seen-hashes";

/** A table of 2 MB is half full with this many. */
const hashesPerTable = 1 << 17;
const hashes = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => (from + index) * 7_919 + 1);

test("every hash of the last hundred thousand and some is known, also while the tables grow", () => {
  const seen = new SeenHashes(1n);
  const forgotten: number[] = [];
  const looks = [2_047, 2_048, 2_049, 100_000, hashesPerTable, hashesPerTable + 1, 250_000];
  let added = 0;
  for (const count of looks) {
    for (const hash of hashes(added, count)) seen.add(hash);
    added = count;
    const last = hashes(Math.max(0, added - hashesPerTable), added);
    forgotten.push(...last.filter((hash) => !seen.has(hash)));
  }
  expect(forgotten).toEqual([]);
});

test("what was not added is not known, and the oldest is forgotten", () => {
  const seen = new SeenHashes(1n);
  for (const hash of hashes(0, 3 * hashesPerTable)) seen.add(hash);
  const isKnown = (hash: number): boolean => seen.has(hash);
  expect(hashes(3 * hashesPerTable, 3 * hashesPerTable + 1_000).filter(isKnown)).toEqual([]);
  expect(hashes(0, 1_000).filter(isKnown)).toEqual([]);
});
