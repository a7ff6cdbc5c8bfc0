import type { Selection } from "../../scan/selection";
import type { Integers } from "../../segment/codec";

/** What is looked at of each row of a segment, read once: a segment looks it up by name each time. */
export interface RowsLookedAt {
  /** The place of the segment among those of the question. */
  readonly index: number;
  readonly firstTime: number;
  readonly times: Uint32Array;
  /** The rows whose code has a 1 among the verdicts are those of the step. */
  readonly codes: Integers;
  readonly verdicts: Uint8Array;
}

export const rowsLookedAt = ({ segment, test }: Selection, index: number): RowsLookedAt => ({
  ...{ index, firstTime: segment.firstTime, times: segment.times },
  ...{ codes: test.codes, verdicts: test.verdicts },
});

/** The first row of the step from `from` on; `end` if there is none before. */
export function nextOfStep({ codes, verdicts }: RowsLookedAt, from: number, end: number): number {
  let row = from;
  while (row < end && verdicts[codes[row]] === 0) row++;
  return row;
}
