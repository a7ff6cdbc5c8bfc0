import { type FilterItem, looksAround } from "../../../domain/filter-items";
import { allTime } from "../../../domain/period";
import { sha256Hex } from "../../../lib/ids";
import { PickedSegment } from "../segment/picked-segment";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { Filter } from "./filter";

/**
 * Returns a context in which there is nothing but the events for which all filters of a share hold. Filters of events
 * themselves come first: sessions, and what users did, are judged on the events that these leave.
 */
export function narrowedTo(context: Context, filters: readonly FilterItem[]): Context {
  const ofEvents = filters.filter((item) => !looksAround(item));
  const ofOthers = filters.filter(looksAround);
  return [ofEvents, ofOthers]
    .filter((items) => items.length > 0)
    .reduce((whole, items) => passing(whole, items), context);
}

/**
 * The marks are made once in each read, as what filters of sessions and users find changes with other segments and with
 * links. Their digest stands for them, so that what is made of the same rows is kept.
 */
function passing(whole: Context, filters: readonly FilterItem[]): Context {
  /** The keys of parts by those of segments; null where all passes. */
  const known = new Map<string, string | null>();
  const marksOf = (segment: Segment): Uint8Array | null => {
    const filter = new Filter(whole, filters, whole.identity(segment.projectId), true);
    const { rows } = filter.select(segment, allTime);
    return rows.includes(0) ? rows : null;
  };
  const keyOf = (segment: Segment): string | null => {
    const found = known.get(segment.key);
    if (found !== undefined) return found;
    const marks = marksOf(segment);
    const key = marks && `${segment.key}&${sha256Hex(marks)}`;
    known.set(segment.key, key);
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
