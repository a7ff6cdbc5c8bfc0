import { type Segment, withAny } from "../segment/segment";
import { KeyTable, keysOf, WantedKeys } from "./key-table";

/**
 * Which segments of a project may hold events of the same sessions, so that a read of one week need not look at the
 * session keys of all other weeks. Of each segment is kept which older ones it shares sessions with; of two segments
 * the newer one therefore knows. Segments never change, so what was found stays true; one of which nothing is known yet
 * may share with any older one.
 */

/** A segment that shares sessions with more is taken to share with all, as one of which nothing is known. */
const relatedMax = 256;

/** What was found of a segment. */
export interface Relation {
  readonly id: number;
  readonly related: string;
}

/** What is kept of a segment: which of its project's older segments share sessions with it. */
export function relatedOf(segment: Segment, older: Iterable<Segment>): string {
  const keys = new KeyTable();
  keysOf(segment, keys);
  if (keys.count === 0) return "[]";
  const wanted = new WantedKeys(keys);
  const related: number[] = [];
  for (const other of older) {
    if (!wanted.areIn(other)) continue;
    if (related.length === relatedMax) return withAny;
    related.push(other.id);
  }
  return JSON.stringify(related);
}

/** Those of the others that may hold events of sessions in `segments`. */
export function mayShareWith(segments: readonly Segment[], others: readonly Segment[]): Segment[] {
  const ids = new Set<number>();
  const related = new Set<number>();
  /** The newest of which nothing is known: it may share with any older one. */
  let unknownId = 0;
  let oldestId = Number.POSITIVE_INFINITY;
  for (const segment of segments) {
    const known = segment.info.related;
    ids.add(segment.id);
    oldestId = Math.min(oldestId, segment.id);
    if (known === null) unknownId = Math.max(unknownId, segment.id);
    else for (const id of known) related.add(id);
  }
  return others.filter((other) => {
    if (other.id < unknownId || related.has(other.id)) return true;
    const known = other.info.related;
    return known === null ? other.id > oldestId : known.some((id) => ids.has(id));
  });
}
