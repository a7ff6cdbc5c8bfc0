import type { CountGroup, CountRequest } from "../../../domain/counting";
import { ApiError } from "../../../domain/errors";
import { countGroupsMax } from "../../../domain/limits";
import {
  countsConversions,
  judgesSessions,
  lastDate,
  propertyMetricOf,
  sumsGoalEvents,
} from "../../../domain/metric";
import { averageDuration, bounceRate, conversionRate } from "../../../domain/session";
import { isSessionField } from "../../../domain/session-field";
import { isUserField } from "../../../domain/visitor-field";
import { hourMs } from "../../../lib/clock";
import { withSeparators } from "../../../lib/text";
import type { View } from "../../questions";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import { exactSum, finiteOrNull } from "../sql/exact-sum";
import { groupName } from "../sql/group-name";
import { localMs, localTime } from "../sql/local-time";
import type { OpenRead } from "../sql/open-read";
import { sessionsSql } from "../sql/sessions";
import { isThere, numberOfStored, numberOfText, textOfStored } from "../sql/values";
import { goalColumns, goalSql, orderOfGoal, reachedEvents, valueOfGoal } from "./goals";

export type Label = string | number | null;
export type Row = Record<string, Label>;
export interface Counted {
  readonly rows: Row[];
  readonly groups_total: number;
}
type Found = Record<string, string | number | null>;

/** Statements give metrics names of their own, as a request may name them in any way. */
const metricName = (index: number): string => `metric_${index}`;

/** Returns rows of groups and metrics, which ClickHouse has counted and sorted. */
export async function countBy(read: OpenRead, view: View, request: CountRequest): Promise<Counted> {
  const { group_by: groupBy, metrics, filters = [], limit } = request;
  const bound = new Bound();
  const events = new Events(read, bound, view).limitTo(filters);
  const labels = groupBy.map((group) => labelSql(events, group));
  const left =
    request.skip_null === true ? groupBy.map((group, index) => isLabelled(group, index)) : [];
  const aggregates = metrics.map(
    (metric, index) => `${metricSql(events, metric, request)} as ${metricName(index)}`,
  );
  const names = groupBy.map((_, index) => groupName(index));
  const labelled = labels.map((label, index) => `, ${label} as ${groupName(index)}`).join("");
  const scope = `(select *${labelled} from ${events.sql()})`;
  const having = left.length === 0 ? scope : `(select * from ${scope} where ${left.join(" and ")})`;
  const grouping = names.length === 0 ? "" : `group by ${names.join(", ")}`;
  const columns = [...names, ...aggregates, "count() as event_rows"].join(", ");
  const counted = `(select ${columns} from ${having} ${grouping})`;
  const judged = judgesSessions(metrics) ? judgedSql(read, bound, view, request, having) : null;
  const joined =
    judged === null
      ? ""
      : names.length === 0
        ? `cross join ${judged} as judged`
        : `left any join ${judged} as judged using (${names.join(", ")})`;
  const goal = goalSql(read, bound, view, request, having);
  const joinedGoal =
    goal === null
      ? ""
      : names.length === 0
        ? `cross join ${goal} as of_goal`
        : `left any join ${goal} as of_goal using (${names.join(", ")})`;
  const sums = [
    ...(judged === null ? [] : ["judged", "bounces", "durations", "reached"]),
    ...(goal === null ? [] : goalColumns),
  ];
  const rows = await read.ask<Found>(
    `select ${[...names, ...metrics.map((_, index) => metricName(index)), "event_rows", ...sums].join(", ")},
      count() over () as groups_total
    from ${counted} as counted ${joined} ${joinedGoal} ${orderSql(request)}
    ${limit === undefined ? "" : `limit ${bound.integer(limit)}`}`,
    bound,
  );
  const total = Number(rows[0]?.groups_total ?? 0);
  const most = request.groups_max ?? countGroupsMax;
  if (names.length > 0 && total > most) throw tooManyGroups(most);
  if (names.length === 0 && rows[0]?.event_rows === 0 && request.always_one_row !== true) {
    return { rows: [], groups_total: 0 };
  }
  return { rows: rows.map((row) => rowOf(row, request)), groups_total: total };
}

export const tooManyGroups = (most: number): ApiError =>
  new ApiError(
    "QUERY_FAILED",
    `There are more than ${withSeparators(most)} groups. Group by less, filter more, or ask for fewer days.`,
  );

/** Selects for each group the number of its sessions, and their metrics. Each group counts a session once. */
function judgedSql(
  read: OpenRead,
  bound: Bound,
  view: View,
  request: CountRequest,
  scope: string,
): string {
  const names = request.group_by.map((_, index) => groupName(index));
  const { projectId } = view;
  const window = request.sessions_within ?? view;
  const sessions = sessionsSql(read, bound, { projectId, window });
  const { goal } = request;
  const reached =
    goal === undefined || !countsConversions(request.metrics)
      ? "0"
      : `there.session_id in (select session_id from ${reachedEvents(read, bound, view, goal)} where session_id != '')`;
  const grouping = names.length === 0 ? "" : `group by ${names.join(", ")}`;
  const sums =
    "sum(session.bounce) as bounces, sum(session.duration) as durations, count() as judged";
  return `(select ${[...names, sums, `sum(${reached}) as reached`].join(", ")}
    from (select distinct ${[...names, "session_id"].join(", ")} from ${scope} where session_id != '') as there
    inner join ${sessions} as session on session.session_id = there.session_id ${grouping})`;
}

/** The expression that rows are grouped by. Where it may be null, its texts have a mark, so that null comes first. */
export function labelSql(events: Events, group: CountGroup): string {
  const { asked } = events;
  const local = localTime(asked, asked.zone);
  switch (group) {
    case "event":
      return "name";
    case "user_id":
      return "user";
    case "session_id":
    case "country":
      return group;
    case "date":
      return `toString(toDate(${local}))`;
    case "week":
      return `toString(toMonday(toDate(${local})))`;
    case "month":
      return `substring(toString(toDate(${local})), 1, 7)`;
    case "hour":
      return `concat(toString(toDate(${local})), 'T', leftPad(toString(toHour(${local})), 2, '0'), ':00')`;
    case "weekday":
      return `toDayOfWeek(${local}) % 7`;
    case "hour_of_day":
      return `toHour(${local})`;
    case "epoch_hour":
      return `intDiv(${localMs(asked, asked.zone)}, ${hourMs})`;
    case "weekday_hour":
      return `toUInt16(toDayOfWeek(${local}) % 7) * 24 + toHour(${local})`;
    default: {
      if (isSessionField(group)) return events.sessionField(group);
      if (isUserField(group)) return events.userField(group, asked.zone);
      const stored = events.property(group.slice("properties.".length));
      return `if(${isThere(stored)}, concat('=', ${textOfStored(stored)}), '')`;
    }
  }
}

/** Returns SQL that tells whether a group has a label. */
function isLabelled(group: CountGroup, index: number): string {
  const isAlways =
    /^(event|date|week|month|hour|weekday|hour_of_day|epoch_hour|weekday_hour)$/.test(group);
  return isAlways ? "1" : `${groupName(index)} != ''`;
}

function labelOf(group: CountGroup, label: string | number | null): Label {
  if (typeof label !== "string") return label;
  if (label === "") return null;
  return group.startsWith("properties.") ? label.slice(1) : label;
}

function metricSql(
  events: Events,
  metric: string,
  { count_mode: mode = "raw" }: CountRequest,
): string {
  const { asked } = events;
  const ofProperty = propertyMetricOf(metric);
  // The default count mode counts users and sessions more than once.
  const [user, session] = ["user", "session_id"].map((text) =>
    mode === "raw" ? text : numberOfText(text),
  );
  if (ofProperty !== null) return measureSql(events.property(ofProperty.key), ofProperty.measure);
  switch (metric) {
    case "unique_users":
      return `uniqExactIf(${user}, user != '')`;
    case "session_count":
      return `uniqExactIf(${session}, session_id != '')`;
    case "page_views":
      return "countIf(name = 'page_view')";
    case "first_day":
      return `toInt32(min(toDate(${localTime(asked, asked.zone)})))`;
    case "last_day":
    case lastDate:
      return `toInt32(max(toDate(${localTime(asked, asked.zone)})))`;
    case "event_count":
      // This counts sessions, users of the group without a session in it, and events with neither.
      return mode === "raw"
        ? "count()"
        : `uniqExactIf(${session}, session_id != '') + uniqExactIf(${user}, user != '')
          - uniqExactIf(${user}, user != '' and session_id != '') + countIf(user = '' and session_id = '')`;
    default:
      return "0";
  }
}

function measureSql(stored: string, measure: string): string {
  if (measure === "distinct") return `uniqExactIf(${textOfStored(stored)}, ${isThere(stored)})`;
  const number = numberOfStored(stored);
  const isOne = `isNotNull(${number})`;
  const sum = finiteOrNull(exactSum(number, isOne));
  const count = `countIf(${isOne})`;
  const orNull = (value: string): string => `if(${count} = 0, null, ${value})`;
  switch (measure) {
    case "sum":
      return orNull(sum);
    case "avg":
      return orNull(`${sum} / ${count}`);
    case "min":
    case "max":
      return orNull(`${measure}If(assumeNotNull(${number}), ${isOne})`);
    default: {
      const share = Number(measure.slice(1)) / 100;
      const ascending = `arraySort(groupArrayIf(assumeNotNull(${number}), ${isOne}))`;
      return orNull(`${ascending}[toUInt64(ceil(${share} * ${count}))]`);
    }
  }
}

function orderSql({
  group_by: groupBy,
  metrics,
  order_by: orderBy = metrics[0],
  order = "desc",
  goal,
}: CountRequest): string {
  const nulls = order === "asc" ? "nulls first" : "nulls last";
  const names = groupBy.map((_, index) => groupName(index));
  const group = groupBy.map(String).indexOf(orderBy);
  const metric = metrics.map(String).indexOf(orderBy);
  const first =
    group >= 0
      ? groupName(group)
      : metric >= 0
        ? orderedMetric(metrics[metric], metric, goal?.value !== undefined)
        : null;
  const by = [...(first === null ? [] : [`${first} ${order} ${nulls}`]), ...names];
  return by.length === 0 ? "" : `order by ${by.join(", ")}`;
}

/** Rounds halves up, as Math.round does, and not to the even number, as ClickHouse's round does. */
function orderedMetric(metric: string, index: number, hasValue: boolean): string {
  const share = (part: string): string =>
    `if(judged = 0, 0, floor(${part} / judged * 1000 + 0.5) / 1000)`;
  switch (metric) {
    case "bounce_rate":
      return share("bounces");
    case "conversion_rate":
      return share("reached");
    case "conversions":
      return "reached";
    case "avg_duration":
      return "if(judged = 0, 0, floor(durations / judged + 0.5))";
    default:
      return orderOfGoal(metric, hasValue) ?? metricName(index);
  }
}

function rowOf(found: Found, { group_by: groupBy, metrics, goal }: CountRequest): Row {
  const sum = (name: string): number => Number(found[name] ?? 0);
  /** ClickHouse writes an infinite sum as null. */
  const sumOfGoal = (name: string): number =>
    found[name] === null ? Number.POSITIVE_INFINITY : sum(name);
  const numberOf = (metric: string, index: number): Label => {
    switch (metric) {
      case "bounce_rate":
        return bounceRate(sum("bounces"), sum("judged"));
      case "conversion_rate":
        return conversionRate(sum("reached"), sum("judged"));
      case "conversions":
        return sum("reached");
      case lastDate:
        return sum("event_rows") === 0 ? null : found[metricName(index)];
      case "avg_duration":
        return averageDuration(sum("durations"), sum("judged"));
      default:
        return sumsGoalEvents([metric])
          ? valueOfGoal(metric, sumOfGoal, goal?.value !== undefined)
          : found[metricName(index)];
    }
  };
  return Object.fromEntries([
    ...groupBy.map((group, index) => [group, labelOf(group, found[groupName(index)])]),
    ...metrics.map((metric, index) => [metric, numberOf(metric, index)]),
  ]);
}
