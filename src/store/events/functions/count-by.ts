import type { CountRequest } from "../../../domain/counting";
import type { Condition } from "../../../domain/filter";
import type { FilteredWindow } from "../../../domain/filter-items";
import { judgesSessions } from "../../../domain/metric";
import { allOf, Filter } from "../filter/filter";
import type { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { type Counted, type CountRow, nothing } from "./counted";
import { Counting } from "./counting/counting";
import { groupLabels, sessionsFor } from "./counting/group-labels";
import { Groups } from "./counting/groups";
import type { Labels } from "./counting/label";
import { measuresOf } from "./counting/measures";
import { bestGroups, type CountedGroups } from "./counting/ranking";
import type { Reached } from "./counting/reached";
import { seenSessions } from "./counting/seen-sessions";
import { sessionValueCounting } from "./counting/session-value-counting";
import { timeCounting } from "./counting/time-counting";
import { visitCounting } from "./counting/visit-counting";
import { isOfWholeSessions, toldOf, WholeSessionCounting } from "./counting/whole-sessions";
import type { Identity } from "./identity";
import { reachedFor } from "./sessions/session-filter";
import type { SessionNumbers } from "./sessions/session-numbers";
import type { Sessions } from "./sessions/sessions";
import { Bitmap } from "./sets/bitmap";

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
  if (isOneNumber(request)) {
    const event_count = eventCount(context, segments, window, request.filters ?? []);
    return { rows: [{ event_count }], groups_total: 1 };
  }
  const identity = context.identity(segments[0].projectId);
  const selected = selectFor(request, context, segments, window, identity);
  const within = [request.sessions_within ?? window];
  const found = sessionsFor(context, request, within, project);
  const sessions = judgesSessions(request.metrics) ? found : null;
  const { goal } = request;
  const reached =
    sessions !== null && goal !== undefined
      ? reachedFor(context, sessions, project(), goal, request.metrics)
      : null;
  const numbers = found ?? sessionNumbersFor(context, selected, request);
  const labels = (): readonly Labels[] =>
    request.group_by.map((name) =>
      groupLabels(name, context, { identity, sessions: found, numbers }, window),
    );

  const { budget } = context;
  const bytesBefore = budget.bytes;
  const added = (counting: CountedGroups & { add(selection: Selection): void }): CountedGroups => {
    for (const selection of selected) {
      context.check();
      counting.add(selection);
    }
    return counting;
  };
  const counting: CountedGroups =
    wholeSessions(context, selected, window, request, { sessions: found, identity, reached }) ??
    added(
      timeCounting(request, segments, identity, context, window.zone) ??
        visitCounting(request, context, identity, numbers, sessions, selected) ??
        sessionValueCounting(request, context, identity, found, reached) ??
        countingOfBest(
          context,
          selected,
          window,
          request,
          labels,
          identity,
          numbers,
          sessions,
          reached,
        ),
    );
  const { best, total } = bestGroups(counting, request, budget);
  const rows = best.map((group) => rowOf(counting, group, request));
  counting.end?.();
  budget.giveBackTo(bytesBefore);
  return total === 0 ? nothing(request) : { rows, groups_total: total };
}

function wholeSessions(
  context: Context,
  selected: readonly Selection[],
  window: FilteredWindow,
  request: CountRequest,
  { sessions, identity, reached }: OfSessions,
): CountedGroups | null {
  if (sessions === null || !isOfWholeSessions(request)) return null;
  const asked = allOf(window, request.filters);
  const find = () => seenSessions(selected, sessions, context.budget);
  const seen = context.sessionsWith(asked, window, sessions, find);
  const told = toldOf(request, sessions, identity);
  return new WholeSessionCounting(request, context, sessions, seen, { told, reached });
}
interface OfSessions {
  readonly sessions: Sessions | null;
  readonly identity: Identity;
  readonly reached: Reached | null;
}

/** No groups and nothing but events to count: a row that is always there. */
export const isOneNumber = ({
  group_by: groupBy,
  metrics,
  count_mode: mode,
  ...request
}: CountRequest) =>
  groupBy.length === 0 &&
  metrics.length === 1 &&
  metrics[0] === "event_count" &&
  mode !== "session_then_user" &&
  request.always_one_row === true;

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

export const selectFor = (
  request: CountRequest,
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  identity: Identity,
): Selection[] => select(context, segments, window, request.filters ?? [], identity);

export function sessionNumbersFor(
  context: Context,
  selected: readonly Selection[],
  { metrics, group_by: groupBy, count_mode: mode }: CountRequest,
): SessionNumbers | null {
  const isNeeded =
    metrics.includes("session_count") ||
    (metrics.includes("event_count") && mode === "session_then_user") ||
    groupBy.includes("session_id");
  return isNeeded ? context.tables.numbers(selected.map(({ segment }) => segment.whole)) : null;
}

/**
 * Distinct counts are dear and with a limit only few groups are shown: where the order is by number of events, the
 * groups to show are found by that alone first, and the rest is counted for no others.
 */
function countingOfBest(
  context: Context,
  selected: readonly Selection[],
  window: FilteredWindow,
  request: CountRequest,
  labels: () => readonly Labels[],
  identity: Identity,
  numbers: SessionNumbers | null,
  sessions: Sessions | null,
  reached: Reached | null,
): Counting {
  const groups = new Groups(
    labels(),
    request.skip_null === true,
    context.budget,
    request.groups_max,
  );
  const measures = measuresOf(
    context,
    request.metrics,
    selected.map(({ segment }) => segment),
  );
  const { zone } = window;
  const counting = new Counting(request, groups, identity, numbers, sessions, {
    ...{ zone, measures, reached, spare: context.sparePlanes },
  });
  const { limit, metrics, count_mode: mode } = request;
  const isByEvents =
    (request.order_by ?? metrics[0]) === "event_count" && mode !== "session_then_user";
  if (limit === undefined || !isByEvents || metrics.length === 1) return counting;
  const alone: CountRequest = { ...request, metrics: ["event_count"] };
  const ranking = new Counting(alone, groups, identity, null, null);
  for (const selection of selected) {
    context.check();
    ranking.add(selection);
  }
  if (groups.table.size > 2 * limit) {
    const { best, total } = bestGroups(ranking, alone, context.budget);
    counting.countOnly(best, total);
  }
  return counting;
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
  return usersWithin(context, segments, window, conditions).count;
}

export function usersWithin(
  context: Context,
  segments: readonly Segment[],
  window: FilteredWindow,
  conditions: readonly Condition[],
): Bitmap {
  if (segments.length === 0) return new Bitmap();
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
  return distinct;
}
