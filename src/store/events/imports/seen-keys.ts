/*
 * A key of 64 bits identifies a row.
 * Decision: a row's key is a hash of its foreign id, or of all of it where it has none; keys lie in 64 parts by their
 * first bits, of which one is looked at at a time. What an import stored is kept with it as such keys.
 * Because: a part of any file fits into memory, and no list has to be sorted.
 * Cost: among a million rows two different ones have one key once in 40 million files, and the later one is left out.
 * Revisit: when a project imports more than a billion rows.
 */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { free } from "../../../lib/free";
import { type Hash, hash64 } from "../segment/hash";

export const keyParts = 64;
const partShift = 26;
export const partOf = ([high]: Hash): number => high >>> partShift;

/** The lowest bit tells whether the key is that of an id, which occurs once. Equal rows without ids may be several. */
const idBit = 1;
export function keyOfRow(foreignId: string | null, row: string, seed: bigint): Hash {
  const [high, low] = hash64(foreignId ?? row, seed);
  return [high, foreignId === null ? (low & ~idBit) >>> 0 : (low | idBit) >>> 0];
}

const words = 3;
/** The records of a part that wait in memory. */
const waitingMax = 2_048;

/** Keys of a file with the numbers of their rows, by parts. */
export class KeyedRows {
  private readonly waiting: Uint32Array[] = [];
  private readonly counts = new Uint32Array(keyParts);

  constructor(
    private readonly folder: string,
    private readonly name: string,
  ) {}

  add(key: Hash, ordinal: number): void {
    const part = partOf(key);
    const records = this.waiting[part] ?? new Uint32Array(words * waitingMax);
    this.waiting[part] = records;
    const at = words * this.counts[part]++;
    records.set([key[0], key[1], ordinal], at);
    if (this.counts[part] < waitingMax) return;
    appendFileSync(this.fileOf(part), new Uint8Array(records.buffer));
    this.counts[part] = 0;
  }

  /** The records of a part, in the order in which they were added: high and low bits of the key, number of the row. */
  part(part: number): Uint32Array {
    const file = this.fileOf(part);
    const left = this.waiting[part]?.subarray(0, words * this.counts[part]) ?? new Uint32Array(0);
    if (!existsSync(file)) return left;
    const bytes = readFileSync(file);
    const all = new Uint32Array(bytes.length / Uint32Array.BYTES_PER_ELEMENT + left.length);
    all.set(new Uint32Array(bytes.buffer, bytes.byteOffset, all.length - left.length));
    all.set(left, all.length - left.length);
    free(bytes);
    return all;
  }

  private fileOf(part: number): string {
    return join(this.folder, `${this.name}-${part}`);
  }
}

/**
 * A hash table with the number of each key. Its arrays are freed by hand, as the heap would keep dozens of megabytes.
 */
class KeyCounts {
  private table: Uint32Array;
  private taken = 0;

  constructor(expected: number) {
    this.table = new Uint32Array(words * sizeFor(expected));
  }
  get size(): number {
    return this.taken;
  }
  /** The place of a key's count, which may be zero. */
  placeOf(high: number, low: number): number {
    const slots = this.table.length / words;
    for (let slot = (low ^ high) & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const at = words * slot;
      if (this.table[at + 2] === 0) return at;
      if (this.table[at] === high && this.table[at + 1] === low) return at;
    }
  }
  /** One more than the count, so that a place whose count fell to zero stays its key's. */
  at(place: number): number {
    return Math.max(0, this.table[place + 2] - 1);
  }
  add(high: number, low: number, more: number): void {
    const place = this.placeOf(high, low);
    if (this.table[place + 2] === 0) {
      this.table[place] = high;
      this.table[place + 1] = low;
      this.table[place + 2] = 1;
      this.taken++;
    }
    this.table[place + 2] += more;
    if (this.taken * words * 2 > this.table.length) this.grow();
  }

  /** Frees the table. The caller must not use it again. */
  free(): void {
    free(this.table);
  }

  private grow(): void {
    const before = this.table;
    this.table = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += words) {
      if (before[at + 2] === 0) continue;
      const place = this.placeOf(before[at], before[at + 1]);
      this.table.set(before.subarray(at, at + words), place);
    }
    free(before);
  }
}
const sizeFor = (expected: number): number => 2 ** Math.ceil(Math.log2(Math.max(8, expected * 2)));

/**
 * Finds the rows that repeat earlier ones: ids that occurred before in the file, and rows of other imports. `earlierOf`
 * yields the keys of a part of these, as often as they were stored. Returns a bit for each row by number.
 */
export function* findRepeats(
  rows: KeyedRows,
  count: number,
  earlierOf: (part: number) => Iterable<Uint32Array>,
): Generator<void, Uint8Array> {
  const repeats = new Uint8Array(Math.ceil(count / 8));
  for (let part = 0; part < keyParts; part++) {
    const records = rows.part(part);
    const counts = new KeyCounts(records.length / words);
    for (const keys of earlierOf(part)) {
      for (let at = 0; at < keys.length; at += 2) counts.add(keys[at], keys[at + 1], 1);
    }
    for (let at = 0; at < records.length; at += words) {
      const [high, low, ordinal] = [records[at], records[at + 1], records[at + 2]];
      const isEarlier = counts.at(counts.placeOf(high, low)) > 0;
      if (isEarlier) repeats[ordinal >> 3] |= 1 << (ordinal & 7);
      const isOfId = (low & idBit) === 1;
      if (isOfId && !isEarlier) counts.add(high, low, 1);
      if (!isOfId && isEarlier) counts.add(high, low, -1);
    }
    free(records);
    counts.free();
    yield;
  }
  return repeats;
}

/** Counts the different keys. */
export function* countKeys(rows: KeyedRows): Generator<void, number> {
  let different = 0;
  for (let part = 0; part < keyParts; part++) {
    const records = rows.part(part);
    const counts = new KeyCounts(records.length / words);
    for (let at = 0; at < records.length; at += words) counts.add(records[at], records[at + 1], 1);
    different += counts.size;
    free(records);
    counts.free();
    yield;
  }
  return different;
}
