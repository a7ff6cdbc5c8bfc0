/*
 * Hours of past days are counted once.
 * Decision: /stats by hour counts day by day, and the answer for a day that is over stays in the cache beside the
 * columns until the segments with its events are replaced or users are linked. Where segments have fewer than 512
 * events a day, whole months are counted.
 * Because: of seven days six do not change while events come in (10M events, repeated: 7 days 9.3 ms, now 6.7; 90 days
 * 97, now 64); and a segment of a month was gone through 30 times.
 * Cost: one or two KB a day that somebody asks about; after each /identify that links users all is counted again,
 * after late events their day.
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
 * Events and users of each hour of some whole days. Days that are over are counted once: what comes out is kept until
 * the segments with their events are replaced, or users are linked.
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

/** A segment of a month, or of what came late, may lie around days that it has nothing of. */
function hasEventsIn(segment: Segment, window: FilteredWindow): boolean {
  if (isWithin(segment, window)) return true;
  const first = dayOf(segment.firstTime);
  const from = Math.max(0, dayOf(window.fromMs) - first);
  return segment.eventsPerDay
    .subarray(from, dayOf(window.toMs - 1) - first + 1)
    .some((events) => events > 0);
}
