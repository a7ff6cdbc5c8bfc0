import { expect, test } from "bun:test";
import { type Random, randomFrom, randomSeed } from "../../../../../test/support/random/random";
import { type KeyList, newKeyList } from "./key-list";
import { KeySummary } from "./key-summary";

const random = randomFrom(randomSeed());
const half = (): number => random.below(2 ** 16) * 2 ** 16 + random.below(2 ** 16);

function keysOf({ below }: Random, count: number): KeyList {
  const { high, low, atMs } = newKeyList(count);
  for (let i = 0; i < count; i++) {
    // Some keys have all bits set, and some none.
    high[i] = below(50) === 0 ? 2 ** 32 - 1 : half();
    low[i] = below(50) === 0 ? 0 : half();
  }
  return { high, low, atMs, length: count };
}

test.each([64, 100, 3_000, 20_000])("a summary of %d bytes has every key", (bytes) => {
  const summary = new KeySummary(10_000, bytes);
  const keys = keysOf(random, 10_000);
  summary.add(keys);
  for (let i = 0; i < keys.length; i++) {
    expect(summary.mayHave(keys.high[i], keys.low[i])).toBe(true);
  }
  expect(summary.isFull).toBe(false);
  summary.add(keysOf(random, 1));
  expect(summary.isFull).toBe(true);
  expect(summary.bytes).toBeLessThanOrEqual(bytes);
});

test("of ten bits a key, a full one lets through few keys that it has not", () => {
  const keysMax = 40_000;
  const summary = new KeySummary(keysMax, (keysMax * 10) / 8);
  expect(summary.mayHave(half(), half())).toBe(false);
  summary.add(keysOf(random, keysMax));
  let letThrough = 0;
  for (let i = 0; i < keysMax; i++) if (summary.mayHave(half(), half())) letThrough++;
  expect(letThrough / keysMax).toBeLessThan(0.03);
});
