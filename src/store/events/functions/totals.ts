import type { Condition } from "../../../domain/filter";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { Context } from "../filter/context";
import { allOf, Filter } from "../filter/filter";
import type { Segment } from "../segment/segment";
import { Bitmap } from "../sets/bitmap";

/** Number of events. Segments that lie within the window whole count from their metadata. */
export function eventCount(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  conditions: readonly Condition[],
): number {
  if (segments.length === 0) return 0;
  const identity = context.identity(segments[0].projectId);
  const items = allOf(window, conditions);
  const filter = new Filter(context, items, identity, conditions.length === 0);
  return segments.reduce((total, segment) => total + filter.select(segment, window).count, 0);
}

/** Number of distinct users. Without conditions one visit column is read. */
export function uniqueUsers(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  conditions: readonly Condition[],
): number {
  if (segments.length === 0) return 0;
  const identity = context.identity(segments[0].projectId);
  const distinct = new Bitmap(identity.numberLimit);
  const filter = new Filter(context, allOf(window, conditions), identity, conditions.length === 0);
  for (const segment of segments) {
    const selection = filter.select(segment, window);
    if (selection.isNone) continue;
    const users = identity.usersOf(segment);
    const { visits } = selection;
    for (let v = 0; v < users.length; v++) {
      if (users[v] !== 0 && visits[v] === 1) distinct.add(users[v]);
    }
  }
  return distinct.count;
}
