import type { Condition } from "../../../domain/filter";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { Context } from "../filter/context";
import type { Segment } from "../segment/segment";
import { Bitmap } from "../sets/bitmap";
import { select } from "./count-by";

/** Number of events. Segments that lie within the window whole count from their metadata. */
export function eventCount(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  conditions: readonly Condition[],
): number {
  if (segments.length === 0) return 0;
  const identity = context.identity(segments[0].projectId);
  const selected = select(context, segments, window, conditions, identity);
  return selected.reduce((total, { count }) => total + count, 0);
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
  for (const { segment, visits } of select(context, segments, window, conditions, identity)) {
    const users = identity.usersOf(segment);
    for (let v = 0; v < users.length; v++) {
      if (users[v] !== 0 && visits[v] === 1) distinct.add(users[v]);
    }
  }
  return distinct.count;
}
