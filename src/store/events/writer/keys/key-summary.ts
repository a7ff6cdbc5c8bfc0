/*
 * One filter says of nearly every key that no run has it.
 * Decision: beside the filters of the runs there is one in memory of all their keys, of which a key meets 64 bytes. It
 * is made bit by bit from the blocks of the runs once events come in, and again when it has grown by half.
 * Because: each new key was looked for in the filters of 10 to 20 runs, and each of these lies elsewhere in memory: of
 * 25 million keys that was half of what the writer did for an event, of 2 million a quarter.
 * Cost: up to 15 bits of memory per key. After a start the runs are asked one by one until it is made, which takes a
 * second of work for 15 million keys, beside the commits.
 * Revisit: when keys are kept longer than 48 hours.
 */

import type { KeyList } from "./key-list";
import type { KeyRun } from "./key-run";

/** A line of the processor's cache: 16 words of 32 bits. */
const lineWords = 16;
const lineBytes = lineWords * 4;
/** The bits for each key that it has room for: one in a hundred that is not there looks as if it were. */
const bitsPerKeyMax = 10;
/** A summary with fewer bits would let too much through to be worth its memory. */
const bitsPerKeyMin = 4;
/** It is made for half as many keys again, and for no fewer than these. */
const spareShare = 0.5;
const keysMin = 65_536;

/** Tells whether a key may be in any run: a Bloom filter whose bits for a key lie side by side. */
export class KeySummary {
  private readonly words: Uint32Array;
  private readonly lines: number;
  private keys = 0;

  /** `bytes` is at least a line. */
  constructor(
    private readonly keysMax: number,
    bytes: number,
  ) {
    this.lines = Math.floor(bytes / lineBytes);
    this.words = new Uint32Array(this.lines * lineWords);
  }
  get bytes(): number {
    return this.words.byteLength;
  }
  /** A full summary lets through more than it should. */
  get isFull(): boolean {
    return this.keys > this.keysMax;
  }

  add({ high, low, length }: KeyList): void {
    const { words } = this;
    for (let i = 0; i < length; i++) {
      const line = this.lineOf(high[i]);
      const more = mixed(high[i], low[i]);
      words[line + wordOf(low[i])] |= bitOf(low[i]);
      words[line + wordOf(low[i] >>> 9)] |= bitOf(low[i] >>> 9);
      words[line + wordOf(low[i] >>> 18)] |= bitOf(low[i] >>> 18);
      words[line + wordOf(more)] |= bitOf(more);
      words[line + wordOf(more >>> 9)] |= bitOf(more >>> 9);
      words[line + wordOf(more >>> 18)] |= bitOf(more >>> 18);
    }
    this.keys += length;
  }

  mayHave(high: number, low: number): boolean {
    const { words } = this;
    const line = this.lineOf(high);
    const more = mixed(high, low);
    return (
      (words[line + wordOf(low)] & bitOf(low)) !== 0 &&
      (words[line + wordOf(low >>> 9)] & bitOf(low >>> 9)) !== 0 &&
      (words[line + wordOf(low >>> 18)] & bitOf(low >>> 18)) !== 0 &&
      (words[line + wordOf(more)] & bitOf(more)) !== 0 &&
      (words[line + wordOf(more >>> 9)] & bitOf(more >>> 9)) !== 0 &&
      (words[line + wordOf(more >>> 18)] & bitOf(more >>> 18)) !== 0
    );
  }

  /**
   * Returns the line of a key. Lines are in the order of keys, so that entering keys in order writes memory in order.
   */
  private lineOf(high: number): number {
    return Math.floor((high / 2 ** 32) * this.lines) * lineWords;
  }
}

/** Returns the word of a bit: of nine bits four name the word, five the bit in it. */
const wordOf = (bits: number): number => (bits >>> 5) & (lineWords - 1);
const bitOf = (bits: number): number => 1 << (bits & 31);
/** All keys of a line have the same first bits: mixed with the lower half the others tell more. */
const mixed = (high: number, low: number): number =>
  Math.imul(high ^ (low >>> 5), 0x9e3779b1) >>> 5;

/**
 * Enters the keys of all runs, from the lowest to the highest, a block of the largest run at a time. Who seals a table
 * meanwhile enters its keys as well; merges need not: all runs together always have the same keys, and of a larger run
 * a block never begins before that of a smaller one which it came from.
 */
export class SummaryJob {
  private readonly unitBits: number;
  private unit = 0;

  private constructor(
    readonly summary: KeySummary,
    runs: readonly KeyRun[],
  ) {
    this.unitBits = Math.max(...runs.map(({ stored }) => stored.blockBits));
  }

  /** Makes a summary of runs; null when it is not worth it, or when there is no memory for it. */
  static of(runs: readonly KeyRun[], bytesFree: number): SummaryJob | null {
    if (runs.length < 2) return null;
    const keys = runs.reduce((sum, { stored }) => sum + stored.keyCount, 0);
    const keysMax = Math.max(keysMin, Math.ceil(keys * (1 + spareShare)));
    const bytes = Math.min(bytesFree, Math.ceil((keysMax * bitsPerKeyMax) / 8));
    if (bytes * 8 < keysMax * bitsPerKeyMin) return null;
    return new SummaryJob(new KeySummary(keysMax, bytes), runs);
  }

  get isDone(): boolean {
    return this.unit === 2 ** this.unitBits;
  }

  /** Does a little. Returns the number of keys it dealt with. */
  step(runs: readonly KeyRun[]): number {
    let count = 0;
    for (const run of runs) {
      const perUnit = 2 ** (run.stored.blockBits - this.unitBits);
      // A block of a smaller run is entered whole where it begins.
      for (let block = Math.ceil(this.unit * perUnit); block < (this.unit + 1) * perUnit; block++) {
        const keys = run.read(block);
        if (keys === null) continue;
        this.summary.add(keys);
        count += keys.length;
      }
    }
    this.unit++;
    return count + runs.length;
  }
}
