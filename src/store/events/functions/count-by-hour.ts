/*
 * Hours of past days are counted once.
 * Decision: /stats by hour counts day by day, and the answer for a day that is over stays in the cache beside the
 * columns until the segments with its events are replaced or users are linked. Where segments have fewer than 512
 * events a day, whole months are counted.
 * Because: while events arrive, six of seven days do not change (10M events, repeated: 7 days took 9.3 ms and now take
 * 6.7, 90 days took 97 and now take 64). Day by day, a read would go through a segment of a month 30 times.
 * Cost: one or two KB for each day in the cache. After an /identify that links users the engine counts all days again,
 * and after late events their day.
 * Revisit: when a read by day needs it too.
 */

import type { CountRequest } from "../../../domain/counting";
import { dayOf } from "../../../domain/event";
import type { FilteredWindow } from "../../../domain/filter-items";
import { clock } from "../../../lib/clock";
import type { CountRow } from "../../questions";
import type { Context } from "../filter/context";
import { isFiltered } from "../filter/filter";
import { isWithin } from "../scan/range";
import type { Segment } from "../segment/segment";
import { countBy } from "./count-by";

const request = {
  group_by: ["epoch_hour"],
  metrics: ["unique_users", "event_count"],
} as const satisfies CountRequest;
/** Hours since 1970. */
export type HourRow = CountRow<typeof request>;

/**
 * Counts events and users of each hour of some whole days. The cache keeps the counts of days that are over, until the
 * segments with their events are replaced or users are linked.
 */
export function countByHour(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
): HourRow[] {
  const counted = segments.filter((segment) => hasEventsIn(segment, window));
  const count = () => countBy(context, counted, window, request, () => []).rows as HourRow[];
  if (window.toMs > clock.nowMs() || isFiltered(window)) return count();
  const hours = window.zone === undefined ? "hours" : `hours of ${window.zone}`;
  const name = `${hours} from ${window.fromMs} to ${window.toMs}`;
  return JSON.parse(context.cachedText(name, counted, () => JSON.stringify(count()))) as HourRow[];
}

/** Tells whether a segment has events in the window. A segment of several days may lack events of some of them. */
function hasEventsIn(segment: Segment, window: FilteredWindow): boolean {
  if (isWithin(segment, window)) return true;
  const first = dayOf(segment.firstTime);
  const from = Math.max(0, dayOf(window.fromMs) - first);
  return segment.eventsPerDay
    .subarray(from, dayOf(window.toMs - 1) - first + 1)
    .some((events) => events > 0);
}
