import { type Budget, grownLength, valuesPerCheck } from "../budget";
import { PairTable } from "./pair-table";

const planeBytesMax = 64 * 1024 * 1024;
const none = new Uint32Array(0);

/** The bytes of planes that finished counts have given back. */
const sparePlaneBytesMax = 16 * 1024 * 1024;

/**
 * Planes for countings that follow each other, one for each day perhaps: new memory is slower than what was used a
 * moment ago, and what is let go of has to be collected.
 */
export class SparePlanes {
  private planes: Uint32Array<ArrayBuffer>[] = [];
  private bytes = 0;

  /** All zero, of at least the given number of words, as far as the budget allows. */
  take(length: number, budget: Budget): Uint32Array<ArrayBuffer> {
    const at = this.planes.findIndex(
      (plane) => plane.length >= length && plane.length <= 2 * length,
    );
    if (at < 0) return budget.words(length);
    const [plane] = this.planes.splice(at, 1);
    this.bytes -= plane.byteLength;
    budget.take(plane.byteLength);
    return plane.fill(0);
  }
  keep(plane: Uint32Array<ArrayBuffer>, budget: Budget): void {
    if (this.bytes + plane.byteLength > sparePlaneBytesMax) {
      budget.giveBack(plane.byteLength);
      return;
    }
    budget.putAside(plane.byteLength);
    this.bytes += plane.byteLength;
    this.planes.push(plane);
  }
  letGo(): void {
    this.planes = [];
    this.bytes = 0;
  }
}

const groupsPerPlane = 32;
/**
 * Counts distinct members (users or sessions, numbered from 1) per group. Of very many groups most have one member,
 * which is kept in an array. Further ones are kept in planes that 32 groups share, with a word per member and a bit per
 * group: all bits of a member lie together, and nothing is counted twice. The first 32 groups, which are often all
 * there are, have their plane from the start.
 */
export class DistinctPerGroup {
  /** The first member of each group; 0 = none. */
  private first = new Uint32Array(64);
  private counts = new Uint32Array(64);
  /** The planes; null for one whose groups are in `pairs`, because planes for all of these groups would not fit. */
  private readonly planes: (Uint32Array<ArrayBuffer> | null)[] = [];
  private readonly pairs: PairTable;
  private firstPlane = none;
  /** The members of the first groups that are in no plane (`addOthers`). */
  private readonly others = new Float64Array(groupsPerPlane);
  /** Members were added to the first plane whose groups are not counted yet. */
  private isUncounted = false;
  private bytes = 0;
  private membersMax: number;

  /**
   * Members are below the limit, as far as the caller can tell; more make the planes grow. Planes can be those of a
   * counting before.
   */
  constructor(
    private readonly budget: Budget,
    memberLimit = 1_024,
    private readonly spare?: SparePlanes,
  ) {
    this.pairs = new PairTable(budget);
    this.membersMax = memberLimit;
  }
  /** Nothing can be asked any more. */
  handBack(): void {
    for (const plane of [this.firstPlane, ...this.planes]) {
      if (plane !== null && plane !== undefined && plane.length > 0)
        this.spare?.keep(plane, this.budget);
    }
    this.firstPlane = none;
    this.planes.length = 0;
  }

  /** Adds a member. Returns true when it is new to the group. */
  add(group: number, member: number): boolean {
    if (group < groupsPerPlane) return this.addBits(1 << group, member) !== 0;
    if (group >= this.counts.length) this.widenGroups(group);
    const first = this.first[group];
    if (first === member) return false;
    if (first === 0) this.first[group] = member;
    else if (!this.addFurther(group, member)) return false;
    this.counts[group]++;
    return true;
  }
  /** Adds the member to several of the first 32 groups, told as bits. Returns those that it is new to. */
  addBits(groups: number, member: number): number {
    if (member >= this.firstPlane.length)
      this.firstPlane = this.widerPlane(this.firstPlane, member);
    const known = this.firstPlane[member];
    const gained = groups & ~known;
    if (gained === 0) return 0;
    this.firstPlane[member] = known | gained;
    for (let bits = gained; bits !== 0; bits &= bits - 1)
      this.counts[31 - Math.clz32(bits & -bits)]++;
    return gained;
  }
  /** Counts members of one of the first 32 groups that are added nowhere else, and that nobody asks for. */
  addOthers(group: number, count: number): void {
    this.others[group] += count;
  }
  /** Adds each member that is not 0 to several of the first 32 groups: those at its place, as bits. */
  addEach(members: Uint32Array, groupsAt: (place: number) => number): void {
    this.isUncounted = true;
    let plane = this.firstPlane;
    for (let place = 0; place < members.length; place++) {
      if (place % valuesPerCheck === 0) this.budget.check();
      const member = members[place];
      if (member === 0) continue;
      const groups = groupsAt(place);
      if (groups === 0) continue;
      if (member >= plane.length) plane = this.firstPlane = this.widerPlane(plane, member);
      plane[member] |= groups;
    }
  }
  has(group: number, member: number): boolean {
    if (group < groupsPerPlane) {
      return member < this.firstPlane.length && (this.firstPlane[member] & (1 << group)) !== 0;
    }
    if (group >= this.counts.length) return false;
    if (this.first[group] === member) return true;
    const plane = this.planes[group >>> 5];
    if (plane === undefined) return false;
    if (plane === null) return this.pairs.has(group, member);
    return member < plane.length && (plane[member] & (1 << (group & 31))) !== 0;
  }
  get isEmpty(): boolean {
    this.countFirst();
    return this.counts.every((count) => count === 0) && this.others.every((count) => count === 0);
  }
  count(group: number): number {
    this.countFirst();
    if (group >= this.counts.length) return 0;
    return group < groupsPerPlane ? this.counts[group] + this.others[group] : this.counts[group];
  }

  /** Counts for each group the members that the other set lacks. */
  countsWithout(other: DistinctPerGroup, groups: number): Float64Array {
    const { budget } = this;
    const counts = budget.doubles(groups);
    const see = (group: number, member: number): void => {
      if (!other.has(group, member)) counts[group]++;
    };
    budget.each(Math.min(groups, this.first.length), (group) => {
      if (this.first[group] !== 0) see(group, this.first[group]);
    });
    eachInPlane(budget, this.firstPlane, 0, see);
    this.planes.forEach((plane, index) => {
      if (plane !== null) eachInPlane(budget, plane, index, see);
    });
    this.pairs.forEach(see);
    return counts;
  }

  /**
   * The members of the first groups, for another thread: for every 32 of them a word by member. Nothing is asked of the
   * set any more.
   */
  takePlanes(groups: number): Uint32Array<ArrayBuffer>[] {
    const planes = [this.firstPlane];
    this.firstPlane = none;
    for (let index = 1; index * groupsPerPlane < groups; index++) {
      planes.push(this.planes[index] ?? none);
      this.planes[index] = none;
    }
    for (let group = groupsPerPlane; group < Math.min(groups, this.first.length); group++) {
      const member = this.first[group];
      if (member === 0) continue;
      const index = group >>> 5;
      if (member >= planes[index].length) planes[index] = this.widerPlane(planes[index], member);
      planes[index][member] |= 1 << (group & 31);
    }
    this.pairs.forEach((group, member) => {
      const index = group >>> 5;
      if (group >= groups) return;
      if (member >= planes[index].length) planes[index] = this.widerPlane(planes[index], member);
      planes[index][member] |= 1 << (group & 31);
    });
    return planes;
  }

  private countFirst(): void {
    if (!this.isUncounted) return;
    this.isUncounted = false;
    const { firstPlane: plane, counts } = this;
    let used = 0;
    for (let member = 0; member < plane.length; member++) used |= plane[member];
    for (let group = 0; group < groupsPerPlane; group++) {
      if ((used & (1 << group)) === 0) continue;
      let count = 0;
      for (let member = 0; member < plane.length; member++) count += (plane[member] >>> group) & 1;
      counts[group] = count;
    }
  }
  private addFurther(group: number, member: number): boolean {
    const plane = this.planes[group >>> 5] ?? this.planeFor(group >>> 5, member);
    if (plane === null) return this.pairs.add(group, member);
    const words = member < plane.length ? plane : this.widen(group >>> 5, plane, member);
    const bit = 1 << (group & 31);
    if ((words[member] & bit) !== 0) return false;
    words[member] |= bit;
    return true;
  }
  private planeFor(index: number, member: number): Uint32Array<ArrayBuffer> | null {
    if (this.planes[index] === null) return null;
    this.membersMax = Math.max(this.membersMax, member + 1);
    const isFull = this.bytes > planeBytesMax;
    const plane = isFull ? null : this.newPlane(this.membersMax);
    this.planes[index] = plane;
    this.bytes += plane?.byteLength ?? 0;
    return plane;
  }
  private widen(index: number, plane: Uint32Array<ArrayBuffer>, member: number): Uint32Array {
    const larger = this.widerPlane(plane, member);
    this.planes[index] = larger;
    return larger;
  }
  private newPlane(length: number): Uint32Array<ArrayBuffer> {
    return this.spare?.take(length, this.budget) ?? this.budget.words(length);
  }
  private widerPlane(plane: Uint32Array<ArrayBuffer>, member: number): Uint32Array<ArrayBuffer> {
    const last = Math.max(member, this.membersMax - 1);
    const larger = plane.length === 0 ? this.newPlane(last + 1) : this.wider(plane, last);
    this.membersMax = Math.max(this.membersMax, larger.length);
    this.bytes += larger.byteLength - plane.byteLength;
    return larger;
  }
  private widenGroups(group: number): void {
    this.first = this.wider(this.first, group);
    this.counts = this.wider(this.counts, group);
  }
  private wider(values: Uint32Array<ArrayBuffer>, at: number): Uint32Array<ArrayBuffer> {
    return this.budget.widerWords(values, Math.max(at + 1, grownLength(values.length)));
  }
}

function eachInPlane(
  budget: Budget,
  plane: Uint32Array,
  index: number,
  see: (group: number, member: number) => void,
): void {
  for (let member = 1; member < plane.length; member++) {
    if (member % valuesPerCheck === 0) budget.check();
    for (let bits = plane[member]; bits !== 0; bits &= bits - 1) {
      see(index * groupsPerPlane + 31 - Math.clz32(bits & -bits), member);
    }
  }
}
