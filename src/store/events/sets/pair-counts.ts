import { bytesPerUnitMax, writeText } from "../../../lib/code-points";
import { compareText } from "../../../lib/text";
import { parseString, quote, stringEnd, valueEnd } from "../../shared/json-text";
import type { Budget } from "./budget";
import { GroupTable } from "./group-table";
import { around, firstInOrder, nthLargestOf } from "./largest";
import { TextTable } from "./text-table";

const countsMin = 1_024;
const backslash = 92;

export type Pair = readonly [key: string, event: string];

/**
 * Counts pairs of a property key and an event name. There may be millions of different pairs, so a pair is no string or
 * object: it takes the bytes of its text and some 40 more.
 */
export class PairCounts {
  private readonly keys: TextTable;
  /** Each pair is a group of the numbers of its key and its event. */
  private readonly pairs: GroupTable;
  private readonly pair = new Uint32Array(2);
  private counts = new Uint32Array(countsMin);
  private readonly names: string[] = [];
  private readonly numbers = new Map<string, number>();
  /** The bytes of the key that is counted. */
  private bytes = new Uint8Array(countsMin);

  constructor(
    seed: number,
    private readonly budget: Budget,
  ) {
    this.pairs = new GroupTable(2, budget);
    this.keys = new TextTable(seed, budget);
  }

  add(key: string, event: string, times: number): void {
    this.makeRoom(key.length);
    this.count(writeText(this.bytes, 0, key), this.numberOf(event), times);
  }

  /** Counts all keys of an object, given as JSON text. */
  addKeysOf(object: string, event: string): void {
    const number = this.numberOf(event);
    for (let at = 1; object.charCodeAt(at) === quote; ) {
      const keyEnd = stringEnd(object, at);
      this.makeRoom(keyEnd - at);
      const length =
        this.writePlain(object, at + 1, keyEnd - 1) ??
        writeText(this.bytes, 0, parseString(object.slice(at, keyEnd)));
      this.count(length, number, 1);
      at = valueEnd(object, keyEnd + 1) + 1;
    }
  }

  /**
   * Returns the most frequent pairs, sorted by key and event in order of code points. The same order decides between
   * equal counts.
   */
  best(limit: number): { readonly pairs: Pair[]; readonly isCut: boolean } {
    const isCut = this.pairs.size > limit;
    const all = Array.from({ length: isCut ? 0 : this.pairs.size }, (_, pair) => pair);
    const pairs = (isCut ? this.mostFrequent(limit) : all).map((pair): Pair => {
      return [this.keys.text(this.keyOf(pair)), this.eventOf(pair)];
    });
    return { pairs: pairs.sort(([a, x], [b, y]) => compareText(a, b) || compareText(x, y)), isCut };
  }

  private keyOf(pair: number): number {
    return this.pairs.numberAt(pair, 0);
  }
  private eventOf(pair: number): string {
    return this.names[this.pairs.numberAt(pair, 1)];
  }
  private numberOf(event: string): number {
    let number = this.numbers.get(event);
    if (number === undefined) {
      number = this.names.push(event) - 1;
      this.numbers.set(event, number);
    }
    return number;
  }
  private makeRoom(units: number): void {
    if (units * bytesPerUnitMax > this.bytes.length) {
      this.bytes = new Uint8Array(2 * units * bytesPerUnitMax);
    }
  }

  /** Writes a text and returns its length; null if it is not ASCII or has escapes. */
  private writePlain(object: string, from: number, to: number): number | null {
    for (let at = from; at < to; at++) {
      const unit = object.charCodeAt(at);
      if (unit >= 0x80 || unit === backslash) return null;
      this.bytes[at - from] = unit;
    }
    return to - from;
  }

  private count(length: number, event: number, times: number): void {
    this.pair[0] = this.keys.numberOf(this.bytes, 0, length);
    this.pair[1] = event;
    const pair = this.pairs.groupOf(this.pair);
    if (pair >= this.counts.length) {
      this.counts = this.budget.widerWords(this.counts, this.counts.length * 2);
    }
    this.counts[pair] += times;
  }

  private mostFrequent(limit: number): number[] {
    const { budget } = this;
    if (limit === 0) return [];
    const counts = this.counts.subarray(0, this.pairs.size);
    const least = nthLargestOf(counts, limit, budget);
    const { better, tied } = around(counts, least, budget);
    const byteAt = (pair: number, place: number): number =>
      this.keys.byteAt(this.keyOf(pair), place);
    const { first, undecided } = firstInOrder(tied, limit - better.length, byteAt, budget);
    const byEvent = undecided.toSorted((a, b) => compareText(this.eventOf(a), this.eventOf(b)));
    return [...better, ...first, ...byEvent.slice(0, limit - better.length - first.length)];
  }
}
