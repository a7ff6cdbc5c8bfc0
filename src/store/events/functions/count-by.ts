import type { CountRequest } from "../../../domain/counting";
import type { Condition } from "../../../domain/filter";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { Goal } from "../../../domain/goal";
import { countsConversions, judgesSessions, sumsGoalEvents } from "../../../domain/metric";
import { allTime } from "../../../domain/period";
import type { TimeWindow } from "../../../domain/time-window";
import { isOfSessions, isVisitorField } from "../../../domain/visitor-field";
import { HashAggregate } from "../aggregate/hash-aggregate";
import { aggregatesOf, type Inputs, keyOf, segmentsOf } from "../aggregate/plan";
import { bestGroups, type CountedGroups } from "../aggregate/ranking";
import { sessionsReaching } from "../aggregate/session-filter";
import type { Context } from "../filter/context";
import { allOf, Filter } from "../filter/filter";
import type { Identity } from "../scan/identity";
import type { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import type { Reached } from "../session/reached";
import type { Sessions } from "../session/sessions";
import { Bitmap } from "../sets/bitmap";
import { type Counted, type CountRow, nothing } from "./counted";

/**
 * Counts events, users and sessions per group (definitions.md, Query), in the order asked for. `project` holds all
 * segments of the project, on which sessions are judged; it is opened only for metrics that judge them.
 */
export function countBy(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  request: CountRequest,
  project: () => readonly Segment[],
): Counted {
  if (segments.length === 0) return nothing(request);
  const identity = context.identity(segments[0].projectId);
  const selected = select(context, segments, window, request.filters ?? [], identity);
  const within = [request.sessions_within ?? window];
  const sessions =
    sessionsFor(context, request, within, project) ??
    countedSessionsFor(context, selected, request);
  const inputs: Inputs = {
    ...{ context, identity, selected, window, sessions },
    reached: reachedFor(context, sessions, project, request),
  };
  const { budget } = context;
  const bytesBefore = budget.bytes;
  const keys = request.group_by.map((name) => keyOf(name, inputs));
  const counted = new HashAggregate(keys, budget, {
    skipsNull: request.skip_null === true,
    groupsMax: request.groups_max,
  });
  for (const selection of selected) {
    context.check();
    counted.add(selection);
  }
  const aggregates = aggregatesOf(request, inputs);
  // Aggregates are expensive: they compute the groups that the answer shows, or all groups if they decide its order.
  const isInTheirOrder = aggregates.has(request.order_by ?? request.metrics[0]);
  if (isInTheirOrder) counted.aggregate(aggregates);
  const { best, total } = bestGroups(counted, request, budget);
  if (!isInTheirOrder) counted.aggregate(aggregates, best);
  const rows = best.map((group) => rowOf(counted, group, request));
  counted.end();
  budget.giveBackTo(bytesBefore);
  return total === 0 ? nothing(request) : { rows, groups_total: total };
}

/**
 * Returns the sessions with an event in the windows, or null if the request needs no facts about sessions. A field of
 * visitors needs all stored sessions. `project` returns all segments of the project.
 */
export function sessionsFor(
  { tables }: Context,
  { group_by: groupBy, metrics }: CountRequest,
  windows: readonly TimeWindow[],
  project: () => readonly Segment[],
): Sessions | null {
  if (!judgesSessions(metrics) && !groupBy.some(isOfSessions)) return null;
  return tables.sessionsOfAtLeast(
    project(),
    ...(groupBy.some(isVisitorField) ? [allTime] : windows),
  );
}

/** Returns the sessions that reached the request's goal, if a metric needs it. */
export const reachedFor = (
  context: Context,
  sessions: Sessions | null,
  project: () => readonly Segment[],
  { goal, metrics }: Pick<CountRequest, "metrics"> & { readonly goal?: Goal | undefined },
): Reached | null =>
  sessions !== null && goal !== undefined && countsConversions(metrics)
    ? sessionsReaching(context, sessions, project(), goal, sumsGoalEvents(metrics))
    : null;

export function select(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  conditions: readonly Condition[],
  identity: Identity,
): Selection[] {
  const items = allOf(window, conditions);
  const filter = new Filter(context, items, identity, conditions.length === 0);
  return segments.flatMap((segment) => {
    const selection = filter.select(segment, window);
    return selection.isNone ? [] : [selection];
  });
}

/** Returns the sessions of the counted segments, if a metric or a group needs them, but no facts about them. */
export function countedSessionsFor(
  context: Context,
  selected: readonly Selection[],
  { metrics, group_by: groupBy, count_mode: mode }: CountRequest,
): Sessions | null {
  const isNeeded =
    metrics.includes("session_count") ||
    (metrics.includes("event_count") && mode === "session_then_user") ||
    groupBy.includes("session_id");
  return isNeeded ? context.tables.within(segmentsOf(selected)) : null;
}

export function rowOf(counting: CountedGroups, group: number, request: CountRequest): CountRow {
  const row: CountRow = {};
  request.group_by.forEach((name, position) => {
    row[name] = counting.label(group, position);
  });
  for (const metric of request.metrics) row[metric] = counting.value(group, metric);
  return row;
}

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
