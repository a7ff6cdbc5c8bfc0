import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { endianness } from "node:os";

const headerBytes = 32;
const frameHeaderBytes = 24;
const magic = 0x377f0682;
/** With this bit set the checksums are of big-endian words. */
const bigEndianBit = 1;
const chunkBytesMax = 4 * 1024 * 1024;

/**
 * How many bytes of a database's write-ahead log come after its last whole commit and were meant to be used: what an
 * interrupted write, a cut or a flipped bit leaves behind. SQLite starts without them and says nothing, so this must be
 * asked before the file is opened. Frames left over from an earlier round of the log are not among them.
 *
 * https://www.sqlite.org/fileformat2.html#walformat
 */
export function unusedLogBytes(databaseFile: string): number {
  const path = `${databaseFile}-wal`;
  if (!existsSync(path)) return 0;
  const file = openSync(path, "r");
  try {
    return unusedIn(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

function unusedIn(file: number, size: number): number {
  if (size === 0) return 0;
  const header = readAt(file, 0, headerBytes);
  const log = logOf(header);
  if (log === null) return size;
  const frameBytes = frameHeaderBytes + log.pageBytes;
  const framesPerChunk = Math.max(1, Math.floor(chunkBytesMax / frameBytes));
  let usedBytes = headerBytes;
  let lastOwnByte = headerBytes;
  let isValid = true;
  for (let at = headerBytes; at < size; at += framesPerChunk * frameBytes) {
    const chunk = readAt(file, at, framesPerChunk * frameBytes);
    for (let start = 0; start < chunk.length; start += frameBytes) {
      const frame = chunk.subarray(start, start + frameBytes);
      const isOwn = frame.length < frameHeaderBytes || log.hasSalts(frame);
      const end = at + start + frame.length;
      if (isOwn) lastOwnByte = end;
      isValid &&= frame.length === frameBytes && isOwn && log.continuesWith(frame);
      if (isValid && endsCommit(frame)) usedBytes = end;
    }
  }
  return lastOwnByte - usedBytes;
}

interface Log {
  readonly pageBytes: number;
  /** Written in this round of the log. */
  hasSalts(frame: Buffer): boolean;
  /** Adds the frame to the running checksum. False when it does not carry that sum. */
  continuesWith(frame: Buffer): boolean;
}

/** Reads the header of a log, or returns null when it is none. */
function logOf(header: Buffer): Log | null {
  if (header.length < headerBytes) return null;
  const kind = header.readUInt32BE(0);
  if ((kind & ~bigEndianBit) >>> 0 !== magic) return null;
  const sum = new Checksum(((kind & bigEndianBit) !== 0) !== (endianness() === "BE"));
  sum.add(header.subarray(0, 24));
  if (!sum.equals(header, 24)) return null;
  const salts = header.subarray(16, 24);
  return {
    pageBytes: header.readUInt32BE(8),
    hasSalts: (frame) => frame.subarray(8, 16).equals(salts),
    continuesWith: (frame) => {
      sum.add(frame.subarray(0, 8));
      sum.add(frame.subarray(frameHeaderBytes));
      return sum.equals(frame, 16);
    },
  };
}

/** The database's size in pages stands only in the last frame of a commit. */
const endsCommit = (frame: Buffer): boolean => frame.readUInt32BE(4) !== 0;

/** SQLite's checksum of pairs of words, which goes on from frame to frame. */
class Checksum {
  private first = 0;
  private second = 0;

  constructor(private readonly isSwapped: boolean) {}

  /** A multiple of eight bytes. */
  add(bytes: Buffer): void {
    const own = this.isSwapped ? Buffer.from(bytes).swap32() : bytes;
    const words = new Int32Array(own.buffer, own.byteOffset, own.byteLength / 4);
    let { first, second } = this;
    for (let i = 0; i < words.length; i += 2) {
      first = (first + words[i] + second) | 0;
      second = (second + words[i + 1] + first) | 0;
    }
    this.first = first;
    this.second = second;
  }

  equals(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.first && bytes.readInt32BE(at + 4) === this.second;
  }
}

/** Copies bytes into memory of their own, as words are read from it in place. */
function readAt(file: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.from(new ArrayBuffer(bytes));
  return buffer.subarray(0, readSync(file, buffer, 0, bytes, position));
}
