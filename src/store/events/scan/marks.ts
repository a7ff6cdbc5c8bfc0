import type { Integers } from "../segment/codec";
import { kernel } from "./kernel";

/*
 * Marks are arrays of 0 and 1, by row or by visit. The rows of visit v are those from firstRows[v] up to
 * firstRows[v + 1].
 */

export const marksOfBoth = kernel((a: Uint8Array, b: Uint8Array): Uint8Array => {
  const marks = new Uint8Array(a.length);
  for (let i = 0; i < marks.length; i++) marks[i] = a[i] & b[i];
  return marks;
});

export const marksOfEither = kernel((a: Uint8Array, b: Uint8Array): Uint8Array => {
  const marks = new Uint8Array(a.length);
  for (let i = 0; i < marks.length; i++) marks[i] = a[i] | b[i];
  return marks;
});

export const marksOfOthers = kernel((a: Uint8Array): Uint8Array => {
  const marks = new Uint8Array(a.length);
  for (let i = 0; i < marks.length; i++) marks[i] = 1 - a[i];
  return marks;
});

export const sumOf = kernel((marks: Uint8Array): number => {
  let sum = 0;
  for (let i = 0; i < marks.length; i++) sum += marks[i];
  return sum;
});

/** Returns the number of rows of the marked visits. */
export const lengthOf = kernel((visits: Uint8Array, lengths: Integers): number => {
  let sum = 0;
  for (let v = 0; v < visits.length; v++) sum += visits[v] * lengths[v];
  return sum;
});

/** Marks the visits that have one of the rows. */
export const visitsOfRows = kernel(
  (rows: Uint8Array, firstRows: Uint32Array, visits: Uint8Array): void => {
    for (let v = 0; v < visits.length; v++) {
      const end = firstRows[v + 1];
      let mark = 0;
      for (let row = firstRows[v]; row < end; row++) mark |= rows[row];
      visits[v] = mark;
    }
  },
);
export const visitsOfList = kernel(
  (list: Uint32Array, firstRows: Uint32Array, visits: Uint8Array): void => {
    let v = 0;
    for (let at = 0; at < list.length; at++) {
      while (firstRows[v + 1] <= list[at]) v++;
      visits[v] = 1;
    }
  },
);

/** Marks all rows of the marked visits. */
export const rowsOfVisits = kernel(
  (visits: Uint8Array, firstRows: Uint32Array, rows: Uint8Array): void => {
    for (let v = 0; v < visits.length; v++) {
      if (visits[v] === 0) continue;
      const end = firstRows[v + 1];
      for (let row = firstRows[v]; row < end; row++) rows[row] = 1;
    }
  },
);

/** Returns the marked rows; `count` is their number. */
export const listOf = kernel((marks: Uint8Array, count: number): Uint32Array => {
  const list = new Uint32Array(count);
  let next = 0;
  for (let row = 0; row < marks.length; row++) if (marks[row] === 1) list[next++] = row;
  return list;
});

/** Returns a 1 for each code whose verdict is 1. */
export const marksWith = kernel((codes: Integers, verdicts: Uint8Array): Uint8Array => {
  const marks = new Uint8Array(codes.length);
  for (let i = 0; i < marks.length; i++) marks[i] = verdicts[codes[i]];
  return marks;
});

/** Fills a list with the rows whose code has verdict 1, ascending, and returns their number. */
export const listWith = kernel(
  (codes: Integers, verdicts: Uint8Array, list: Uint32Array): number => {
    let next = 0;
    for (let row = 0; row < codes.length; row++) if (verdicts[codes[row]] === 1) list[next++] = row;
    return next;
  },
);

/** Returns a 1 for each visit whose mask has one of the bits. */
export const marksWithBits = kernel((masks: Integers, bits: number): Uint8Array => {
  const marks = new Uint8Array(masks.length);
  for (let v = 0; v < marks.length; v++) marks[v] = (masks[v] & bits) === 0 ? 0 : 1;
  return marks;
});
