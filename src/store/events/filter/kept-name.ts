/*
 * The rows that filters select are kept.
 * Decision: the rows of a segment that pass the filters of a read, or of a step of a funnel, are in the reader's cache
 * like a column, under the filters' text, with what follows from them by visit and by code. Filters of users, of what
 * these did and of fields of sessions are applied each time: what is stored later may change their answers.
 * Because: a page asks all its cards with the same filters, and again when they are opened; half of the time of a
 * funnel with filtered steps was to find their events again.
 * Cost: two bytes for each event, in place of the columns of the filters, which such reads do not need again.
 * Revisit: if caches are so small that these displace columns.
 */

import type { Condition } from "../../../domain/filter";
import { type FilterItem, isAnyOf, isDid, isOncePer } from "../../../domain/filter-items";
import { isOfSessions } from "../../../domain/visitor-field";

/** Longer lists of filters are hardly asked twice, and their text stands in each key of the cache. */
const keptTextCharsMax = 1_024;

/** The name of the rows that filters select, or null for filters that are applied each time. */
export function keptName(items: readonly FilterItem[]): string | null {
  if (!items.every(isOfStoredValues)) return null;
  // As JSON it tells where it ends.
  const text = JSON.stringify(items);
  return text.length <= keptTextCharsMax ? text : null;
}

const isOfStoredValues = (item: FilterItem): boolean =>
  isAnyOf(item)
    ? item.any.every(isOfStoredValues)
    : !isDid(item) && !isOncePer(item) && isOfEvents(item);

/** Tells whether a condition is worth keeping: nobody asks twice about a moment or about one session. */
const isOfEvents = ({ field }: Condition): boolean =>
  !isOfSessions(field) && !["user_id", "session_id", "timestamp"].includes(field);
