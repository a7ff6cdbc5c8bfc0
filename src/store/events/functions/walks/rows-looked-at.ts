import type { Segment } from "../../segment/segment";
import type { MarkedRows } from "../counting/named-rows";

/** What is looked at of each row of a segment, read once: a segment looks it up by name each time. */
export interface RowsLookedAt {
  /** The place of the segment among those of the question. */
  readonly index: number;
  readonly firstTime: number;
  readonly times: Uint32Array;
  readonly marks: MarkedRows["marks"];
  readonly wanted: number;
}

export const rowsLookedAt = (
  { firstTime, times }: Segment,
  index: number,
  { marks, wanted }: MarkedRows,
): RowsLookedAt => ({ index, firstTime, times, marks, wanted });

/** The first marked row from `from` on; `end` if there is none before. */
export function nextMarked({ marks, wanted }: RowsLookedAt, from: number, end: number): number {
  let row = from;
  while (row < end && marks[row] !== wanted) row++;
  return row;
}
