import type { Budget } from "../functions/budget";
import type { SparePlanes } from "../functions/sets/distinct";
import { PairTable } from "../functions/sets/pair-table";
import { kernel } from "../scan/kernel";
import type { Integers } from "../segment/codec";
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
  /** The words of one plane. */
  private readonly length: number;
  private readonly planes: Uint32Array<ArrayBuffer> | null;
  private readonly pairs: PairTable;
  private known: Float64Array | null = null;

  /** Members are at most `largest`. */
  constructor(
    private readonly groups: number,
    largest: number,
    private readonly budget: Budget,
    private readonly spare: SparePlanes,
  ) {
    this.length = largest + 1;
    const words = this.length * Math.ceil(groups / groupsPerPlane);
    const isSmall = Uint32Array.BYTES_PER_ELEMENT * words <= planeBytesMax;
    this.planes = isSmall ? spare.take(words, budget) : null;
    this.pairs = new PairTable(budget);
  }

  /** Adds the members of the visits that have one of the rows; 0 is no member. `visits` may leave visits out. */
  add(chunk: Chunk, members: Uint32Array, visits = chunk.selection.visits): void {
    this.known = null;
    const { planes } = this;
    const { selection, vector, groupOf, byVisit } = chunk;
    if (planes === null) {
      eachGroup(chunk, visits, (group, visit) => {
        if (members[visit] !== 0) this.pairs.add(group, members[visit]);
      });
      return;
    }
    if (byVisit !== null && this.groups <= groupsPerPlane) {
      addBits(byVisit.codes, visits, members, bitsOf(byVisit), planes);
      return;
    }
    if (byVisit !== null) {
      const { codes, starts, groups } = byVisit;
      addVisits(codes, visits, members, starts, this.placesOf(groups), bitsIn(groups), planes);
      return;
    }
    const { firstRows } = selection.segment;
    const codes = vector.codes!;
    const [places, bits] = [this.placesOf(groupOf), bitsIn(groupOf)];
    const { list } = selection;
    if (list !== null) addList(codes, list, firstRows, visits, members, places, bits, planes);
    else addRows(codes, selection.rows, firstRows, visits, members, places, bits, planes);
  }
  /** Returns where the plane of each group begins; a negative place if the group is left out. */
  private placesOf(groups: Uint32Array | Int32Array): Float64Array {
    return Float64Array.from(groups, (group) =>
      group === leftOut ? leftOut : this.length * Math.floor(group / groupsPerPlane),
    );
  }

  count(group: number): number {
    this.known ??= this.counts();
    return this.known[group];
  }
  private counts(): Float64Array {
    const { planes, length, groups, budget } = this;
    const counts = budget.doubles(groups);
    for (let first = 0, from = 0; first < groups; first += groupsPerPlane, from += length) {
      budget.check();
      if (planes !== null) addCounts(planes.subarray(from, from + length), counts, first);
    }
    this.pairs.forEach((group) => {
      counts[group]++;
    });
    return counts;
  }

  /** Calls `see` for each member of each group. */
  forEach(see: (group: number, member: number) => void): void {
    const { planes, length, groups, budget } = this;
    this.pairs.forEach(see);
    if (planes === null) return;
    for (let first = 0, from = 0; first < groups; first += groupsPerPlane, from += length) {
      budget.check();
      for (let member = 1; member < length; member++) {
        for (let bits = planes[from + member] | 0; bits !== 0; bits &= bits - 1)
          see(first + 31 - Math.clz32(bits & -bits), member);
      }
    }
  }

  /** Returns a bit for each member of a group, for another thread. */
  bitmapOf(group: number): Uint32Array<ArrayBuffer> {
    const { planes, length } = this;
    const bitmap = new Uint32Array((length >>> 5) + 1);
    const from = length * Math.floor(group / groupsPerPlane);
    if (planes !== null) {
      const bit = group % groupsPerPlane;
      for (let member = 1; member < length; member++)
        bitmap[member >>> 5] |= ((planes[from + member] >>> bit) & 1) << (member & 31);
    }
    this.pairs.forEach((of, member) => {
      if (of === group) bitmap[member >>> 5] |= 1 << (member & 31);
    });
    return bitmap;
  }
  end(): void {
    if (this.planes !== null) this.spare.keep(this.planes, this.budget);
  }
}

/** The bit of each group in its plane. */
const bitsIn = (groups: Uint32Array | Int32Array): Uint32Array =>
  Uint32Array.from(groups, (group) => 1 << (group & (groupsPerPlane - 1)));

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
  const end = Math.min(groupsPerPlane, counts.length - first);
  for (let bit = 0; bit < end; bit++) {
    const [byte, mask] = [bit >>> 3, 1 << (bit & 7)];
    for (let value = 0; value < byteValues; value++)
      if ((value & mask) !== 0) counts[first + bit] += bytes[byte * byteValues + value];
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

const addBits = kernel(
  (
    codes: Integers,
    visits: Uint8Array,
    members: Uint32Array,
    bits: Uint32Array,
    plane: Uint32Array,
  ): void => {
    for (let v = 0; v < members.length; v++)
      if (visits[v] === 1 && members[v] !== 0) plane[members[v]] |= bits[codes[v]];
  },
);
const addVisits = kernel(
  (
    codes: Integers,
    visits: Uint8Array,
    members: Uint32Array,
    starts: Uint32Array,
    places: Float64Array,
    bits: Uint32Array,
    planes: Uint32Array,
  ): void => {
    for (let v = 0; v < members.length; v++) {
      const member = members[v];
      if (visits[v] === 0 || member === 0) continue;
      const end = starts[codes[v] + 1];
      for (let at = starts[codes[v]]; at < end; at++) planes[places[at] + member] |= bits[at];
    }
  },
);
const addRows = kernel(
  (
    codes: Integers,
    rows: Uint8Array,
    firstRows: Uint32Array,
    visits: Uint8Array,
    members: Uint32Array,
    places: Float64Array,
    bits: Uint32Array,
    planes: Uint32Array,
  ): void => {
    for (let v = 0; v < members.length; v++) {
      const member = members[v];
      if (visits[v] === 0 || member === 0) continue;
      const end = firstRows[v + 1];
      for (let i = firstRows[v]; i < end; i++) {
        const place = places[codes[i]];
        if (rows[i] === 1 && place >= 0) planes[place + member] |= bits[codes[i]];
      }
    }
  },
);
const addList = kernel(
  (
    codes: Integers,
    list: Uint32Array,
    firstRows: Uint32Array,
    visits: Uint8Array,
    members: Uint32Array,
    places: Float64Array,
    bits: Uint32Array,
    planes: Uint32Array,
  ): void => {
    let v = 0;
    for (let at = 0; at < list.length; at++) {
      while (firstRows[v + 1] <= list[at]) v++;
      const code = codes[list[at]];
      if (places[code] < 0 || members[v] === 0 || visits[v] === 0) continue;
      planes[places[code] + members[v]] |= bits[code];
    }
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
