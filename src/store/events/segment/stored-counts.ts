/*
 * Segments store the counts that nearly every read needs.
 * Decision: beside a dictionary column a segment stores the number of events that have each value. If the
 * events of a segment have few different names, it also stores the names of each visit, as one bit for each name.
 * Because: the first read of a segment decoded the codes of all events to count them, or to find the visits with an
 * event: the codes of paths to find that no path contains a text, those of names to count users by name.
 * Cost: a hundredth of a segment's bytes, and a pass over the codes whenever a segment is built.
 * Revisit: if most reads count values within filters by other columns.
 */

import type { Integers } from "./codec";
import type { BuiltColumn, Column } from "./column";

/** A mask has 32 bits, one of which stands for events without a name. */
export const maskedValuesMax = 31;
const maskedColumn = "event.name";

/** If a column has more values for each event, it would have nearly as many counts as codes. */
const valuesPerEventMax = 1 / 4;

const countsOf = (column: string): string => `counts.${column}`;
const masksOf = (column: string): string => `masks.${column}`;
const hasValues = (name: string): boolean =>
  name.startsWith("property.") || name.startsWith("event.");

/** Returns the columns of counts and masks that a segment stores beside its other columns. */
export function countColumns(
  columns: ReadonlyMap<string, BuiltColumn>,
  firstRows: Uint32Array,
): Map<string, BuiltColumn> {
  const counted = new Map<string, BuiltColumn>();
  for (const [name, { texts, codes: own, sameCodesAs = name }] of columns) {
    const codes = own ?? columns.get(sameCodesAs)?.codes;
    if (texts === undefined || codes === undefined || !hasValues(name)) continue;
    if (texts.length <= valuesPerEventMax * codes.length)
      counted.set(countsOf(name), { codes: countsIn(codes, texts.length) });
    if (name === maskedColumn && texts.length <= maskedValuesMax)
      counted.set(masksOf(name), { codes: masksIn(codes, firstRows) });
  }
  return counted;
}

function countsIn(codes: Integers, values: number): Uint32Array {
  const counts = new Uint32Array(values + 1);
  for (let row = 0; row < codes.length; row++) counts[codes[row]]++;
  return counts;
}

function masksIn(codes: Integers, firstRows: Uint32Array): Uint32Array {
  const masks = new Uint32Array(firstRows.length - 1);
  for (let v = 0; v < masks.length; v++) {
    for (let row = firstRows[v]; row < firstRows[v + 1]; row++) masks[v] |= 1 << codes[row];
  }
  return masks;
}

interface ColumnLookup {
  column(name: string): Column | null;
}

/** Returns the number of events by code; null if the segment does not store these counts. */
export const storedCounts = (segment: ColumnLookup, column: string): Integers | null =>
  segment.column(countsOf(column))?.codes ?? null;

/** Tells whether a segment stores counts of a column, so that reads may need its values without its codes. */
export const isCounted = (segment: ColumnLookup, column: string): boolean =>
  storedCounts(segment, column) !== null;

/** Returns for each visit a bit for each code that occurs in it; null if the segment does not store masks. */
export const storedMasks = (segment: ColumnLookup, column: string): Integers | null =>
  (column === maskedColumn && segment.column(masksOf(column))?.codes) || null;
