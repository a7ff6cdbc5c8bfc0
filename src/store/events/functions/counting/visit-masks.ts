import { kernel } from "../../scan/kernel";
import { Selection } from "../../scan/selection";
import type { Integers } from "../../segment/codec";
import { bytesOfArray, type Segment } from "../../segment/segment";
import { storedCounts, storedMasks } from "../../segment/stored-counts";

/** Codes and groups below this may be told as bits. */
export const bitsMax = 32;

/**
 * Returns for each visit the codes of a dictionary column in its selected rows, as bits; null for a column of many
 * values. Who was seen with a value is then asked per visit and not per event. The masks are kept in the cache where
 * the selection has a name: four bytes a visit.
 */
export function visitMasks(selection: Selection, column: string): Integers | null {
  const { segment } = selection;
  const stored = storedMasks(segment, column);
  if (stored === null) {
    if (segment.column(column) === null || segment.isDictionaryApart(column)) return null;
    if (segment.dictionary(column).length >= bitsMax) return null;
  }
  if (selection.isAll && stored !== null) return stored;
  if (selection.isOfVisits && !selection.isAll) {
    const ofAll = visitMasks(Selection.all(segment), column);
    return ofAll && masksOfMarked(ofAll, selection.visits);
  }
  return selection.memoArray(`masks of ${column}`, () => {
    const ofVisits = segment.visitCodes(column);
    const { visits } = selection;
    if (ofVisits !== null) return masksOfCodes(ofVisits, visits);
    return masksOfRows(segment.codes(column)!, selection.rows, segment.firstRows, visits);
  });
}

const masksOfMarked = kernel((masks: Integers, visits: Uint8Array): Uint32Array => {
  const marked = new Uint32Array(masks.length);
  for (let v = 0; v < marked.length; v++) if (visits[v] === 1) marked[v] = masks[v];
  return marked;
});
const masksOfCodes = kernel((codes: Integers, visits: Uint8Array): Uint32Array => {
  const masks = new Uint32Array(codes.length);
  for (let v = 0; v < masks.length; v++) masks[v] = visits[v] << codes[v];
  return masks;
});
const masksOfRows = kernel(
  (codes: Integers, rows: Uint8Array, firstRows: Uint32Array, visits: Uint8Array): Uint32Array => {
    const masks = new Uint32Array(visits.length);
    for (let v = 0; v < masks.length; v++) {
      if (visits[v] === 0) continue;
      const end = firstRows[v + 1];
      let mask = 0;
      for (let i = firstRows[v]; i < end; i++) mask |= rows[i] << codes[i];
      masks[v] = mask;
    }
    return masks;
  },
);

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
export function codeCountsIn(selection: Selection, column: string): Uint32Array {
  const { segment } = selection;
  if (selection.isAll) return codeCounts(segment, column);
  const count = (): Uint32Array => countsOf(selection, column, sizeOf(segment, column) + 1);
  // There would be nearly as many counts of a large dictionary as rows.
  return segment.isDictionaryApart(column)
    ? count()
    : selection.memoArray(`counts of ${column}`, count);
}

function countsOf(selection: Selection, column: string, size: number): Uint32Array {
  const { segment, list } = selection;
  const counts = new Uint32Array(size);
  const ofVisits = segment.visitCodes(column);
  const codes = segment.codes(column);
  if (codes === null) counts[0] = selection.count;
  else if (ofVisits !== null && selection.isOfVisits)
    addLengths(ofVisits, selection.visits, segment.visitLengths, counts);
  else if (list !== null) addListed(codes, list, counts);
  else if (selection.isOfVisits) addVisits(codes, selection.visits, segment.firstRows, counts);
  else addRows(codes, selection.rows, counts);
  return counts;
}
const addLengths = kernel(
  (codes: Integers, visits: Uint8Array, lengths: Integers, counts: Uint32Array): void => {
    for (let v = 0; v < codes.length; v++) counts[codes[v]] += visits[v] * lengths[v];
  },
);
const addListed = kernel((codes: Integers, list: Uint32Array, counts: Uint32Array): void => {
  for (let at = 0; at < list.length; at++) counts[codes[list[at]]]++;
});
const addVisits = kernel(
  (codes: Integers, visits: Uint8Array, firstRows: Uint32Array, counts: Uint32Array): void => {
    for (let v = 0; v < visits.length; v++) {
      if (visits[v] === 0) continue;
      const end = firstRows[v + 1];
      for (let i = firstRows[v]; i < end; i++) counts[codes[i]]++;
    }
  },
);
/** Adds the number of rows that have each code. */
export const addRows = kernel((codes: Integers, rows: Uint8Array, counts: Uint32Array): void => {
  for (let i = 0; i < codes.length; i++) counts[codes[i]] += rows[i];
});

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

/** Returns for each visit the groups of its selected rows, among the first ones, as bits. */
export function bitsOfVisits(
  { segment, list, rows }: Selection,
  codes: Integers,
  groupOf: Int32Array,
): (visit: number) => number {
  const bitOf = Int32Array.from(groupOf, (group) => (group < 0 ? 0 : 1 << group));
  const { firstRows } = segment;
  if (list !== null) {
    const ofVisits = new Int32Array(segment.visitCount);
    let visit = 0;
    for (const row of list) {
      while (firstRows[visit + 1] <= row) visit++;
      ofVisits[visit] |= bitOf[codes[row]];
    }
    return (visit) => ofVisits[visit];
  }
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
