import { Bitmap } from "./bitmap";

const bitmapBytesMax = 64 * 1024 * 1024;
/** Members are below this, groups below 2^53 divided by it. */
const pairSpan = 2 ** 28;
const halfSpan = 2 ** 32;

/** (group, member) pairs in one open-addressing table of doubles; neither is negative, members are above 0. */
export class PairTable {
  private capacity = 1 << 12;
  private used = 0;
  private keys = new Float64Array(this.capacity);

  /** True when the pair is new. */
  add(group: number, member: number): boolean {
    const key = group * pairSpan + member;
    const slot = this.slotOf(key);
    if (this.keys[slot] === key) return false;
    if (++this.used * 2 > this.capacity) this.rebuild(this.capacity * 4);
    this.keys[this.slotOf(key)] = key;
    return true;
  }
  has(group: number, member: number): boolean {
    const key = group * pairSpan + member;
    return this.keys[this.slotOf(key)] === key;
  }
  forEach(see: (group: number, member: number) => void): void {
    for (const key of this.keys) if (key !== 0) see(Math.floor(key / pairSpan), key % pairSpan);
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
    this.capacity = capacity;
    this.keys = new Float64Array(capacity);
    for (const key of before) if (key !== 0) this.keys[this.slotOf(key)] = key;
  }
}

/** Counts distinct members (users or sessions, numbered from 1) per group. */
export class DistinctPerGroup {
  /** Null: the group's members are in `pairs`, because a bitmap for each of so many groups would not fit. */
  private readonly bitmaps: (Bitmap | null)[] = [];
  private readonly pairs = new PairTable();
  private readonly pairCounts = new Map<number, number>();
  private bytes = 0;

  /** True when the member is new to the group. */
  add(group: number, member: number): boolean {
    const bitmap = this.bitmaps[group] ?? this.bitmapFor(group);
    if (bitmap !== null) {
      if (member < bitmap.limit && bitmap.has(member)) return false;
      bitmap.add(member);
      return true;
    }
    if (!this.pairs.add(group, member)) return false;
    this.pairCounts.set(group, (this.pairCounts.get(group) ?? 0) + 1);
    return true;
  }
  has(group: number, member: number): boolean {
    const bitmap = this.bitmaps[group];
    return bitmap ? bitmap.has(member) : this.pairs.has(group, member);
  }
  count(group: number): number {
    return this.bitmaps[group]?.count ?? this.pairCounts.get(group) ?? 0;
  }

  /** Per group, how many members the other set lacks. */
  countsWithout(other: DistinctPerGroup, groups: number): Float64Array {
    const counts = new Float64Array(groups);
    this.bitmaps.forEach((bitmap, group) => {
      if (bitmap === null) return;
      const others = other.bitmaps[group];
      counts[group] =
        others === null
          ? membersWithout(bitmap, (member) => other.pairs.has(group, member))
          : others === undefined
            ? bitmap.count
            : bitmap.countWithout(others);
    });
    this.pairs.forEach((group, member) => {
      if (!other.has(group, member)) counts[group]++;
    });
    return counts;
  }

  private bitmapFor(group: number): Bitmap | null {
    const isFull = this.bitmaps[group] === null || this.bytes > bitmapBytesMax;
    const bitmap = isFull ? null : new Bitmap((bytes) => (this.bytes += bytes));
    this.bitmaps[group] = bitmap;
    return bitmap;
  }
}

function membersWithout(bitmap: Bitmap, isOther: (member: number) => boolean): number {
  let count = 0;
  for (let member = 1; member < bitmap.limit; member++) {
    if (bitmap.has(member) && !isOther(member)) count++;
  }
  return count;
}
