import { assert } from "../../../lib/assert";
import { bytesPerUnitMax, readText, writeText } from "../../../lib/code-points";
import type { Texts } from "../segment/texts";
import { type Budget, grownLength, valuesPerCheck } from "./budget";

const slotsMin = 1_024;
/** Up to this number of words (32 MB) slots grow fourfold, as new memory is most of the cost of growth. */
const fourfoldLengthMax = 1 << 23;
/** Texts whose slots are read together; it divides `valuesPerCheck`. */
const textsAtOnce = 64;
/**
 * The bytes of texts are in parts of this size, so that a growing table does not copy them. A text never spans two
 * parts. A part is not much larger than the longest text, as the cache keeps many tables with few texts.
 */
const partBits = 18;
const partBytes = 1 << partBits;
/** The first part begins with this size and grows: a count by dates makes a table for each date. */
const firstBytesMin = 1 << 12;

/**
 * Numbers distinct texts 0, 1, 2, … in order of first use. There may be millions of them, so a text is no string or
 * object: it takes its bytes (as lib/code-points.ts writes them) and 16 to 48 more.
 */
export class TextTable {
  private count = 0;
  /**
   * Each slot has two words: number + 1, or 0 if it is free, and the hash. They lie beside each other, as a table of
   * millions does not fit in the processor's cache.
   */
  private slots = new Uint32Array(2 * slotsMin);
  /** A text ends where the next one of its part starts, or where its part ends. */
  private starts = new Uint32Array(slotsMin);
  private readonly parts: Uint8Array[] = [];
  private readonly partEnds: number[] = [];
  private used = 0;
  private isClosed = false;
  /** Only `prefetch` writes this, so that the compiler does not remove its reads. */
  protected lastRead = 0;

  /** The seed is secret: whoever knows it could send texts that all fall into one slot. */
  constructor(
    private readonly seed: number,
    private readonly budget: Budget,
  ) {}

  get size(): number {
    return this.count;
  }
  get byteLength(): number {
    const { slots, starts } = this;
    const tables = slots.byteLength + starts.byteLength;
    return tables + this.parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Closes the table: from now on all new texts share the next number, and the table stores none of them. */
  close(): void {
    this.isClosed = true;
  }

  /** Returns the number of a text, the next number for a new text. */
  numberOf(bytes: Uint8Array, from: number, to: number): number {
    return this.numberOfHashed(this.hashOf(bytes, from, to), bytes, from, to);
  }

  /**
   * Calls `see` with the number of each text at some places of a list. If the table does not fit in the processor's
   * cache, each lookup waits for memory. So the slots of several texts are prefetched together.
   */
  numberEach(
    { bytes, starts }: Pick<Texts, "bytes" | "starts">,
    places: Uint32Array,
    see: (place: number, number: number) => void,
  ): void {
    const hashes = new Uint32Array(textsAtOnce);
    for (let first = 0; first < places.length; first += textsAtOnce) {
      if (first % valuesPerCheck === 0) this.budget.check();
      const end = Math.min(places.length, first + textsAtOnce);
      for (let i = first; i < end; i++) {
        const place = places[i];
        hashes[i - first] = this.hashOf(bytes, starts[place], starts[place + 1]);
      }
      this.prefetch(hashes, end - first);
      for (let i = first; i < end; i++) {
        const place = places[i];
        const [from, to] = [starts[place], starts[place + 1]];
        see(place, this.numberOfHashed(hashes[i - first], bytes, from, to));
      }
    }
  }

  /** Reads the slots of some hashes, so that they are in the processor's cache. */
  private prefetch(hashes: Uint32Array, count: number): void {
    const { slots } = this;
    const mask = slots.length - 2;
    let read = 0;
    for (let i = 0; i < count; i++) read |= slots[(hashes[i] << 1) & mask];
    this.lastRead = read;
  }
  private hashOf(bytes: Uint8Array, from: number, to: number): number {
    let hash = this.seed;
    for (let at = from; at < to; at++) {
      hash = Math.imul(hash ^ bytes[at], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash >>> 0;
  }
  private numberOfHashed(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const { slots } = this;
    const mask = slots.length - 2;
    let slot = (hash << 1) & mask;
    for (; slots[slot] !== 0; slot = (slot + 2) & mask) {
      const number = slots[slot] - 1;
      if (slots[slot + 1] === hash && this.isEqual(number, bytes, from, to)) return number;
    }
    if (this.isClosed) return this.count;
    if (this.count === this.starts.length) this.widen();
    if ((this.count + 1) * 8 > slots.length * 3) {
      this.rebuild();
      return this.numberOfHashed(hash, bytes, from, to);
    }
    this.store(this.count, bytes, from, to);
    slots[slot] = this.count + 1;
    slots[slot + 1] = hash;
    return this.count++;
  }

  numberOfText(text: string): number {
    const bytes = new Uint8Array(text.length * bytesPerUnitMax);
    return this.numberOf(bytes, 0, writeText(bytes, 0, text));
  }

  text(number: number): string {
    const start = this.starts[number] & (partBytes - 1);
    return readText(this.partOf(number), start, start + this.lengthOf(number));
  }
  /** Returns the byte at a place of the text; −1 behind its end. */
  byteAt(number: number, place: number): number {
    const at = this.starts[number] + place;
    return place < this.lengthOf(number) ? this.partOf(number)[at & (partBytes - 1)] : -1;
  }

  private partOf(number: number): Uint8Array {
    return this.parts[this.starts[number] >>> partBits];
  }
  private lengthOf(number: number): number {
    const start = this.starts[number];
    const part = start >>> partBits;
    const isLastOfPart = number + 1 === this.count || this.starts[number + 1] >>> partBits !== part;
    return (isLastOfPart ? this.partEnds[part] : this.starts[number + 1]) - start;
  }
  private isEqual(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (this.lengthOf(number) !== to - from) return false;
    const part = this.partOf(number);
    const start = (this.starts[number] & (partBytes - 1)) - from;
    for (let at = from; at < to; at++) if (part[start + at] !== bytes[at]) return false;
    return true;
  }
  private store(number: number, bytes: Uint8Array, from: number, to: number): void {
    assert(to - from <= partBytes, "properties are shorter than a part");
    if (this.used % partBytes === 0 || (this.used % partBytes) + to - from > partBytes) {
      const bytes = this.parts.length === 0 ? firstBytesMin : partBytes;
      this.budget.take(bytes);
      this.used = this.parts.length * partBytes;
      this.parts.push(new Uint8Array(bytes));
    }
    let at = this.used % partBytes;
    const part = this.lastPart(at + to - from);
    for (let byte = from; byte < to; byte++) part[at++] = bytes[byte];
    this.starts[number] = this.used;
    this.used += to - from;
    this.partEnds[this.parts.length - 1] = this.used;
  }
  /** Returns the last part, enlarged if necessary to a number of bytes. */
  private lastPart(bytes: number): Uint8Array {
    const last = this.parts.length - 1;
    const part = this.parts[last];
    if (bytes <= part.length) return part;
    const wider = new Uint8Array(Math.min(partBytes, Math.max(2 * part.length, bytes)));
    wider.set(part);
    this.budget.take(wider.byteLength);
    this.budget.giveBack(part.byteLength);
    this.parts[last] = wider;
    return wider;
  }
  private widen(): void {
    this.starts = this.budget.widerWords(this.starts, grownLength(this.starts.length));
  }
  private rebuild(): void {
    const { budget, slots: before } = this;
    const isFourfold = 4 * before.length <= fourfoldLengthMax;
    const slots = budget.words(before.length * (isFourfold ? 4 : 2));
    const mask = slots.length - 2;
    for (let old = 0; old < before.length; old += 2) {
      if (old % valuesPerCheck === 0) budget.check();
      if (before[old] === 0) continue;
      let slot = (before[old + 1] << 1) & mask;
      while (slots[slot] !== 0) slot = (slot + 2) & mask;
      slots[slot] = before[old];
      slots[slot + 1] = before[old + 1];
    }
    budget.giveBack(before.byteLength);
    this.slots = slots;
  }
}
