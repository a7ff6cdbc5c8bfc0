/*
 * What nearly every read counts is stored counted.
 * Decision: beside the codes of a dictionary column lie the number of events that have each value, and beside those of
 * names of events, where these are few, which of them each visit has, as bits.
 * Because: at the first touch the codes of all events were decoded to count them, or to find who had an event: those of
 * paths to find that none contains a text, those of names to count users by name.
 * Cost: a hundredth of a segment's bytes; a pass over the codes whenever a segment is made.
 * Revisit: if values are mostly asked for by others.
 */

import type { Integers } from "./codec";
import type { BuiltColumn, Column } from "./column";

/** Masks are of 32 bits, of which one stands for events without the value. */
export const maskedValuesMax = 31;
const maskedColumn = "event.name";

/** With more values for each event than this, counts would be nearly as many as codes. */
const valuesPerEventMax = 1 / 4;

const countsOf = (column: string): string => `counts.${column}`;
const masksOf = (column: string): string => `masks.${column}`;
const hasValues = (name: string): boolean =>
  name.startsWith("property.") || name.startsWith("event.");

/** What is stored beside the columns of a segment. */
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

interface Stored {
  column(name: string): Column | null;
}

/** Returns the number of events by code; null if the segment does not store it. */
export const storedCounts = (segment: Stored, column: string): Integers | null =>
  segment.column(countsOf(column))?.codes ?? null;

/** Tells whether a column's values are of use without its codes. */
export const isCounted = (segment: Stored, column: string): boolean =>
  storedCounts(segment, column) !== null;

/** Returns the codes that each visit has, as bits; null where that is not stored. */
export const storedMasks = (segment: Stored, column: string): Integers | null =>
  (column === maskedColumn && segment.column(masksOf(column))?.codes) || null;
