import type { CountRequest } from "../../../domain/counting";
import { eventsOf, type Goal } from "../../../domain/goal";
import { sumsGoalEvents } from "../../../domain/metric";
import type { View } from "../../questions";
import type { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import { exactSum, finiteOrNull } from "../sql/exact-sum";
import { groupName } from "../sql/group-name";
import type { OpenRead } from "../sql/open-read";
import { numberOfStored } from "../sql/values";

export const goalColumns = ["goal_events", "goal_users", "goal_numbers", "goal_sum"] as const;

/** Selects for each group the sums over the goal's events in its sessions; null when no metric needs them. */
export function goalSql(
  read: OpenRead,
  bound: Bound,
  view: View,
  request: CountRequest,
  scope: string,
): string | null {
  const { goal, metrics } = request;
  if (goal === undefined || !sumsGoalEvents(metrics)) return null;
  const names = request.group_by.map((_, index) => groupName(index));
  const events = eventsReached(read, bound, view, goal);
  const number =
    goal.value === undefined ? "null" : numberOfStored(events.property(goal.value.property));
  const grouping = names.length === 0 ? "" : `group by ${names.join(", ")}`;
  return `(select ${[...names, "count() as goal_events"].join(", ")}, uniqExactIf(user, user != '') as goal_users,
      countIf(isNotNull(number)) as goal_numbers,
      ${exactSum("number", "isNotNull(number)")} as goal_sum
    from (select distinct ${[...names, "session_id"].join(", ")} from ${scope} where session_id != '') as there
    inner join (select session_id, user, CAST(${number} as Nullable(Float64)) as number
      from ${events.sql()} where session_id != '') as event on event.session_id = there.session_id ${grouping})`;
}

/** Returns the expression that orders rows by a metric of a goal's events; null for other metrics. */
export function orderOfGoal(metric: string, hasValue: boolean): string | null {
  switch (metric) {
    case "goal_events":
    case "goal_users":
      return metric;
    case "revenue":
      return hasValue ? finiteOrNull("goal_sum") : "null";
    case "revenue_per_session":
      return hasValue ? `if(judged = 0, 0, ${finiteOrNull("goal_sum / judged")})` : "null";
    case "average_value":
      return hasValue
        ? `if(goal_numbers = 0, null, ${finiteOrNull("goal_sum / goal_numbers")})`
        : "null";
    default:
      return null;
  }
}

/** Returns a metric of a goal's events out of the sums of a row. */
export function valueOfGoal(
  metric: string,
  sum: (name: string) => number,
  hasValue: boolean,
): number | null {
  if (metric === "goal_events" || metric === "goal_users") return sum(metric);
  if (!hasValue) return null;
  const revenue = sum("goal_sum");
  if (metric === "revenue") return finite(revenue);
  const count = sum(metric === "average_value" ? "goal_numbers" : "judged");
  if (count === 0) return metric === "average_value" ? null : 0;
  return finite(revenue / count);
}

/** A sum that is too large for a number is null. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Selects the events of a goal outside the view's filters too; conditions on what users did apply to the view. */
export const reachedEvents = (read: OpenRead, bound: Bound, view: View, goal: Goal): string =>
  eventsReached(read, bound, view, goal).sql();

function eventsReached(
  read: OpenRead,
  bound: Bound,
  { projectId, zone }: View,
  goal: Goal,
): Events {
  const asked = { projectId, zone, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  const named = `name = ${bound.text(goal.event)}`;
  return new Events(read, bound, asked, named).limitTo(eventsOf(goal));
}
