import { ApiError } from "../../../../domain/errors";
import { distinctTextBytesMax } from "../../../../domain/limits";
import { readText } from "../../../../lib/code-points";

const slotsMin = 1_024;
/** A text lies in one part, so that adding texts never copies those that are there. */
const partBits = 22;
const partBytes = 1 << partBits;

/**
 * Numbers distinct texts 0, 1, 2, … in order of first use. There may be millions of them: a text takes its bytes (as
 * lib/code-points.ts writes them) and some 20 more, no string and no object.
 */
export class TextTable {
  private count = 0;
  /** Number + 1; 0 = free. */
  private slots = new Uint32Array(slotsMin);
  private hashes = new Uint32Array(slotsMin);
  private starts = new Uint32Array(slotsMin);
  private ends = new Uint32Array(slotsMin);
  private readonly parts: Uint8Array[] = [];
  private used = 0;
  private textBytes = 0;

  /** Nobody who sends texts may know the seed: they could make texts that all fall into one slot. */
  constructor(
    private readonly seed: number,
    private readonly textBytesMax = distinctTextBytesMax,
  ) {}

  get size(): number {
    return this.count;
  }
  get byteLength(): number {
    const { slots, hashes, starts, ends } = this;
    const tables = slots.byteLength + hashes.byteLength + starts.byteLength + ends.byteLength;
    return tables + this.parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The number of a text, the next one when it is new. */
  numberOf(bytes: Uint8Array, from: number, to: number): number {
    let hash = this.seed;
    for (let at = from; at < to; at++) {
      hash = Math.imul(hash ^ bytes[at], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    hash >>>= 0;
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (; this.slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = this.slots[slot] - 1;
      if (this.hashes[number] === hash && this.isEqual(number, bytes, from, to)) return number;
    }
    const number = this.count++;
    this.slots[slot] = number + 1;
    this.hashes[number] = hash;
    this.keep(number, bytes, from, to);
    if (this.count === this.hashes.length) this.widen();
    return number;
  }

  text(number: number): string {
    const start = this.starts[number] & (partBytes - 1);
    const length = this.ends[number] - this.starts[number];
    return readText(this.partOf(number), start, start + length);
  }
  /** The byte at a place of the text; −1 behind its end. */
  byteAt(number: number, place: number): number {
    const at = this.starts[number] + place;
    return at < this.ends[number] ? this.partOf(number)[at & (partBytes - 1)] : -1;
  }

  private partOf(number: number): Uint8Array {
    return this.parts[this.starts[number] >>> partBits];
  }
  private isEqual(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (this.ends[number] - this.starts[number] !== to - from) return false;
    const part = this.partOf(number);
    const start = (this.starts[number] & (partBytes - 1)) - from;
    for (let at = from; at < to; at++) if (part[start + at] !== bytes[at]) return false;
    return true;
  }
  private keep(number: number, bytes: Uint8Array, from: number, to: number): void {
    this.textBytes += to - from;
    if (this.textBytes > this.textBytesMax) throw tooMuch();
    if (this.used % partBytes === 0 || (this.used % partBytes) + to - from > partBytes) {
      this.used = this.parts.length * partBytes;
      this.parts.push(new Uint8Array(partBytes));
    }
    const part = this.parts[this.parts.length - 1];
    let at = this.used % partBytes;
    for (let byte = from; byte < to; byte++) part[at++] = bytes[byte];
    this.starts[number] = this.used;
    this.used += to - from;
    this.ends[number] = this.used;
  }
  /** There are twice as many slots as there is room for texts. */
  private widen(): void {
    const length = this.hashes.length * 2;
    this.hashes = wider(this.hashes, length);
    this.starts = wider(this.starts, length);
    this.ends = wider(this.ends, length);
    this.slots = new Uint32Array(length * 2);
    const mask = this.slots.length - 1;
    for (let number = 0; number < this.count; number++) {
      let slot = this.hashes[number] & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = number + 1;
    }
  }
}

function wider(values: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(values);
  return larger;
}

const tooMuch = (): ApiError =>
  new ApiError(
    "QUERY_FAILED",
    `The different values are more than ${distinctTextBytesMax / 1024 / 1024} MB of text. Filter more, or ask for ` +
      "fewer days.",
  );
