const planeBytesMax = 64 * 1024 * 1024;
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

const groupsPerPlane = 32;

/**
 * Counts distinct members (users or sessions, numbered from 1) per group. Thirty-two groups share a plane, which has a
 * word per member and a bit per group: what is known of one member lies together, and nothing is counted twice.
 */
export class DistinctPerGroup {
  /** Null: its groups are in `pairs`, because planes for all of so many groups would not fit. */
  private readonly planes: (Uint32Array<ArrayBuffer> | null)[] = [];
  private readonly pairs = new PairTable();
  private counts = new Uint32Array(64);
  private bytes = 0;
  private membersMax: number;

  /** Members are below the limit, as far as the caller can tell; more make the planes grow. */
  constructor(memberLimit = 1_024) {
    this.membersMax = memberLimit;
  }

  /** True when the member is new to the group. */
  add(group: number, member: number): boolean {
    const plane = this.planes[group >>> 5] ?? this.planeFor(group >>> 5, member);
    if (plane === null) {
      if (!this.pairs.add(group, member)) return false;
    } else {
      const words = member < plane.length ? plane : this.widen(group >>> 5, plane, member);
      const bit = 1 << (group & 31);
      if ((words[member] & bit) !== 0) return false;
      words[member] |= bit;
    }
    if (group >= this.counts.length) this.counts = wider(this.counts, group);
    this.counts[group]++;
    return true;
  }
  has(group: number, member: number): boolean {
    const plane = this.planes[group >>> 5];
    if (plane === undefined) return false;
    if (plane === null) return this.pairs.has(group, member);
    return member < plane.length && (plane[member] & (1 << (group & 31))) !== 0;
  }
  count(group: number): number {
    return group < this.counts.length ? this.counts[group] : 0;
  }

  /** Per group, how many members the other set lacks. */
  countsWithout(other: DistinctPerGroup, groups: number): Float64Array {
    const counts = new Float64Array(groups);
    this.planes.forEach((plane, index) => {
      if (plane === null) return;
      const others = other.planes[index];
      for (let member = 1; member < plane.length; member++) {
        let bits = plane[member];
        if (others) bits &= ~(member < others.length ? others[member] : 0);
        for (; bits !== 0; bits &= bits - 1) {
          const group = index * groupsPerPlane + 31 - Math.clz32(bits & -bits);
          if (others !== null || !other.has(group, member)) counts[group]++;
        }
      }
    });
    this.pairs.forEach((group, member) => {
      if (!other.has(group, member)) counts[group]++;
    });
    return counts;
  }

  private planeFor(index: number, member: number): Uint32Array<ArrayBuffer> | null {
    if (this.planes[index] === null) return null;
    this.membersMax = Math.max(this.membersMax, member + 1);
    const isFull = this.bytes > planeBytesMax;
    const plane = isFull ? null : new Uint32Array(this.membersMax);
    this.planes[index] = plane;
    this.bytes += plane?.byteLength ?? 0;
    return plane;
  }
  private widen(index: number, plane: Uint32Array<ArrayBuffer>, member: number): Uint32Array {
    const larger = wider(plane, member);
    this.membersMax = Math.max(this.membersMax, larger.length);
    this.bytes += larger.byteLength - plane.byteLength;
    this.planes[index] = larger;
    return larger;
  }
}

function wider(values: Uint32Array<ArrayBuffer>, at: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(at + 1, values.length * 2));
  larger.set(values);
  return larger;
}
