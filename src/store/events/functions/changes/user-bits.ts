import type { Integers } from "../../segment/codec";
import type { Budget } from "../budget";
import type { StretchRange } from "./numbered-users";

const bitsPerWord = 32;

/** Codes of the rows of some stretches, and whose these are. */
interface CodesOfUsers {
  readonly range: StretchRange;
  /** The number of the user of each stretch, from the first of the range on; 0 for none. */
  readonly users: Uint32Array;
  /** The number of the value of each code; −1 for one that is not counted. */
  readonly valueNumbers: Int32Array;
}

/**
 * Counts how many users have each of some values, for one set of users after the other. All bits of a user lie
 * together: one look tells several values.
 */
export class UserBits {
  private words: Int32Array;
  private wordsPerUser = 0;
  /** The number of users by value. */
  counts: Int32Array;

  constructor(private readonly budget: Budget) {
    this.words = budget.integers(0);
    this.counts = budget.integers(0);
  }

  /** Nobody has anything. Values are numbered from 0, users from 1 to a last one. */
  begin(values: number, usersMax: number): void {
    this.wordsPerUser = wordsFor(values);
    this.words = this.zeros(this.words, this.wordsPerUser * (usersMax + 1));
    this.counts = this.budget.integers(values);
  }
  private zeros(words: Int32Array, length: number): Int32Array {
    if (length <= words.length) return words.fill(0, 0, length);
    this.budget.giveBack(words.byteLength);
    return this.budget.integers(length);
  }

  /** `masks` are codes of a stretch as bits. */
  addMasks({ range, users, valueNumbers }: CodesOfUsers, masks: Int32Array): void {
    const { words, wordsPerUser, counts } = this;
    const { first, end } = range;
    for (let at = first; at < end; at++) {
      const user = users[at - first];
      if (user === 0) continue;
      for (let codes = masks[at]; codes !== 0; codes &= codes - 1) {
        const value = valueNumbers[lowestBit(codes)];
        if (value < 0) continue;
        const word = user * wordsPerUser + (value >>> 5);
        const bit = 1 << (value & (bitsPerWord - 1));
        if ((words[word] & bit) !== 0) continue;
        words[word] |= bit;
        counts[value]++;
      }
    }
  }
  addRows({ range, users, valueNumbers }: CodesOfUsers, codes: Integers): void {
    const { words, wordsPerUser, counts } = this;
    const { first, end, stretches } = range;
    const { from, to } = stretches;
    const { rows } = stretches.selection;
    for (let at = first; at < end; at++) {
      const user = users[at - first];
      if (user === 0) continue;
      const last = to[at];
      for (let row = from[at]; row < last; row++) {
        const value = valueNumbers[codes[row]];
        if (value < 0 || (rows !== null && rows[row] === 0)) continue;
        const word = user * wordsPerUser + (value >>> 5);
        const bit = 1 << (value & (bitsPerWord - 1));
        if ((words[word] & bit) !== 0) continue;
        words[word] |= bit;
        counts[value]++;
      }
    }
  }
}

const wordsFor = (values: number): number => Math.ceil(values / bitsPerWord);

/** Returns the memory that these would take. */
export const bytesOfBits = (values: number, usersMax: number): number =>
  wordsFor(values) * (usersMax + 1) * Int32Array.BYTES_PER_ELEMENT;

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);
