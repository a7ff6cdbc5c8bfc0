import type { TimeWindow } from "../../../../domain/time-window";
import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import { textReader } from "../../segment/text-reader";
import type { Rows } from "../sets/rows";
import { isWithin } from "./filter";
import { countOf, eachWithVisit, fewOf } from "./marked-rows";
import { codeCounts, visitMasks } from "./visit-masks";

/** Rows of a segment that have a value in a column, with what tells that a visit has none of them. */
export interface MarkedRows {
  readonly marks: Integers;
  readonly wanted: number;
  /** The number of rows. */
  readonly count: number;
  /** Visits with the bit have such rows, visits without it have none; null where that is not known. */
  readonly masks: Int32Array | null;
  readonly bit: number;
}

/**
 * The events of one name, when all of the segment lies in the window: visits without any are passed over, and nothing
 * is marked. Undefined when the rows have to be selected; null when there are none.
 */
export function rowsNamed(
  segment: Segment,
  window: TimeWindow,
  name: string,
): MarkedRows | null | undefined {
  if (!isWithin(segment, window)) return undefined;
  const { length, textAt } = textReader(segment, "event.name", true);
  let wanted = 1;
  while (wanted <= length && textAt(wanted - 1) !== name) wanted++;
  if (wanted > length) return null;
  const masks = visitMasks(segment, "event.name", null);
  const count = codeCounts(segment, "event.name")[wanted];
  let codes: Integers | null = null;
  return {
    // Who asks only which visits have such an event never reads them.
    get marks() {
      codes ??= segment.codes("event.name")!;
      return codes;
    },
    wanted,
    count,
    masks,
    bit: masks === null ? 0 : 1 << wanted,
  };
}

/** Rows that a filter has selected, in the same form. Where they are few, the visits without any are passed over. */
export function rowsMarked(segment: Segment, marks: Rows | false): MarkedRows | null {
  if (!marks) return null; // with a condition, all rows are never selected implicitly
  const few = fewOf(marks);
  // Words, as the masks of names are: loops that see both are compiled for one kind of array.
  const masks = few === null ? null : new Int32Array(segment.visitCount);
  if (few !== null && masks !== null) {
    eachWithVisit(segment, few, (_, visit) => {
      masks[visit] = 1;
    });
  }
  return { marks, wanted: 1, count: countOf(marks, segment), masks, bit: 1 };
}

export const mayHave = ({ masks, bit }: MarkedRows, visit: number): boolean =>
  masks === null || (masks[visit] & bit) !== 0;
