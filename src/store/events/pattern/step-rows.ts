import type { Selection } from "../scan/selection";
import type { Integers } from "../segment/codec";

/** The columns of a segment that a walk reads. It looks them up once, because a segment finds columns by name. */
export interface StepRows {
  /** The place of the segment among the segments of the question. */
  readonly index: number;
  readonly firstTime: number;
  readonly times: Uint32Array;
  /** A row is of the step if its code has the verdict 1. */
  readonly codes: Integers;
  readonly verdicts: Uint8Array;
}

export const stepRows = ({ segment, test }: Selection, index: number): StepRows => ({
  ...{ index, firstTime: segment.firstTime, times: segment.times },
  ...{ codes: test.codes, verdicts: test.verdicts },
});

/** Returns the first row of the step from `from` on; `end` if there is none before it. */
export function nextOfStep(
  { codes, verdicts }: Pick<StepRows, "codes" | "verdicts">,
  from: number,
  end: number,
): number {
  let row = from;
  while (row < end && verdicts[codes[row]] === 0) row++;
  return row;
}
