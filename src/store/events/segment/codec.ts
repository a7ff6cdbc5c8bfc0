/** Integers and texts ↔ BLOBs. Nothing here knows about events. */
export type Integers = Uint8Array | Uint16Array | Uint32Array;

/** A BLOB of ours that does not decode: the file is damaged. */
export class DamagedBlob extends Error {}

const headBytes = 5;
const plain = 0;
const compressed = 1;
/** Below this, a frame of zstd costs more than it saves. */
const compressedBytesMin = 64;
export const quickLevel = 1;
export const thoroughLevel = 3;

export function packText(text: string, level: number = thoroughLevel): Uint8Array {
  return pack(Buffer.from(text), level);
}
export function unpackText(blob: Uint8Array): string {
  return unpack(blob).toString();
}

export function packJson(value: unknown): Uint8Array {
  return packText(JSON.stringify(value));
}
export function unpackJson<T>(blob: Uint8Array): T {
  return JSON.parse(unpackText(blob)) as T;
}

/**
 * Integers are written byte plane by byte plane (all low bytes, then all second bytes, …) with as many planes as the
 * largest value needs. Small codes thus take one plane, and zstd finds the high planes nearly empty.
 */
export function packIntegers(values: Integers): Uint8Array {
  const count = values.length;
  const planes = planesOf(values);
  const bytes = Buffer.allocUnsafe(1 + planes * count);
  bytes[0] = planes;
  for (let plane = 0, at = 1; plane < planes; plane++, at += count) {
    const shift = plane * 8;
    for (let i = 0; i < count; i++) bytes[at + i] = values[i] >>> shift;
  }
  return pack(bytes, thoroughLevel);
}

export function unpackIntegers(blob: Uint8Array): Integers {
  const bytes = unpack(blob);
  const planes = bytes[0];
  const count = (bytes.length - 1) / planes;
  if (!(planes >= 1 && planes <= 4 && Number.isInteger(count))) {
    throw new DamagedBlob("A column of integers has no such number of bytes.");
  }
  const low = bytes.subarray(1, 1 + count);
  if (planes === 1) return low;
  const second = bytes.subarray(1 + count, 1 + 2 * count);
  if (planes === 2) {
    const values = new Uint16Array(count);
    for (let i = 0; i < count; i++) values[i] = low[i] | (second[i] << 8);
    return values;
  }
  const third = bytes.subarray(1 + 2 * count, 1 + 3 * count);
  const values = new Uint32Array(count);
  if (planes === 3) {
    for (let i = 0; i < count; i++) values[i] = low[i] | (second[i] << 8) | (third[i] << 16);
    return values;
  }
  const fourth = bytes.subarray(1 + 3 * count);
  for (let i = 0; i < count; i++) {
    values[i] = low[i] | (second[i] << 8) | (third[i] << 16) | (fourth[i] << 24);
  }
  return values;
}

/** Bytes of the integers before compression. */
export const planeBytes = (values: Integers): number => planesOf(values) * values.length;

function planesOf(values: Integers): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > largest) largest = values[i];
  return largest < 1 << 8 ? 1 : largest < 1 << 16 ? 2 : largest < 1 << 24 ? 3 : 4;
}

/**
 * One byte for the kind, four for a checksum of it and what follows: the frames of zstd, as Bun writes them, carry
 * none, and would decode a flipped bit into wrong numbers.
 */
function pack(content: Buffer, level: number): Uint8Array {
  const isSmall = content.length < compressedBytesMin;
  const body = isSmall ? content : Bun.zstdCompressSync(content, { level });
  const blob = Buffer.allocUnsafe(headBytes + body.length);
  blob[0] = isSmall ? plain : compressed;
  blob.writeUInt32LE(Bun.hash.xxHash32(body, blob[0]), 1);
  blob.set(body, headBytes);
  return blob;
}

function unpack(blob: Uint8Array): Buffer {
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
  if (bytes.length < headBytes) throw new DamagedBlob("A column is too short.");
  const body = bytes.subarray(headBytes);
  if (bytes.readUInt32LE(1) !== Bun.hash.xxHash32(body, bytes[0])) {
    throw new DamagedBlob("A column does not match its checksum.");
  }
  if (bytes[0] === plain) return body;
  if (bytes[0] === compressed) return Bun.zstdDecompressSync(body);
  throw new DamagedBlob("A column is of an unknown kind.");
}
