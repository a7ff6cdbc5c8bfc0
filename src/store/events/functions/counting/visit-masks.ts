import type { Integers } from "../../segment/codec";
import { bytesOfArray, type Segment } from "../../segment/segment";
import { storedCounts, storedMasks } from "../../segment/stored-counts";
import type { Rows } from "../sets/rows";
import {
  areOfVisits,
  codeCountsOf,
  eachWithVisit,
  fewOf,
  ofMarkedVisits,
  visitsWithRow,
} from "./marked-rows";

/** Codes and groups below this may be told as bits. */
export const bitsMax = 32;

/**
 * Returns for each visit the codes of a dictionary column in its rows, as bits; null for a column of many values, and
 * where single rows have to be looked at. Who was seen with a value is then asked per visit and not per event. The
 * masks are kept in the cache: four bytes a visit.
 */
export function visitMasks(segment: Segment, column: string, rows: Rows): Int32Array | null {
  const stored = storedMasks(segment, column);
  if (stored === null) {
    if (segment.column(column) === null || segment.isDictionaryApart(column)) return null;
    if (segment.dictionary(column).length >= bitsMax) return null;
  }
  return ofMarkedVisits(segment, rows, `masks of ${column}`, (marked) => {
    if (stored !== null && marked === null) return new Int32Array(stored);
    const masks = new Int32Array(segment.visitCount);
    const visits = marked !== null && areOfVisits(marked) ? visitsWithRow(segment, marked) : null;
    const ofVisits = marked === null || visits !== null ? segment.visitCodes(column) : null;
    if (ofVisits !== null) addMasksOfVisits(ofVisits, visits, masks);
    else if (marked === null || visits !== null) {
      addMasks(segment, segment.codes(column)!, visits, masks);
    } else addMasksOfRows(segment, segment.codes(column)!, marked, masks);
    return masks;
  });
}

/** Adds the masks of a column that has one code for each visit. */
function addMasksOfVisits(codes: Integers, visits: Uint8Array | null, masks: Int32Array): void {
  for (let v = 0; v < masks.length; v++) {
    if (visits === null || visits[v] === 1) masks[v] = 1 << codes[v];
  }
}
/** Adds the codes of all rows of some visits, which are marked by 1, or of all visits. */
function addMasks(
  { firstRows }: Segment,
  codes: Integers,
  visits: Uint8Array | null,
  masks: Int32Array,
): void {
  for (let v = 0; v < masks.length; v++) {
    if (visits !== null && visits[v] === 0) continue;
    const end = firstRows[v + 1];
    let mask = 0;
    for (let i = firstRows[v]; i < end; i++) mask |= 1 << codes[i];
    masks[v] = mask;
  }
}
function addMasksOfRows(
  { firstRows }: Segment,
  codes: Integers,
  marked: Uint8Array,
  masks: Int32Array,
): void {
  for (let v = 0; v < masks.length; v++) {
    const end = firstRows[v + 1];
    let mask = 0;
    for (let i = firstRows[v]; i < end; i++) mask |= marked[i] << codes[i];
    masks[v] = mask;
  }
}

/** Counts the events that have each code of a dictionary column. */
export function codeCounts(segment: Segment, column: string): Uint32Array {
  return segment.derive(`counts of ${column}`, bytesOfArray, () => {
    const stored = storedCounts(segment, column);
    if (stored !== null) return new Uint32Array(stored);
    const counts = new Uint32Array(sizeOf(segment, column) + 1);
    const ofVisits = segment.visitCodes(column);
    if (ofVisits !== null) {
      const lengths = segment.visitLengths;
      for (let v = 0; v < ofVisits.length; v++) counts[ofVisits[v]] += lengths[v];
      return counts;
    }
    const codes = segment.codes(column);
    if (codes === null) counts[0] = segment.eventCount;
    else for (let i = 0; i < codes.length; i++) counts[codes[i]]++;
    return counts;
  });
}

/** Counts the events among some rows that have each code of a dictionary column. */
export const codeCountsIn = (segment: Segment, column: string, rows: Rows): Uint32Array =>
  rows === null
    ? codeCounts(segment, column)
    : codeCountsOf(segment, rows, column, sizeOf(segment, column) + 1);

/** A property that a smaller part of a segment's rows have is looked at by a list of these. */
const propertyRowsPart = 1 / 8;

/** The rows that have a property which few events have; null for any other. Kept in the cache: four bytes a row. */
export function fewRowsWith(segment: Segment, column: string): Uint32Array | null {
  const [none = 0] = codeCounts(segment, column);
  const count = segment.eventCount - none;
  if (count > propertyRowsPart * segment.eventCount) return null;
  return segment.derive(`rows with ${column}`, bytesOfArray, () => {
    const rows = new Uint32Array(count);
    const codes = segment.codes(column);
    let next = 0;
    if (codes === null) return rows;
    for (let i = 0; i < codes.length; i++) if (codes[i] !== 0) rows[next++] = i;
    return rows;
  });
}

const sizeOf = (segment: Segment, column: string): number =>
  segment.isDictionaryApart(column)
    ? segment.texts(column).length
    : segment.dictionary(column).length;

/** Returns for each visit the groups of its marked rows, among the first ones, as bits. */
export function bitsOfVisits(
  segment: Segment,
  rows: Uint8Array,
  codes: Integers,
  groupOf: Int32Array,
): (visit: number) => number {
  const bitOf = Int32Array.from(groupOf, (group) => (group < 0 ? 0 : 1 << group));
  const few = fewOf(rows);
  if (few !== null) {
    const ofVisits = new Int32Array(segment.visitCount);
    eachWithVisit(segment, few, (row, visit) => {
      ofVisits[visit] |= bitOf[codes[row]];
    });
    return (visit) => ofVisits[visit];
  }
  const { firstRows } = segment;
  return (visit) => {
    let bits = 0;
    const end = firstRows[visit + 1];
    for (let i = firstRows[visit]; i < end; i++) if (rows[i] === 1) bits |= bitOf[codes[i]];
    return bits;
  };
}

export const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);

/** The same few sets of codes occur again and again. */
const rememberedSetsMax = 4_096;

/** Makes a function that translates a set of codes to the set of their groups, both as bits. */
export function translation(groupOf: Int32Array, leftOut: number): (codes: number) => number {
  // A power of two, as sets are bits: none of a set's bits is beyond it.
  const size = Math.min(rememberedSetsMax, 2 ** groupOf.length);
  const known = new Uint32Array(size);
  const isKnown = new Uint8Array(size);
  const translate = (codes: number): number => {
    let groups = 0;
    for (let bits = codes; bits !== 0; bits &= bits - 1) {
      const group = groupOf[lowestBit(bits)];
      if (group !== leftOut) groups |= 1 << group;
    }
    return groups;
  };
  const beyond = ~(size - 1);
  return (codes) => {
    if ((codes & beyond) !== 0) return translate(codes);
    if (isKnown[codes] === 0) {
      known[codes] = translate(codes);
      isKnown[codes] = 1;
    }
    return known[codes];
  };
}
