import type { FunnelRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { FunnelResult } from "../../questions";
import type { Context } from "../filter/context";
import { FunnelSums } from "../pattern/funnel-sums";
import { activityOf, FunnelWalk, type SessionsOfFunnel } from "../pattern/funnel-walk";
import type { Segment } from "../segment/segment";
import type { Budget } from "../sets/budget";

/**
 * Counts the users or sessions that took the steps in order (definitions.md, Funnel). It passes over the segments once
 * for each step: pass k + 1 finds the earliest matching event after the one of step k.
 */
export function funnel(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  request: FunnelRequest,
): FunnelResult {
  if (segments.length === 0) return nothing(request, context.budget);
  const sessions = sessionsOfFunnel(context, segments, request);
  const walk = new FunnelWalk(context, segments, window, request, sessions);
  const activity = request.steps.map((_, step) => activityOf(walk.take(step), request.count_by));
  return { activity, ...walk.sums() };
}

/** Returns the sessions of these segments of one project. */
function sessionsOfFunnel(
  { tables }: Context,
  segments: readonly Segment[],
  { count_by: countBy }: FunnelRequest,
): SessionsOfFunnel {
  const sessions = tables.within(segments);
  return { numbers: sessions, links: countBy === "user_id" ? null : sessions.links };
}

function nothing(request: FunnelRequest, budget: Budget): FunnelResult {
  const none = { event_count: 0, unique_users: 0, sessions: 0, joinable_entities: 0 };
  return {
    activity: request.steps.map(() => none),
    ...new FunnelSums(request.steps.length, null, budget).end(),
  };
}
