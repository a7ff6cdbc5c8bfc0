import { kernel } from "../scan/kernel";
import { onesFor, Selection } from "../scan/selection";
import { columnVector, type Vector } from "../scan/vector";
import type { Integers } from "../segment/codec";
import { bytesOfArray, type Segment } from "../segment/segment";
import { storedCounts } from "../segment/stored-counts";

/** The cache does not keep counts of columns with more values: there would be nearly as many counts as rows. */
const cachedValuesMax = 4_096;

type Counts = Uint32Array | Float64Array;

/** Returns by code the number of rows that have it: the stored number, or counted by visit or by row. */
export function countsOf(selection: Selection, vector: Vector): ArrayLike<number> {
  const { column, name, size } = vector;
  if (column === null && vector.grain === "segment") return [selection.count];
  const stored =
    column !== null && selection.isAll ? storedCounts(selection.segment, column) : null;
  if (stored !== null) return stored;
  const count = (): Uint32Array => {
    const counts = new Uint32Array(size);
    addCounts(selection, vector, counts);
    return counts;
  };
  return name === null || size > cachedValuesMax
    ? count()
    : selection.memoArray(`counts of ${name}`, count);
}

/** The same for a dictionary column: the result has a count for code 0 even if no row has the column. */
export function countsOfColumn(selection: Selection, column: string): ArrayLike<number> {
  const vector = columnVector(selection.segment, column);
  return vector === null ? [selection.count] : countsOf(selection, vector);
}

/** Below this part of a segment's rows, a list of the rows with a property is faster than a loop over all rows. */
const propertyRowsPart = 1 / 8;

/** The rows with a property that few events have; null for other properties. The cache keeps them: four bytes a row. */
export function rowsWithColumn(segment: Segment, column: string): Uint32Array | null {
  const count = segment.eventCount - countsOfColumn(Selection.all(segment), column)[0];
  if (count > propertyRowsPart * segment.eventCount) return null;
  return segment.derive(`rows with ${column}`, bytesOfArray, () => {
    const codes = segment.codes(column);
    return codes === null ? new Uint32Array(0) : rowsWithCode(codes, count);
  });
}
const rowsWithCode = kernel((codes: Integers, count: number): Uint32Array => {
  const rows = new Uint32Array(count);
  let next = 0;
  for (let i = 0; i < codes.length; i++) if (codes[i] !== 0) rows[next++] = i;
  return rows;
});

/** Adds the number of rows with each code to the count of that code. */
export function addCounts(selection: Selection, vector: Vector, counts: Counts): void {
  const { segment } = selection;
  const codes = vector.codes!;
  if (vector.grain === "visit") {
    if (selection.isAll) addLengths(codes, onesFor(codes.length), segment.visitLengths, counts);
    else if (selection.isOfVisits)
      addLengths(codes, selection.visits, segment.visitLengths, counts);
    else if (selection.list !== null)
      addListOfVisits(codes, selection.list, segment.firstRows, counts);
    else addRowsOfVisits(codes, selection.rows, segment.firstRows, counts);
  } else if (selection.list !== null) addList(codes, selection.list, counts);
  else if (selection.isOfVisits && !selection.isAll)
    addVisits(codes, selection.visits, segment.firstRows, counts);
  else addRows(codes, selection.rows, counts);
}

const addLengths = kernel(
  (codes: Integers, visits: Uint8Array, lengths: Integers, counts: Counts): void => {
    for (let v = 0; v < codes.length; v++) counts[codes[v]] += visits[v] * lengths[v];
  },
);
const addRowsOfVisits = kernel(
  (codes: Integers, rows: Uint8Array, firstRows: Uint32Array, counts: Counts): void => {
    for (let v = 0; v < codes.length; v++) {
      const end = firstRows[v + 1];
      let count = 0;
      for (let i = firstRows[v]; i < end; i++) count += rows[i];
      counts[codes[v]] += count;
    }
  },
);
const addListOfVisits = kernel(
  (codes: Integers, list: Uint32Array, firstRows: Uint32Array, counts: Counts): void => {
    let v = 0;
    for (let at = 0; at < list.length; at++) {
      while (firstRows[v + 1] <= list[at]) v++;
      counts[codes[v]]++;
    }
  },
);
const addList = kernel((codes: Integers, list: Uint32Array, counts: Counts): void => {
  for (let at = 0; at < list.length; at++) counts[codes[list[at]]]++;
});
const addVisits = kernel(
  (codes: Integers, visits: Uint8Array, firstRows: Uint32Array, counts: Counts): void => {
    for (let v = 0; v < visits.length; v++) {
      if (visits[v] === 0) continue;
      const end = firstRows[v + 1];
      for (let i = firstRows[v]; i < end; i++) counts[codes[i]]++;
    }
  },
);
/** The same for codes of rows. */
const addRows = kernel((codes: Integers, rows: Uint8Array, counts: Counts): void => {
  for (let i = 0; i < codes.length; i++) counts[codes[i]] += rows[i];
});
