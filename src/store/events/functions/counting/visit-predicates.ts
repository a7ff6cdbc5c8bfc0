import type { Segment } from "../../segment/segment";
import { markedVisits } from "./marked-rows";
import type { RowPredicate } from "./row-predicate";

/** Visits that pass are nearly always few: they are marked, instead of clearing the others. */
export function visitPredicate(
  prepare: (segment: Segment) => (visit: number) => boolean,
): RowPredicate {
  return markingPredicate((segment) => {
    const passes = prepare(segment);
    const { visitCount } = segment;
    let marks: Uint8Array | false = false;
    for (let v = 0; v < visitCount; v++) {
      if (!passes(v)) continue;
      marks ||= new Uint8Array(visitCount);
      marks[v] = 1;
    }
    return marks;
  });
}

/** `visits` has a 1 for each visit that passes; false when none does. */
export function markingPredicate(visits: (segment: Segment) => Uint8Array | false): RowPredicate {
  const predicate: RowPredicate = (segment, rows) => {
    const passing = visits(segment);
    if (passing === false) return false;
    const marks = markedVisits(segment, passing);
    if (rows === null) return marks;
    let kept = 0;
    for (let i = 0; i < rows.length; i++) kept += rows[i] &= marks[i];
    return kept > 0 && rows;
  };
  predicate.visits = visits;
  return predicate;
}
