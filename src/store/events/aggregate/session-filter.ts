import type { FilteredWindow } from "../../../domain/filter-items";
import { eventsOf, type Goal } from "../../../domain/goal";
import { allTime } from "../../../domain/period";
import type { Context } from "../filter/context";
import { allOf, Filter, isFiltered, markSessions } from "../filter/filter";
import type { Segment } from "../segment/segment";
import type { Reached } from "../session/reached";
import type { Sessions } from "../session/sessions";
import { reachedWithEvents } from "./goal-events";

/**
 * Marks the sessions with an event in the window for which its filters hold; null if it has no
 * filters. The facts about such a session still follow from all its events. Cost: the filters run over the segments
 * that overlap the window.
 */
export function sessionsWith(
  context: Context,
  sessions: Sessions,
  all: readonly Segment[],
  window: FilteredWindow,
): Uint8Array | null {
  return isFiltered(window) ? marksOf(context, sessions, all, window) : null;
}

/**
 * Marks the sessions that reached a goal, with an event anywhere in them, and finds these events if a metric needs
 * them. Cost: the goal's conditions, in the segments with its events.
 */
export const sessionsReaching = (
  context: Context,
  sessions: Sessions,
  all: readonly Segment[],
  goal: Goal,
  wantsEvents = false,
): Reached =>
  context.sessionsReaching(goal, sessions, () => {
    if (wantsEvents) return reachedWithEvents(context, sessions, all, goal);
    const filters = eventsOf(goal);
    return { marks: marksOf(context, sessions, all, { ...allTime, filters }), events: null };
  });

function marksOf(
  context: Context,
  sessions: Sessions,
  all: readonly Segment[],
  window: FilteredWindow,
): Uint8Array {
  const identity = context.identity(all[0].projectId);
  const filter = new Filter(context, allOf(window), identity, true);
  return markSessions(sessions, all, filter, window);
}
