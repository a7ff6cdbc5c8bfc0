import { bytesPerUnitMax, readText, writeText } from "../../../lib/code-points";
import { compareText } from "../../../lib/text";
import { parseString, quote, stringEnd, valueEnd } from "../segment/json-text";
import { nthLargest } from "./selection";

const slotsMin = 1_024;
const backslash = 92;
/** Digits that one number holds exactly: 257 ** 6 is below 2 ** 53. */
const digits = 6;

export type Pair = readonly [key: string, event: string];

/**
 * Counts pairs of a property key and an event name. There may be ten million of them, no two alike: a pair takes its
 * text and some 30 bytes, no string and no object. Texts are kept as bytes in order of code points.
 */
export class PairCounts {
  private size = 0;
  /** Pair + 1; 0 = free. */
  private slots = new Uint32Array(slotsMin);
  private hashes = new Uint32Array(slotsMin);
  private counts = new Uint32Array(slotsMin);
  private events = new Uint32Array(slotsMin);
  /** Where each key begins; it ends where the next one begins. */
  private starts = new Uint32Array(slotsMin + 1);
  private bytes = new Uint8Array(slotsMin);
  private readonly names: string[] = [];
  private readonly numbers = new Map<string, number>();

  /** Nobody who sends keys may know the seed: they could make keys that all fall into one slot. */
  constructor(private readonly seed: number) {}

  add(key: string, event: string, times: number): void {
    this.makeRoom(key.length * bytesPerUnitMax);
    const start = this.starts[this.size];
    this.count(writeText(this.bytes, start, key), this.numberOf(event), times);
  }

  /** All keys of an object, given as JSON text. */
  addKeysOf(object: string, event: string): void {
    const number = this.numberOf(event);
    this.makeRoom(object.length * bytesPerUnitMax);
    for (let at = 1; object.charCodeAt(at) === quote; ) {
      const keyEnd = stringEnd(object, at);
      const end =
        this.writePlain(object, at + 1, keyEnd - 1) ??
        writeText(this.bytes, this.starts[this.size], parseString(object.slice(at, keyEnd)));
      this.count(end, number, 1);
      at = valueEnd(object, keyEnd + 1) + 1;
    }
  }

  /** The most frequent ones, ties by key and then by event, both in order of code points; in that order of texts. */
  best(limit: number, check: () => void): { readonly pairs: Pair[]; readonly isCut: boolean } {
    const isCut = this.size > limit;
    const chosen = isCut
      ? this.mostFrequent(limit, check)
      : Uint32Array.from({ length: this.size }, (_, pair) => pair);
    const pairs = Array.from(
      chosen,
      (pair): Pair => [
        readText(this.bytes, this.starts[pair], this.starts[pair + 1]),
        this.names[this.events[pair]],
      ],
    );
    return { pairs: pairs.sort(([a, x], [b, y]) => compareText(a, b) || compareText(x, y)), isCut };
  }

  private numberOf(event: string): number {
    let number = this.numbers.get(event);
    if (number === undefined) {
      number = this.names.push(event) - 1;
      this.numbers.set(event, number);
    }
    return number;
  }

  /** Null for a text that is not ASCII, or has escapes. */
  private writePlain(object: string, from: number, to: number): number | null {
    const { bytes } = this;
    let end = this.starts[this.size];
    for (let at = from; at < to; at++) {
      const unit = object.charCodeAt(at);
      if (unit >= 0x80 || unit === backslash) return null;
      bytes[end++] = unit;
    }
    return end;
  }

  /** The key whose bytes stand behind the last one's. */
  private count(end: number, event: number, times: number): void {
    const start = this.starts[this.size];
    let hash = this.seed ^ event;
    for (let at = start; at < end; at++) {
      hash = Math.imul(hash ^ this.bytes[at], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    hash >>>= 0;
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (; this.slots[slot] !== 0; slot = (slot + 1) & mask) {
      const pair = this.slots[slot] - 1;
      if (
        this.hashes[pair] === hash &&
        this.events[pair] === event &&
        this.isKey(pair, start, end)
      ) {
        this.counts[pair] += times;
        return;
      }
    }
    const pair = this.size++;
    this.slots[slot] = pair + 1;
    this.hashes[pair] = hash;
    this.counts[pair] = times;
    this.events[pair] = event;
    this.starts[pair + 1] = end;
    if (this.size === this.counts.length) this.widen();
  }

  private isKey(pair: number, start: number, end: number): boolean {
    const { bytes } = this;
    const first = this.starts[pair];
    if (this.starts[pair + 1] - first !== end - start) return false;
    for (let at = start; at < end; at++) if (bytes[first + at - start] !== bytes[at]) return false;
    return true;
  }

  /** There are twice as many slots as pairs have room. */
  private widen(): void {
    const length = this.counts.length * 2;
    this.hashes = wider(this.hashes, length);
    this.counts = wider(this.counts, length);
    this.events = wider(this.events, length);
    this.starts = wider(this.starts, length + 1);
    this.slots = new Uint32Array(length * 2);
    const mask = this.slots.length - 1;
    for (let pair = 0; pair < this.size; pair++) {
      let slot = this.hashes[pair] & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = pair + 1;
    }
  }
  private makeRoom(bytes: number): void {
    const needed = this.starts[this.size] + bytes;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, Math.ceil(this.bytes.length * 1.5)));
    larger.set(this.bytes);
    this.bytes = larger;
  }

  private mostFrequent(limit: number, check: () => void): Uint32Array {
    const counts = Float64Array.from(this.counts.subarray(0, this.size));
    const least = nthLargest(counts, limit);
    const better: number[] = [];
    let ties = 0;
    for (let pair = 0; pair < this.size; pair++) {
      if (this.counts[pair] > least) better.push(pair);
      else if (this.counts[pair] === least) ties++;
    }
    const tied = new Uint32Array(ties);
    for (let pair = 0, next = 0; pair < this.size; pair++) {
      if (this.counts[pair] === least) tied[next++] = pair;
    }
    return Uint32Array.from([...better, ...this.first(tied, limit - better.length, check)]);
  }

  /** The first of the pairs in order of their texts: some bytes of each at a time, so that no two are compared. */
  private first(all: Uint32Array, count: number, check: () => void): number[] {
    const found: number[] = [];
    let left = all;
    for (let depth = 0; left.length > count - found.length; depth += digits) {
      check();
      const values = Float64Array.from(left, (pair) => -this.digitsAt(pair, depth));
      const last = nthLargest(new Float64Array(values), count - found.length);
      const open: number[] = [];
      for (let i = 0; i < left.length; i++) {
        if (values[i] > last) found.push(left[i]);
        else if (values[i] === last) open.push(left[i]);
      }
      left = Uint32Array.from(open);
      // Keys that end here are one key, with several events.
      if (-last % 257 === 0)
        return [...found, ...this.byEvent(left).slice(0, count - found.length)];
    }
    return [...found, ...left];
  }
  private byEvent(pairs: Uint32Array): number[] {
    const { events, names } = this;
    return [...pairs].sort((a, b) => compareText(names[events[a]], names[events[b]]));
  }
  /** The next bytes of a key as one number; a key that has ended comes first. */
  private digitsAt(pair: number, depth: number): number {
    const start = this.starts[pair] + depth;
    const end = this.starts[pair + 1];
    let number = 0;
    for (let at = start; at < start + digits; at++) {
      number = number * 257 + (at < end ? this.bytes[at] + 1 : 0);
    }
    return number;
  }
}

function wider(values: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(values);
  return larger;
}
