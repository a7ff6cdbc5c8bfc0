import { kernel } from "../scan/kernel";
import type { Selection } from "../scan/selection";
import type { Vector } from "../scan/vector";
import type { Integers } from "../segment/codec";
import { storedMasks } from "../segment/stored-counts";

/** Stands for no group: no row has the code, or the aggregate leaves its group out. */
export const leftOut = -1;

/**
 * One code for each visit: the code of all its rows if these do not differ, else a code for the set of their codes. A
 * segment has few such sets. Aggregates have one loop for both, and look up the groups of each set once.
 */
export interface ByVisit {
  /** Those of visits without a selected row are arbitrary: an aggregate skips these visits. */
  readonly codes: Integers;
  /** Codes are below this. */
  readonly size: number;
  /** The groups of code c are in `groups` from `starts[c]` up to `starts[c + 1]`. */
  readonly starts: Uint32Array;
  readonly groups: Uint32Array;
}

/** Up to this many codes, one word holds the set of a visit's codes. */
const setCodesMax = 32;
/** Up to this many codes, the bits of a set are its code; beyond, the sets that occur are numbered. */
const plainCodesMax = 10;
const setsMax = 65_536;

/** Null if there are too many codes or sets of them: the caller then reads the rows one by one. */
export function byVisit(selection: Selection, vector: Vector, groupOf: Int32Array): ByVisit | null {
  const { segment } = selection;
  const { column, size } = vector;
  if (column === null && vector.grain === "segment")
    return { codes: zerosFor(segment.visitCount), size: 1, ...groupsOfCodes(groupOf) };
  // Stored masks stand for all rows of a visit. They come first, because reading the grain may decode codes.
  const hasMasks = column !== null && selection.isOfVisits && storedMasks(segment, column) !== null;
  if (!hasMasks && vector.grain === "visit")
    return { codes: vector.codes!, size, ...groupsOfCodes(groupOf) };
  const sets = size > setCodesMax ? null : setsOf(selection, vector);
  return sets && { codes: sets.codes, size: sets.size, ...groupsOfSets(sets, groupOf) };
}

let zeros = new Uint8Array(0);
/** Callers do not change them. */
export function zerosFor(length: number): Uint8Array {
  if (zeros.length < length) zeros = new Uint8Array(Math.max(length, 2 * zeros.length));
  return zeros.subarray(0, length);
}

interface Sets {
  readonly codes: Integers;
  /** The bits of each set; null where a code is its own bits. */
  readonly masks: Uint32Array | null;
  readonly size: number;
}

function setsOf(selection: Selection, vector: Vector): Sets | null {
  const { name, size } = vector;
  const masks = masksOf(selection, vector);
  if (size <= plainCodesMax) return { codes: masks, masks: null, size: 1 << size };
  const number = (): Sets => {
    const known = new Map<number, number>();
    const codes = new Uint16Array(masks.length);
    for (let v = 0; v < codes.length; v++) {
      const code = known.get(masks[v]) ?? known.size;
      if (code === known.size) known.set(masks[v], code);
      codes[v] = code;
    }
    return { codes, masks: Uint32Array.from(known.keys()), size: known.size };
  };
  const sets = name === null ? number() : selection.memo(`sets of ${name}`, bytesOfSets, number);
  return sets.size < setsMax ? sets : null;
}
const bytesOfSets = ({ codes, size }: Sets): number =>
  codes.byteLength + Uint32Array.BYTES_PER_ELEMENT * size;

/** Returns the codes that the selected rows of each selected visit have, as bits. */
function masksOf(selection: Selection, vector: Vector): Integers {
  const { segment } = selection;
  const { column, name, size } = vector;
  const stored = column === null ? null : storedMasks(segment, column);
  if (stored !== null && selection.isOfVisits) return stored;
  const make = (): Integers => {
    const masks = wordsFor(size, segment.visitCount);
    addBits(vector.codes!, selection.rows, selection.visits, segment.firstRows, masks);
    return masks;
  };
  return name === null ? make() : selection.memoArray(`masks of ${name}`, make);
}
function wordsFor(bits: number, length: number): Integers {
  if (bits <= 8) return new Uint8Array(length);
  return bits <= 16 ? new Uint16Array(length) : new Uint32Array(length);
}
const addBits = kernel(
  (
    codes: Integers,
    rows: Uint8Array,
    visits: Uint8Array,
    firstRows: Uint32Array,
    masks: Integers,
  ): void => {
    for (let v = 0; v < masks.length; v++) {
      if (visits[v] === 0) continue;
      const end = firstRows[v + 1];
      let mask = 0;
      for (let i = firstRows[v]; i < end; i++) mask |= rows[i] << codes[i];
      masks[v] = mask;
    }
  },
);

type GroupsOfCodes = Pick<ByVisit, "starts" | "groups">;
function groupsOfCodes(groupOf: Int32Array): GroupsOfCodes {
  const starts = new Uint32Array(groupOf.length + 1);
  const groups = new Uint32Array(groupOf.length);
  let next = 0;
  for (let code = 0; code < groupOf.length; code++) {
    if (groupOf[code] !== leftOut) groups[next++] = groupOf[code];
    starts[code + 1] = next;
  }
  return { starts, groups: groups.subarray(0, next) };
}
function groupsOfSets({ masks, size }: Sets, groupOf: Int32Array): GroupsOfCodes {
  const starts = new Uint32Array(size + 1);
  const groups: number[] = [];
  // Several codes may have one group, such as 2 and "2", or the hours of a weekday: a set has the group once.
  const firstOf = groupOf.map((group) => groupOf.indexOf(group));
  for (let code = 0; code < size; code++) {
    let seen = 0;
    for (let bits = masks === null ? code : masks[code]; bits !== 0; bits &= bits - 1) {
      const first = firstOf[31 - Math.clz32(bits & -bits)];
      if (groupOf[first] === leftOut || (seen & (1 << first)) !== 0) continue;
      seen |= 1 << first;
      groups.push(groupOf[first]);
    }
    starts[code + 1] = groups.length;
  }
  return { starts, groups: Uint32Array.from(groups) };
}
