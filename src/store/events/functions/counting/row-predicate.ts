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

/** Each of the predicates looks at all rows: one may keep a row that another leaves out. */
export function anyPredicate(predicates: readonly RowPredicate[]): RowPredicate {
  return (segment, rows) => {
    const passing = new Uint8Array(segment.eventCount);
    for (const predicate of predicates) {
      const marks = predicate(segment, null);
      if (marks !== false) for (let i = 0; i < marks.length; i++) passing[i] |= marks[i];
    }
    let kept = 0;
    for (let i = 0; i < passing.length; i++) {
      if (rows !== null) passing[i] &= rows[i];
      kept += passing[i];
    }
    return kept > 0 && passing;
  };
}
