import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns everything that lies in the files of a ClickHouse, compressed blocks unpacked too. */
export function textsOfClickHouse(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const texts: string[] = [];
  for (const file of files) {
    if (!file.isFile()) continue;
    const bytes = bytesOf(join(file.parentPath, file.name));
    if (bytes !== null) texts.push(bytes.toString("latin1"), ...unpackedBlocks(bytes));
  }
  return texts.join("\n");
}

/** ClickHouse removes files meanwhile. */
function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}

const checksumBytes = 16;
const headerBytes = 9;
const lz4 = 0x82;
const zstd = 0x90;

/** A compressed file is a row of blocks: a checksum, the method, both lengths, and the data. */
function* unpackedBlocks(bytes: Buffer): Generator<string> {
  let at = checksumBytes;
  while (at + headerBytes < bytes.length) {
    const method = bytes[at];
    const length = bytes.readUInt32LE(at + 1);
    const unpackedLength = bytes.readUInt32LE(at + 5);
    if (length < headerBytes || at + length > bytes.length) return;
    const packed = bytes.subarray(at + headerBytes, at + length);
    if (method === zstd) yield Buffer.from(Bun.zstdDecompressSync(packed)).toString("latin1");
    else if (method === lz4) yield unpackedLz4(packed, unpackedLength).toString("latin1");
    at += length + checksumBytes;
  }
}

/** A block of LZ4 is a row of literals, each followed by a copy of what was unpacked before. */
function unpackedLz4(packed: Buffer, length: number): Buffer {
  const unpacked = Buffer.alloc(length);
  let from = 0;
  let to = 0;
  const longLength = (start: number): number => {
    let more = start;
    if (start === 15) {
      let byte = 255;
      while (byte === 255) {
        byte = packed[from++];
        more += byte;
      }
    }
    return more;
  };
  while (from < packed.length) {
    const token = packed[from++];
    const literals = longLength(token >> 4);
    packed.copy(unpacked, to, from, from + literals);
    from += literals;
    to += literals;
    if (from >= packed.length) break;
    const offset = packed.readUInt16LE(from);
    from += 2;
    const copied = 4 + longLength(token & 15);
    for (let count = 0; count < copied; count++, to++) unpacked[to] = unpacked[to - offset];
  }
  return unpacked;
}
