import type { Segment } from "../../segment/segment";
import type { Rows } from "../sets/rows";

/** Narrows the rows to those that pass. False when none is left. The marks it is given may be changed. */
export interface RowPredicate {
  (segment: Segment, rows: Rows): Uint8Array | false;
  /** Counts the rows of the whole segment that pass, where that is known without marking them. */
  count?(segment: Segment): number;
  /**
   * Returns a 1 for each visit whose rows all pass; false when none does, null when some of them pass in part, or when
   * only their rows could tell and `looksAtRows` is false.
   */
  visits?(segment: Segment, looksAtRows: boolean): Uint8Array | false | null;
}
