/*
 * One filter says of nearly every key that no run has it.
 * Decision: beside the filter of each run, memory has one filter of the keys of all runs. A look-up reads 64 bytes of
 * it. The writer builds it in small steps from the blocks of the runs once events arrive, and builds a larger one when
 * the keys have grown by half.
 * Because: the writer searched the filters of 10 to 20 runs for each new key, each of them elsewhere in memory. With 25
 * million keys that took half of the writer's time for an event, with 2 million a quarter.
 * Cost: up to 15 bits of memory per key. After a start the writer searches the runs one by one until the summary is
 * complete, which takes a second of work for 15 million keys, beside the commits.
 * Revisit: when the server stores keys for longer than 48 hours.
 */

import type { KeyList } from "./key-list";
import type { KeyRun } from "./key-run";

/** A line of the processor's cache: 16 words of 32 bits. */
const lineWords = 16;
const lineBytes = lineWords * 4;
/** The bits for each key: with them, the filter wrongly reports one absent key in a hundred as present. */
const bitsPerKeyMax = 10;
/** A summary with fewer bits would report too many absent keys as present to be worth its memory. */
const bitsPerKeyMin = 4;
/** A summary has room for half as many keys again as there are, and for at least this number. */
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
  /** A full summary reports more absent keys as present than it should. */
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
 * Adds the keys of all runs, from the lowest to the highest, a block of the largest run at a time. A job that seals a
 * table meanwhile adds its keys as well. A job that merges runs need not: a merge neither adds nor removes keys, and it
 * moves a key only to a block that begins at the same key or later, so this job still reaches it.
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

  /** Makes a summary of runs; null if it is not worth its memory, or if there is no memory for it. */
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

  /** Runs a small part of the job. Returns the number of keys that it processed. */
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
