import { kernel } from "../scan/kernel";
import { isConstant, rowCodesOf } from "../scan/vector";
import type { Integers } from "../segment/codec";
import { bytesOfArray, type Segment } from "../segment/segment";
import { leftOut, zerosFor } from "./by-visit";
import { countsOfColumn, rowsWithColumn } from "./counts";
import type { Chunk } from "./hash-aggregate";

/** The most pairs that an array counts (4 MB). */
const pairsMax = 1 << 20;

/**
 * Calls `see` for each pair of a group and a code above 0 that rows have, with the number of these rows. If there are
 * few pairs, it counts their rows first; otherwise it calls `see` for each row.
 */
export function eachValue(
  chunk: Chunk,
  column: string,
  see: (group: number, code: number, events: number) => void,
): void {
  const { selection, vector, groupOf } = chunk;
  if (isConstant(vector) && selection.isAll) {
    const counts = countsOfColumn(selection, column);
    for (let code = 1; code < counts.length; code++)
      if (counts[code] > 0) see(groupOf[0], code, counts[code]);
    return;
  }
  const all = selection.segment.codes(column);
  if (all === null) return;
  const { codes, values, rows } = rowsWith(chunk, column, all);
  const width = selection.segment.texts(column).length + 1;
  const pairs = groupOf.length * width;
  if (pairs <= pairsMax && pairs <= 2 * values.length) {
    const counts = new Uint32Array(pairs);
    countPairs(codes, values, rows, width, counts);
    for (let pair = 0; pair < pairs; pair++) {
      const code = pair % width;
      if (counts[pair] === 0 || code === 0) continue;
      const group = groupOf[(pair - code) / width];
      if (group !== leftOut) see(group, code, counts[pair]);
    }
    return;
  }
  for (let i = 0; i < values.length; i++) {
    if (values[i] === 0 || rows[i] === 0) continue;
    const group = groupOf[codes[i]];
    if (group !== leftOut) see(group, values[i], 1);
  }
}

/** The codes of the key and of the column, for all rows; if few rows have the column, for these rows alone. */
interface CodedRows {
  readonly codes: Integers;
  readonly values: Integers;
  /** A 1 for each selected row. */
  readonly rows: Uint8Array;
}
function rowsWith({ selection, vector }: Chunk, column: string, values: Integers): CodedRows {
  const { segment, rows } = selection;
  const codes = rowCodesOf(segment, vector) ?? zerosFor(rows.length);
  const list = rowsWithColumn(segment, column);
  if (list === null) return { codes, values, rows };
  return { codes: listed(codes, list), values: listed(values, list), rows: listedRows(rows, list) };
}
const listed = kernel((values: Integers, list: Uint32Array): Uint32Array => {
  const own = new Uint32Array(list.length);
  for (let i = 0; i < own.length; i++) own[i] = values[list[i]];
  return own;
});
const listedRows = kernel((rows: Uint8Array, list: Uint32Array): Uint8Array => {
  const own = new Uint8Array(list.length);
  for (let i = 0; i < own.length; i++) own[i] = rows[list[i]];
  return own;
});
const countPairs = kernel(
  (
    codes: Integers,
    values: Integers,
    rows: Uint8Array,
    width: number,
    counts: Uint32Array,
  ): void => {
    for (let i = 0; i < values.length; i++) counts[codes[i] * width + values[i]] += rows[i];
  },
);

/** Returns the number of each code of a column, or NaN if its value is not a number. */
export const numbersOfCodes = (segment: Segment, column: string): Float64Array =>
  segment.derive(`numbers of ${column}`, bytesOfArray, () => {
    const values = segment.dictionary(column);
    const numbers = new Float64Array(values.length + 1).fill(Number.NaN);
    values.forEach((value, index) => {
      if (typeof value === "number") numbers[index + 1] = value;
    });
    return numbers;
  });
