import { free } from "../../../lib/free";
import { DamagedBlob, type Place } from "../../damage";

/* Encodes integers and texts as BLOBs, and decodes them. This file knows nothing about events. */

export type Integers = Uint8Array | Uint16Array | Uint32Array;

const headBytes = 5;
const plain = 0;
const compressed = 1;
/** Frames of zstd, each behind its length in four bytes. */
const inFrames = 2;
/** A frame of zstd with fewer bytes costs more than it saves. */
const compressedBytesMin = 64;
export const quickLevel = 1;
export const thoroughLevel = 3;
/** Segments are a twentieth smaller than with `thoroughLevel`, for half a microsecond per event. */
export const settledLevel = 9;

/** Long texts are compressed in parts, which stay in the processor's cache and need no large buffers. */
const frameCharsMax = 512 * 1024;
const lengthBytes = 4;

export function packText(text: string, level: number = thoroughLevel): Uint8Array {
  if (text.length <= frameCharsMax) return pack(Buffer.from(text), level);
  const frames: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    const end = partEnd(text, at);
    const frame = Bun.zstdCompressSync(Buffer.from(text.slice(at, end)), { level });
    const length = Buffer.allocUnsafe(lengthBytes);
    length.writeUInt32LE(frame.length);
    frames.push(length, frame);
    at = end;
  }
  return blobOf(inFrames, frames);
}
export function unpackText(blob: Uint8Array): string {
  return partsOf(blob)
    .map((part) => part.toString())
    .join("");
}
/** Unpacks a text as UTF-8. */
export function unpackTextBytes(blob: Uint8Array): Buffer {
  const parts = partsOf(blob);
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}
function partsOf(blob: Uint8Array): Buffer[] {
  const { kind, body } = checked(blob);
  if (kind !== inFrames) return [unpack(blob)];
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const from = at + lengthBytes;
    at = from + body.readUInt32LE(at);
    parts.push(Bun.zstdDecompressSync(body.subarray(from, at)));
  }
  return parts;
}

/** Returns the end of a part, which never lies between the halves of a surrogate pair. */
function partEnd(text: string, at: number): number {
  const end = Math.min(text.length, at + frameCharsMax);
  return isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length ? end + 1 : end;
}
const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

export function unpackJson<T>(blob: Uint8Array): T {
  return JSON.parse(unpackText(blob)) as T;
}

/**
 * Writes integers as byte planes (all low bytes, then all second bytes, …), as many as the largest value needs. Small
 * codes take one plane, and zstd compresses high planes to nearly nothing.
 */
export function packIntegers(values: Integers, level: number = thoroughLevel): Uint8Array {
  const count = values.length;
  const planes = planesOf(values);
  const bytes = Buffer.allocUnsafe(1 + planes * count);
  bytes[0] = planes;
  for (let plane = 0, at = 1; plane < planes; plane++, at += count) {
    const shift = plane * 8;
    for (let i = 0; i < count; i++) bytes[at + i] = values[i] >>> shift;
  }
  return pack(bytes, level);
}

/** If `isWide`, each integer takes four bytes, whatever its value. */
export function unpackIntegers(blob: Uint8Array, isWide = false): Integers {
  const bytes = unpack(blob);
  const planes = bytes[0];
  const count = (bytes.length - 1) / planes;
  if (!(planes >= 1 && planes <= 4 && Number.isInteger(count))) {
    throw new DamagedBlob("A column of integers has no such number of bytes.");
  }
  // The slice of a Buffer would share its memory with callers, so this is a plain array.
  if (planes === 1 && !isWide) return new Uint8Array(bytes.buffer, bytes.byteOffset + 1, count);
  const values = ofPlanes(bytes, planes, count, isWide);
  if (blob.buffer !== bytes.buffer) free(bytes);
  return values;
}

function ofPlanes(bytes: Buffer, planes: number, count: number, isWide: boolean): Integers {
  const low = bytes.subarray(1, 1 + count);
  if (planes === 1) return new Uint32Array(low);
  const second = bytes.subarray(1 + count, 1 + 2 * count);
  if (planes === 2) {
    const pairs = new Uint16Array(count);
    for (let i = 0; i < count; i++) pairs[i] = low[i] | (second[i] << 8);
    return isWide ? new Uint32Array(pairs) : pairs;
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

/** Returns integers in the form in which `unpackIntegers` returns them. */
export function asUnpacked(values: Integers, isWide = false): Integers {
  const planes = planesOf(values);
  const Kind = planes > 2 || isWide ? Uint32Array : planes === 2 ? Uint16Array : Uint8Array;
  return values instanceof Kind ? values : new Kind(values);
}

/** Returns the running sums of differences, which are the sorted integers. It changes an array of words in place. */
export function addUp(differences: Integers): Uint32Array {
  const sums = differences instanceof Uint32Array ? differences : new Uint32Array(differences);
  let sum = 0;
  for (let i = 0; i < sums.length; i++) {
    sum = (sum + sums[i]) >>> 0;
    sums[i] = sum;
  }
  return sums;
}

/** Returns the bytes that the integers take before compression. */
export const planeBytes = (values: Integers): number => planesOf(values) * values.length;

function planesOf(values: Integers): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > largest) largest = values[i];
  return largest < 1 << 8 ? 1 : largest < 1 << 16 ? 2 : largest < 1 << 24 ? 3 : 4;
}

function pack(content: Buffer, level: number): Uint8Array {
  if (content.length < compressedBytesMin) return blobOf(plain, [content]);
  return blobOf(compressed, [Bun.zstdCompressSync(content, { level })]);
}

function unpack(blob: Uint8Array): Buffer {
  const { kind, body } = checked(blob);
  if (kind === plain) return body;
  if (kind === compressed) return Bun.zstdDecompressSync(body);
  throw new DamagedBlob("A column is of an unknown kind.");
}

/**
 * A BLOB begins with one byte for its kind and a checksum of four bytes over the kind and the body. Bun writes zstd
 * frames without checksums: if a bit of such a frame is damaged, zstd may decode wrong numbers and report no error.
 */
function blobOf(kind: number, body: readonly Buffer[]): Uint8Array {
  const blob = Buffer.concat([Buffer.alloc(headBytes), ...body]);
  blob[0] = kind;
  blob.writeUInt32LE(Bun.hash.xxHash32(blob.subarray(headBytes), kind), 1);
  return blob;
}

/** Throws DamagedBlob if the checksum does not match. It does not decode the content. */
export function checkBlob(blob: Uint8Array, place: Place): void {
  try {
    checked(blob);
  } catch (error) {
    throw error instanceof DamagedBlob ? new DamagedBlob(error.message, place) : error;
  }
}

function checked(blob: Uint8Array): { readonly kind: number; readonly body: Buffer } {
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
  if (bytes.length < headBytes) throw new DamagedBlob("A column is too short.");
  const [kind] = bytes;
  const body = bytes.subarray(headBytes);
  if (bytes.readUInt32LE(1) !== Bun.hash.xxHash32(body, kind)) {
    throw new DamagedBlob("A column does not match its checksum.");
  }
  return { kind, body };
}
