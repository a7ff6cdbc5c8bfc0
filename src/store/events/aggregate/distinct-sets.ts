import { kernel } from "../scan/kernel";
import type { Integers } from "../segment/codec";
import type { Budget } from "../sets/budget";
import { PairTable } from "../sets/pair-table";
import type { SparePlanes } from "../sets/spare-planes";
import { type ByVisit, leftOut } from "./by-visit";
import type { Chunk } from "./hash-aggregate";

/** The most bytes of all planes; with more, a table of pairs of group and member takes their place. */
const planeBytesMax = 64 * 1024 * 1024;
const groupsPerPlane = 32;

/**
 * The distinct members of each group: the users or sessions of visits, by their numbers from 1. A plane has a word for
 * each member, and in it a bit for each of 32 groups, so that a visit with several groups takes one step.
 */
export class DistinctSets {
  /** By 32 groups; null where members are pairs. */
  private readonly planes: readonly Uint32Array<ArrayBuffer>[] | null;
  private readonly pairs: PairTable;
  private known: Float64Array | null = null;

  /** Members are at most `largest`. */
  constructor(
    private readonly groups: number,
    private readonly largest: number,
    private readonly budget: Budget,
    private readonly spare: SparePlanes,
  ) {
    const count = Math.ceil(groups / groupsPerPlane);
    const isSmall = Uint32Array.BYTES_PER_ELEMENT * count * (largest + 1) <= planeBytesMax;
    this.planes = isSmall
      ? Array.from({ length: count }, () => spare.take(largest + 1, budget))
      : null;
    this.pairs = new PairTable(budget);
  }

  /** Adds the members of the visits that have one of the rows; 0 is no member. `visits` may leave visits out. */
  add(chunk: Chunk, members: Uint32Array, visits = chunk.selection.visits): void {
    this.known = null;
    const { planes } = this;
    if (this.groups === 0) return;
    const { selection, vector, groupOf, byVisit } = chunk;
    if (planes === null) {
      eachGroup(chunk, visits, (group, visit) => {
        if (members[visit] !== 0) this.pairs.add(group, members[visit]);
      });
      return;
    }
    const { segment, list } = selection;
    const own = membersOf(members, visits);
    if (byVisit !== null && this.groups <= groupsPerPlane)
      addBits(byVisit.codes, own, bitsOf(byVisit), planes[0]);
    else if (byVisit !== null)
      addVisits(byVisit.codes, own, byVisit.starts, byVisit.groups, planes);
    else if (list !== null)
      addPairs(
        groupsOfList(vector.codes!, list, groupOf),
        ofList(own, list, segment.firstRows),
        planes,
      );
    else addRows(chunk.groupsOfRows, own, segment.firstRows, planes);
  }

  /** Adds a member to a group. */
  addOne(group: number, member: number): void {
    const { planes } = this;
    if (planes === null) this.pairs.add(group, member);
    else planes[group >>> 5][member] |= 1 << (group & 31);
  }

  count(group: number): number {
    this.known ??= this.counts();
    return this.known[group];
  }
  private counts(): Float64Array {
    const { planes, groups, budget } = this;
    const counts = budget.doubles(groups);
    planes?.forEach((plane, index) => {
      budget.check();
      addCounts(plane.subarray(1), counts, groupsPerPlane * index);
    });
    this.pairs.forEach((group) => {
      counts[group]++;
    });
    return counts;
  }

  /** Calls `see` for each member of each group. */
  forEach(see: (group: number, member: number) => void): void {
    this.pairs.forEach(see);
    this.planes?.forEach((plane, index) => {
      this.budget.check();
      for (let member = 1; member <= this.largest; member++) {
        for (let bits = plane[member] | 0; bits !== 0; bits &= bits - 1)
          see(groupsPerPlane * index + 31 - Math.clz32(bits & -bits), member);
      }
    });
  }

  end(): void {
    for (const plane of this.planes ?? []) this.spare.giveBack(plane, this.budget);
  }
}

/** The groups of each code as bits of one plane. */
function bitsOf({ size, starts, groups }: ByVisit): Uint32Array {
  const bits = new Uint32Array(size);
  for (let code = 0; code < size; code++)
    for (let at = starts[code]; at < starts[code + 1]; at++) bits[code] |= 1 << groups[at];
  return bits;
}

const byteValues = 256;
/**
 * Adds the number of members of each group of a plane. It first counts how often each byte of the words has each value:
 * four steps a member, whatever the number of groups.
 */
function addCounts(plane: Uint32Array, counts: Float64Array, first: number): void {
  const bytes = new Uint32Array(4 * byteValues);
  countBytes(plane, bytes);
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0) continue;
    const group = first + 8 * Math.floor(at / byteValues);
    for (let bits = at % byteValues; bits !== 0; bits &= bits - 1)
      counts[group + 31 - Math.clz32(bits & -bits)] += bytes[at];
  }
}

/** Calls `see` once for each pair of a marked visit and one of its groups. */
export function eachGroup(
  { selection, vector, groupOf, byVisit }: Chunk,
  visits: Uint8Array,
  see: (group: number, visit: number) => void,
): void {
  if (byVisit !== null) {
    const { codes, starts, groups } = byVisit;
    for (let v = 0; v < visits.length; v++) {
      if (visits[v] === 0) continue;
      const end = starts[codes[v] + 1];
      for (let at = starts[codes[v]]; at < end; at++) see(groups[at], v);
    }
    return;
  }
  const codes = vector.codes!;
  const last = new Map<number, number>();
  selection.eachRow((row, visit) => {
    const group = groupOf[codes[row]];
    if (group === leftOut || visits[visit] === 0 || last.get(group) === visit) return;
    last.set(group, visit);
    see(group, visit);
  });
}

/** Returns the members of the marked visits; 0 for the others. */
const membersOf = kernel((members: Uint32Array, visits: Uint8Array): Uint32Array => {
  const own = new Uint32Array(members.length);
  for (let v = 0; v < own.length; v++) own[v] = members[v] * visits[v];
  return own;
});
/** Whatever word 0 of the plane gets, nobody reads. */
const addBits = kernel(
  (codes: Integers, members: Uint32Array, bits: Uint32Array, plane: Uint32Array): void => {
    for (let v = 0; v < members.length; v++) plane[members[v]] |= bits[codes[v]];
  },
);
const addVisits = kernel(
  (
    codes: Integers,
    members: Uint32Array,
    starts: Uint32Array,
    groups: Uint32Array,
    planes: readonly Uint32Array[],
  ): void => {
    for (let v = 0; v < members.length; v++) {
      const member = members[v];
      if (member === 0) continue;
      const end = starts[codes[v] + 1];
      for (let at = starts[codes[v]]; at < end; at++)
        planes[groups[at] >>> 5][member] |= 1 << (groups[at] & 31);
    }
  },
);
const addRows = kernel(
  (
    groups: Int32Array,
    members: Uint32Array,
    firstRows: Uint32Array,
    planes: readonly Uint32Array[],
  ): void => {
    for (let v = 0; v < members.length; v++) {
      const member = members[v];
      if (member === 0) continue;
      const end = firstRows[v + 1];
      for (let i = firstRows[v]; i < end; i++)
        if (groups[i] >= 0) planes[groups[i] >>> 5][member] |= 1 << (groups[i] & 31);
    }
  },
);
/** Adds members to groups; a group below 0 is left out. */
const addPairs = kernel(
  (groups: Int32Array, members: Uint32Array, planes: readonly Uint32Array[]): void => {
    for (let i = 0; i < groups.length; i++)
      if (groups[i] >= 0) planes[groups[i] >>> 5][members[i]] |= 1 << (groups[i] & 31);
  },
);
const groupsOfList = kernel(
  (codes: Integers, list: Uint32Array, groupOf: Int32Array): Int32Array => {
    const groups = new Int32Array(list.length);
    for (let i = 0; i < list.length; i++) groups[i] = groupOf[codes[list[i]]];
    return groups;
  },
);
/** Returns the value of the visit of each listed row. */
const ofList = kernel(
  (values: Uint32Array, list: Uint32Array, firstRows: Uint32Array): Uint32Array => {
    const listed = new Uint32Array(list.length);
    let v = 0;
    for (let i = 0; i < list.length; i++) {
      while (firstRows[v + 1] <= list[i]) v++;
      listed[i] = values[v];
    }
    return listed;
  },
);
const countBytes = kernel((words: Uint32Array, counts: Uint32Array): void => {
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === 0) continue;
    counts[word & 255]++;
    counts[256 + ((word >>> 8) & 255)]++;
    counts[512 + ((word >>> 16) & 255)]++;
    counts[768 + (word >>> 24)]++;
  }
});
