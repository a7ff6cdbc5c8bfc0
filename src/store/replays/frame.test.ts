import { expect, test } from "bun:test";
import { segmentJsonBytesMax } from "../../domain/replay/limits";
import { DamagedBlob } from "../damage";
import { packed, unpacked } from "./frame";

const textOf = (count: number): Buffer =>
  Buffer.from(
    JSON.stringify(Array.from({ length: count }, (_, at) => ({ at, k: (at * 7919) % 13 }))),
  );

/** Null for a frame that is refused. */
function opened(frame: Uint8Array): Buffer | null {
  try {
    return unpacked(frame, 1);
  } catch (error) {
    if (error instanceof DamagedBlob) return null;
    throw error;
  }
}

test("a frame holds its text, from an empty one to the longest", () => {
  for (const text of [Buffer.alloc(0), Buffer.from("[]"), textOf(60), textOf(40_000)])
    expect(opened(packed(text))?.equals(text)).toBe(true);
  const longest = Buffer.alloc(4 * segmentJsonBytesMax, "a");
  expect(opened(packed(longest))?.length).toBe(longest.length);
  expect(opened(packed(Buffer.alloc(longest.length + 1, "a")))).toBeNull();
});

test("a frame in which any one bit is another has the same text, or is refused", () => {
  for (const text of [Buffer.from("[]"), textOf(60)]) {
    const frame = packed(text);
    for (let bit = 0; bit < frame.length * 8; bit++) {
      const other = Uint8Array.from(frame);
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const read = opened(other);
      expect([bit, read === null || read.equals(text)]).toEqual([bit, true]);
    }
  }
});

test("a frame that is cut anywhere is refused", () => {
  const frame = packed(textOf(60));
  for (let bytes = 0; bytes < frame.length; bytes++)
    expect([bytes, opened(frame.subarray(0, bytes))]).toEqual([bytes, null]);
});
