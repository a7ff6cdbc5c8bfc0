import type { Budget } from "./budget";

/** Members are below this, groups below 2^53 divided by it. */
const pairSpan = 2 ** 28;
const halfSpan = 2 ** 32;

/** A large table grows by a smaller factor, as the old and the new table need memory at the same time. */
const growth = (capacity: number): number => (capacity < 1 << 20 ? 4 : 2);

/** A count by dates makes a table for each metric and date, and most of them stay empty. */
const capacityMin = 1 << 4;

/** A hash set of pairs of a group and a member, with open addressing. Groups are at least 0, members above 0. */
export class PairTable {
  private capacity = capacityMin;
  private used = 0;
  private keys = new Float64Array(this.capacity);

  constructor(private readonly budget: Budget) {}

  /** Adds a pair, and returns whether it is new. */
  add(group: number, member: number): boolean {
    const key = group * pairSpan + member;
    const slot = this.slotOf(key);
    if (this.keys[slot] === key) return false;
    if ((this.used + 1) * 2 > this.capacity) this.rebuild(this.capacity * growth(this.capacity));
    this.keys[this.slotOf(key)] = key;
    this.used++;
    return true;
  }
  has(group: number, member: number): boolean {
    const key = group * pairSpan + member;
    return this.keys[this.slotOf(key)] === key;
  }
  forEach(see: (group: number, member: number) => void): void {
    const { keys } = this;
    this.budget.each(keys.length, (slot) => {
      const key = keys[slot];
      if (key !== 0) see(Math.floor(key / pairSpan), key % pairSpan);
    });
  }

  private slotOf(key: number): number {
    const { keys } = this;
    const mask = this.capacity - 1;
    const low = Math.imul(key % halfSpan, 0x9e3779b1);
    const mixed = (low ^ Math.imul(key / halfSpan, 0x85ebca6b)) >>> 0;
    let slot = (mixed ^ (mixed >>> 15)) & mask;
    while (keys[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }
  private rebuild(capacity: number): void {
    const before = this.keys;
    this.keys = this.budget.doubles(capacity);
    this.capacity = capacity;
    this.budget.each(before.length, (slot) => {
      const key = before[slot];
      if (key !== 0) this.keys[this.slotOf(key)] = key;
    });
    this.budget.giveBack(before.byteLength);
  }
}
