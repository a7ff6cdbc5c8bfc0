import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { Sha256 } from "./sha256";

const ours = (pieces: readonly Uint8Array[]): string => {
  const hash = new Sha256();
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
};
const theirs = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

test("a hash is that of the standard, of every length around its blocks", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) % 256);
    expect([length, ours([bytes])]).toEqual([length, theirs(bytes)]);
  }
});

test("it is the same however the bytes come in pieces", () => {
  const bytes = Uint8Array.from({ length: 10_000 }, (_, i) => (i * i) % 251);
  for (const size of [1, 63, 64, 65, 1_000]) {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
    expect(ours(pieces)).toBe(theirs(bytes));
  }
});
