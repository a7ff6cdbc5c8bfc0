import { type FilterItem, looksAround } from "../../../domain/filter-items";
import { allTime } from "../../../domain/period";
import { sha256Hex } from "../../../lib/ids";
import { PickedSegment } from "../segment/picked-segment";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { Filter } from "./filter";

/**
 * Returns a context that has only the events for which all filters of a share hold. Filters of single events apply
 * first. Filters of sessions, and of events that users had, then see only the events that passed those.
 */
export function narrowedTo(context: Context, filters: readonly FilterItem[]): Context {
  const ofEvents = filters.filter((item) => !looksAround(item));
  const ofOthers = filters.filter(looksAround);
  return [ofEvents, ofOthers]
    .filter((items) => items.length > 0)
    .reduce((whole, items) => passing(whole, items), context);
}

/**
 * Each read computes the marks again, as other segments and links change the results of filters of sessions and users.
 * The digest of the marks is part of the cache key, so that values computed from the same rows are found again.
 */
function passing(whole: Context, filters: readonly FilterItem[]): Context {
  /** By the key of a segment: the key of its passing rows; null if all rows pass. */
  const keys = new Map<string, string | null>();
  const marksOf = (segment: Segment): Uint8Array | null => {
    const filter = new Filter(whole, filters, whole.identity(segment.projectId), true);
    const { rows } = filter.select(segment, allTime);
    return rows.includes(0) ? rows : null;
  };
  const keyOf = (segment: Segment): string | null => {
    const cached = keys.get(segment.key);
    if (cached !== undefined) return cached;
    const marks = marksOf(segment);
    const key = marks && `${segment.key}&${sha256Hex(marks)}`;
    keys.set(segment.key, key);
    return key;
  };
  return whole.narrowed({
    name: `${sha256Hex(JSON.stringify(filters))}: `,
    partOf: (segment) => {
      const key = segment.eventCount === 0 ? null : keyOf(segment);
      if (key === null) return segment;
      const marks = (): Uint8Array =>
        marksOf(segment) ?? new Uint8Array(segment.eventCount).fill(1);
      return PickedSegment.of(segment, marks, key, whole.keeper(key));
    },
  });
}
