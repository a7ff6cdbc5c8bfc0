import { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";

/** Selects the rows of a segment for which a filter item holds. */
export type Predicate = (segment: Segment) => Selection;

/** Selects the rows that a predicate leaves out. */
export const not =
  (predicate: Predicate): Predicate =>
  (segment) =>
    predicate(segment).not();

/** Selects the rows for which one of the predicates holds. */
export const anyOf =
  (predicates: readonly Predicate[]): Predicate =>
  (segment) =>
    predicates.reduce(
      (rows, predicate) => (rows.isAll ? rows : rows.or(predicate(segment))),
      Selection.none(segment),
    );

/** Selects the rows of the visits that pass. */
export const visitPredicate =
  (prepare: (segment: Segment) => (visit: number) => boolean): Predicate =>
  (segment) => {
    const passes = prepare(segment);
    const visits = new Uint8Array(segment.visitCount);
    for (let v = 0; v < visits.length; v++) if (passes(v)) visits[v] = 1;
    return Selection.ofVisits(segment, visits);
  };

/** Returns all rows of a segment, or none. */
export const allOrNone = (segment: Segment, isAll: boolean): Selection =>
  isAll ? Selection.all(segment) : Selection.none(segment);
