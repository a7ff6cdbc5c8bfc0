import type { CountGroup, CountRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { Goal } from "../../../domain/goal";
import {
  countsConversions,
  goalMetrics,
  judgesSessions,
  lastDate,
  sumsGoalEvents,
} from "../../../domain/metric";
import { allTime } from "../../../domain/period";
import type { TimeWindow } from "../../../domain/time-window";
import { isOfSessions, isVisitorField } from "../../../domain/visitor-field";
import type { Context } from "../filter/context";
import type { Identity } from "../scan/identity";
import type { Selection } from "../scan/selection";
import type { Key } from "../scan/vector";
import type { Segment } from "../segment/segment";
import type { Reached } from "../session/reached";
import type { SessionNumbers } from "../session/session-numbers";
import type { Sessions } from "../session/sessions";
import { visitField } from "../session/visit-field";
import { Days } from "./days";
import type { Aggregate } from "./hash-aggregate";
import { hourKey, isHourGroup } from "./hour-keys";
import { ColumnKey, SessionFieldKey, SessionKey, UserKey } from "./keys";
import { measuresOf } from "./measures";
import { sessionsReaching } from "./session-filter";
import { SessionsOfGroups } from "./sessions";
import { SessionThenUser, UsersOfGroups } from "./users";

/** The inputs of a count: its rows, and the tables that its keys and aggregates need. */
export interface Inputs {
  readonly context: Context;
  readonly identity: Identity;
  /** All rows that the count covers. */
  readonly selected: readonly Selection[];
  readonly window: FilteredWindow;
  /** Null where no metric and no group is about sessions. */
  readonly sessions: Sessions | null;
  readonly reached: Reached | null;
}

/** The request's parts on which the sessions depend. */
type SessionRequest = Pick<CountRequest, "group_by" | "metrics" | "count_mode">;
interface Project {
  readonly context: Context;
  /** Returns all segments of the project. A count opens them only if it needs facts about sessions. */
  project(): readonly Segment[];
}

/**
 * Returns the sessions that the keys and aggregates need; null if they need none. Facts about sessions need those with
 * an event in the windows, a field of visitors needs all stored sessions, and a number of sessions those of the counted
 * segments.
 */
export function sessionsOf(
  { group_by: groupBy, metrics, count_mode: mode }: SessionRequest,
  { context, selected, project }: Project & Pick<Inputs, "selected">,
  windows: readonly TimeWindow[],
): Sessions | null {
  if (groupBy.some(isVisitorField)) return context.tables.sessionsOfAtLeast(project(), allTime);
  if (judgesSessions(metrics) || groupBy.some(isOfSessions))
    return context.tables.sessionsOfAtLeast(project(), ...windows);
  const areCounted =
    metrics.includes("session_count") ||
    (metrics.includes("event_count") && mode === "session_then_user") ||
    groupBy.includes("session_id");
  if (!areCounted) return null;
  // Two periods may have rows of one segment.
  const segments = new Map(selected.map(({ segment }) => [segment.key, segment]));
  return context.tables.within([...segments.values()]);
}

/** Returns the sessions that reached the request's goal, if a metric needs them. */
export const reachedOf = (
  { goal, metrics }: Pick<CountRequest, "metrics"> & { readonly goal?: Goal | undefined },
  { context, sessions, project }: Project & Pick<Inputs, "sessions">,
): Reached | null =>
  sessions !== null && goal !== undefined && countsConversions(metrics)
    ? sessionsReaching(context, sessions, project(), goal, sumsGoalEvents(metrics))
    : null;

/** Returns the key of a field to group by. Dates have none: each date is a window of its own. */
export function keyOf(name: CountGroup, inputs: Inputs, labelWindow = inputs.window): Key {
  const { context, identity, selected, sessions, window } = inputs;
  if (isOfSessions(name)) {
    const field = sessions && visitField(sessions, name, identity, window.zone);
    return new SessionFieldKey(field, sessions?.count ?? 0, context);
  }
  if (isHourGroup(name)) return hourKey(name, window, labelWindow);
  switch (name) {
    case "event":
    case "country":
      return new ColumnKey(name === "event" ? "event.name" : "event.country", context);
    case "user_id":
      return new UserKey(identity, largestUserOf(selected, identity), context);
    case "session_id":
      return new SessionKey(sessions ?? noSessions, context);
    default:
      return new ColumnKey(`property.${name.slice("properties.".length)}`, context);
  }
}
const noSessions: SessionNumbers = { count: 0, of: new Map(), bytes: 0 };

const ofSessions: ReadonlySet<string> = new Set([
  ...["session_count", "bounce_rate", "avg_duration", ...goalMetrics],
]);

/** The metrics that read the date of each event. */
const datesOfEvents: ReadonlySet<string> = new Set([lastDate, "first_day", "last_day"]);

/** Returns the aggregates by metric; a count of events in `raw` mode needs none. */
export function aggregatesOf(request: CountRequest, inputs: Inputs): Map<string, Aggregate> {
  const { metrics, count_mode: mode } = request;
  const { context, identity, selected, window, sessions, reached } = inputs;
  const aggregates = new Map<string, Aggregate>();
  const usersOf = (): UsersOfGroups =>
    new UsersOfGroups(context, identity, largestUserOf(selected, identity));
  const measured = metrics.filter((metric) => ofSessions.has(metric));
  if (measured.length > 0) {
    const aggregate = new SessionsOfGroups(context, measured, { sessions, reached });
    for (const metric of measured) aggregates.set(metric, aggregate);
  }
  if (metrics.includes("unique_users")) aggregates.set("unique_users", usersOf());
  if (metrics.includes("event_count") && mode === "session_then_user") {
    const users = { all: usersOf(), inSessions: usersOf() };
    const counted = new SessionsOfGroups(context, [], { sessions, reached });
    aggregates.set("event_count", new SessionThenUser(counted, users, sessions, context, identity));
  }
  const days = metrics.filter((metric) => datesOfEvents.has(metric));
  if (days.length > 0) {
    const aggregate = new Days(window.zone);
    for (const metric of days) aggregates.set(metric, aggregate);
  }
  return new Map([...aggregates, ...measuresOf(context, metrics)]);
}

/** Returns the largest number of a user among the rows; 0 if they have no users. */
function largestUserOf(selected: readonly Selection[], identity: Identity): number {
  let largest = 0;
  for (const selection of selected) {
    const users = identity.usersOf(selection.segment);
    const ofAll = identity.largestIn([selection.segment]);
    if (ofAll <= largest) continue;
    if (selection.isAll) largest = ofAll;
    else {
      const { visits } = selection;
      for (let v = 0; v < users.length; v++)
        if (visits[v] === 1 && users[v] > largest) largest = users[v];
    }
  }
  return largest;
}
