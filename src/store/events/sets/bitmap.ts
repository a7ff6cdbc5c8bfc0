import type { Budget } from "./budget";

/** A growing set of small integers. */
export class Bitmap {
  private words: Uint32Array<ArrayBuffer>;

  /** `limit` is the expected limit of the members. The set grows if a member is not below it. */
  constructor(limit = 32_768) {
    this.words = new Uint32Array((limit >>> 5) + 1);
  }

  /** Adds a member. Returns true when it is new. */
  add(member: number): boolean {
    const word = member >>> 5;
    if (word >= this.words.length) this.grow(word);
    const before = this.words[word];
    const after = before | (1 << (member & 31));
    this.words[word] = after;
    return (before | 0) !== after;
  }
  has(member: number): boolean {
    return (this.words[member >>> 5] & (1 << (member & 31))) !== 0;
  }
  /** Members are below this. */
  get limit(): number {
    return this.words.length * 32;
  }
  get count(): number {
    const { words } = this;
    let count = 0;
    for (let i = 0; i < words.length; i++) if (words[i] !== 0) count += bitsIn(words[i]);
    return count;
  }

  /** Adds the members of another set. */
  addAll({ words: others }: Bitmap): void {
    if (others.length > this.words.length) this.grow(others.length - 1);
    const { words } = this;
    for (let i = 0; i < others.length; i++) words[i] |= others[i];
  }

  /** Returns the members in ascending order. */
  members(budget: Budget): Uint32Array<ArrayBuffer> {
    const { words } = this;
    const members = budget.words(this.count);
    let next = 0;
    for (let i = 0; i < words.length; i++) {
      for (let bits = words[i] | 0; bits !== 0; bits &= bits - 1) {
        members[next++] = i * 32 + 31 - Math.clz32(bits & -bits);
      }
    }
    return members;
  }

  private grow(word: number): void {
    const words = new Uint32Array(Math.max(word + 1, this.words.length * 2));
    words.set(this.words);
    this.words = words;
  }
}

/** Sums neighbouring bits, pairs, nibbles and bytes of a 32-bit word. */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
