/*
 * The cache keeps the rows that filters select.
 * Decision: the reader's cache keeps the rows of a segment that pass the filters of a read, or of a step of a funnel,
 * with the values by visit and by code that are computed from them. The JSON of the filters is their key. Filters on
 * users, on the events of users or sessions, and on fields of sessions are applied each time, as later events may
 * change their results.
 * Because: all cards of a page have the same filters, and send them again when a visitor opens them. A funnel with
 * filtered steps spent half of its time on finding the same events again.
 * Cost: two bytes for each event, in place of the columns of the filters, which such reads do not need again.
 * Revisit: if caches are so small that these rows displace columns.
 */

import type { Condition } from "../../../domain/filter";
import { type FilterItem, isAnyOf, isDid, isOncePer } from "../../../domain/filter-items";
import { isOfSessions } from "../../../domain/visitor-field";

/** Longer lists of filters rarely occur twice, and their text would be in each key of the cache. */
const cachedTextCharsMax = 1_024;

/** Returns the name of the rows that filters select; null for filters that are applied each time. */
export function cacheName(items: readonly FilterItem[]): string | null {
  if (!items.every(isOfStoredValues)) return null;
  // A JSON text marks its own end, so that names in a row stay distinct.
  const text = JSON.stringify(items);
  return text.length <= cachedTextCharsMax ? text : null;
}

const isOfStoredValues = (item: FilterItem): boolean =>
  isAnyOf(item)
    ? item.any.every(isOfStoredValues)
    : !isDid(item) && !isOncePer(item) && isOfEvents(item);

/** Tells whether the result may be cached. Links change users, and times and single sessions rarely occur twice. */
const isOfEvents = ({ field }: Condition): boolean =>
  !isOfSessions(field) && !["user_id", "session_id", "timestamp"].includes(field);
