import { didYouMean, nearest } from "../lib/nearest";
import { ApiError, invalidField } from "./errors";
import { checkPropertyKey, isPropertyKey, useSuggestion } from "./filter";
import { queryGroupingsMax } from "./limits";
import type { PropertyField } from "./property-field";
import { type SessionField, sessionFieldMeant, sessionFields } from "./session-field";
import { clockGroups } from "./time-groups";
import { firstDate, type UserField, userFields, visitorFieldMeant } from "./visitor-field";

export const metricNames = [
  "event_count",
  "unique_users",
  "session_count",
  "bounce_rate",
  "avg_duration",
  "page_views",
  "last_date",
  "conversions",
  "conversion_rate",
  "goal_events",
  "goal_users",
  "revenue",
  "average_value",
  "revenue_per_session",
] as const;
/** The only metric that is a date: stores return days since 1970, and answers have an ISO date. */
export const lastDate = "last_date";
/** The metrics of a goal's revenue: null for a goal without a value. */
export const moneyMetrics = ["revenue", "average_value", "revenue_per_session"] as const;
/** The metrics of the events of a goal, and not of the sessions that reached it. */
const metricsOfGoalEvents = ["goal_events", "goal_users", ...moneyMetrics] as const;
/** The metrics that need a goal. */
export const goalMetrics = ["conversions", "conversion_rate", ...metricsOfGoalEvents] as const;
export const sumsGoalEvents = (metrics: readonly string[]): boolean =>
  metricsOfGoalEvents.some((name) => metrics.includes(name));
export const asksForMoney = (metrics: readonly string[]): boolean =>
  moneyMetrics.some((name) => metrics.includes(name));
export const countsConversions = (metrics: readonly string[]): boolean =>
  goalMetrics.some((name) => metrics.includes(name));
/** A share of sessions, as r3. */
export const isRate = (metric: string): boolean =>
  metric === "bounce_rate" || metric === "conversion_rate";
/** Tells whether metrics are counted over whole sessions, including events that no filter holds for. */
export const judgesSessions = (metrics: readonly string[]): boolean =>
  metrics.includes("bounce_rate") || metrics.includes("avg_duration") || countsConversions(metrics);
/** The metrics of the values of a property: `sum:properties.amount`. */
export const propertyMeasures = [
  ...(["sum", "avg", "min", "max", "p50", "p75", "p95", "distinct"] as const),
] as const;
export type PropertyMeasure = (typeof propertyMeasures)[number];
type PropertyMetric = `${PropertyMeasure}:properties.${string}`;
export type Metric = (typeof metricNames)[number] | PropertyMetric;

const propertyMetricForm = /^(\w+):properties\.(.*)$/s;

/** Reads a metric of a property, such as `sum:properties.amount`; null for other metrics. */
export function propertyMetricOf(
  metric: string,
): { readonly measure: PropertyMeasure; readonly key: string } | null {
  const [, word = "", key = ""] = propertyMetricForm.exec(metric) ?? [];
  const measure = propertyMeasures.find((one) => one === word);
  return measure === undefined ? null : { measure, key };
}

/** Returns the property of a metric as a field; null for other metrics. */
export function propertyOfMetric(metric: string): PropertyField | null {
  const asked = propertyMetricOf(metric);
  return asked === null ? null : `properties.${asked.key}`;
}

/** Returns the properties whose numbers metrics measure, each once: `distinct` counts texts too. */
export const propertiesMeasured = (metrics: readonly string[]): PropertyField[] => {
  const measuring = metrics.filter((metric) => propertyMetricOf(metric)?.measure !== "distinct");
  return [...new Set(measuring.flatMap((metric) => propertyOfMetric(metric) ?? []))];
};

/**
 * Returns the value of a metric over no events: a count is 0, a measure is null, and the revenue of a goal is 0 where
 * the goal has a value.
 */
export function valueOfNothing(metric: string, hasValue: boolean): 0 | null {
  if (metric === "average_value" || metric === lastDate) return null;
  if (metric === "revenue" || metric === "revenue_per_session") return hasValue ? 0 : null;
  const measure = propertyMetricOf(metric)?.measure ?? "distinct";
  return measure === "distinct" ? 0 : null;
}

export const groupNames = [
  ...(["event", "date", "hour", "week", "month", "user_id", "session_id", "country"] as const),
  ...clockGroups,
] as const;
export type Group = (typeof groupNames)[number] | SessionField | UserField | `properties.${string}`;
/** All groups but those that name a property. */
export const namedGroups = [...groupNames, ...sessionFields, ...userFields] as const;

/** Groups of which this server makes the values: dates, and words of its own tables. */
export const serverGroups = [
  ...(["date", "hour", "week", "month", "country", "session.country", "session.channel"] as const),
  ...(["session.visitor", "user.first_country", "user.first_channel", firstDate] as const),
] as const;

/** The ways in which `event_count` counts: every row, or a session once and a visitor without session once. */
export const countModes = ["session_then_user", "raw"] as const;
export type CountMode = (typeof countModes)[number];

export const orderDirections = ["asc", "desc"] as const;
export type OrderDirection = (typeof orderDirections)[number];

interface SelectionRequest {
  readonly metrics?: readonly string[] | null;
  readonly group_by?: readonly string[] | null;
  readonly count_mode?: string | null;
  readonly order_by?: string | null;
  readonly order?: string | null;
}

/** The metrics and groups of a query, and the order in which it shows the groups. */
export interface Selection {
  readonly metrics: readonly Metric[];
  readonly groupBy: readonly Group[];
  readonly countMode: CountMode;
  readonly orderBy: Metric | Group;
  readonly order: OrderDirection;
}

/** Checks the words of a query. Repeats are removed; absent parts get their defaults. */
export function selectionOf(request: SelectionRequest): Selection {
  const asked = request.metrics ?? [];
  const metrics = [...new Set((asked.length === 0 ? ["event_count"] : asked).map(metricOf))];
  const groupBy = groupsOf(request.group_by ?? []);
  const [countMode = "session_then_user"] = chosen(present(request.count_mode), countModes, () => {
    const hint = didYouMean(nearest(request.count_mode ?? "", countModes));
    const message = `"count_mode" must be one of ${countModes.join(", ")}.${hint}`;
    return new ApiError("INVALID_COUNT_MODE", message, { allowed: countModes });
  });
  const [order = "desc"] = chosen(present(request.order), orderDirections, () => {
    const hint = didYouMean(nearest(request.order ?? "", orderDirections));
    return invalidField("order", `"order" must be asc or desc.${hint}`, orderDirections);
  });
  return {
    metrics,
    groupBy,
    countMode,
    orderBy: orderOf(request.order_by, metrics, groupBy),
    order,
  };
}

function metricOf(asked: string, index: number): Metric {
  const known = metricNames.find((name) => name === asked);
  if (known !== undefined) return known;
  const ofProperty = propertyMetricOf(asked);
  if (ofProperty !== null) {
    const key = checkPropertyKey(ofProperty.key, `metrics[${index}]`);
    return `${ofProperty.measure}:properties.${key}`;
  }
  const meant = metricMeant(asked);
  const message =
    `"metrics[${index}]" must be one of ${metricNames.join(", ")}, or ` +
    `${propertyMeasures.join(", ")} with ":properties.<key>".${hintOf(meant)}`;
  const suggested = meant === null ? {} : { suggested_field: meant };
  throw new ApiError("INVALID_METRIC", message, { allowed: metricNames, ...suggested });
}

/** Names of metrics in other analytics. */
const metricsElsewhere: readonly (readonly [Metric, readonly string[]])[] = [
  ["unique_users", ["visitors", "users", "unique_visitors"]],
  ["page_views", ["pageviews", "views"]],
  ["session_count", ["sessions", "visits"]],
  ["event_count", ["events", "count"]],
  ["avg_duration", ["duration", "visit_duration", "session_duration"]],
  ["revenue", ["sales", "turnover", "money"]],
];

/** Returns the one of these metrics that a word means: nearly its name, or nearly its name elsewhere. */
function namedMetricMeant(asked: string, metrics: readonly string[]): string | null {
  const elsewhere = metricsElsewhere.filter(([metric]) => metrics.includes(metric));
  const word = nearest(asked, [...metrics, ...elsewhere.flatMap(([, words]) => words)]);
  const [same] = elsewhere.find(([, words]) => words.some((one) => one === word)) ?? [];
  return same ?? word;
}

/** `sum:amount` and `summ:properties.amount` are nearly right. */
function metricMeant(asked: string): string | null {
  const colon = asked.indexOf(":");
  if (colon < 0) return namedMetricMeant(asked, metricNames);
  const measure = nearest(asked.slice(0, colon), propertyMeasures);
  const field = asked.slice(colon + 1);
  const key = field.startsWith("properties.") ? field.slice("properties.".length) : field;
  return measure !== null && isPropertyKey(key) ? `${measure}:properties.${key}` : null;
}

function groupsOf(asked: readonly string[]): Group[] {
  const groups = [...new Set(asked.map(groupOf))];
  if (groups.length <= queryGroupingsMax) return groups;
  const message = `"group_by" takes at most ${queryGroupingsMax} fields.`;
  throw new ApiError("INVALID_GROUP_BY", message, { allowed: namedGroups });
}

function groupOf(asked: string, index: number): Group {
  const known = namedGroups.find((name) => name === asked);
  if (known !== undefined) return known;
  if (asked.startsWith("properties.")) {
    return `properties.${checkPropertyKey(asked.slice("properties.".length), `group_by[${index}]`)}`;
  }
  const near = sessionFieldMeant(asked) ?? visitorFieldMeant(asked) ?? nearest(asked, namedGroups);
  const meant = near ?? (isPropertyKey(asked) ? `properties.${asked}` : null);
  const breakdown =
    near === null && meant !== null
      ? " To count the values of one property, use GET /breakdown."
      : "";
  const message =
    `"group_by[${index}]" must be one of ${namedGroups.join(", ")} or properties.<key>.` +
    `${hintOf(meant)}${breakdown}`;
  const suggested = meant === null ? {} : { suggested_field: meant };
  throw new ApiError("INVALID_GROUP_BY", message, { allowed: namedGroups, ...suggested });
}

function orderOf(
  asked: string | null | undefined,
  metrics: readonly Metric[],
  groupBy: readonly Group[],
): Metric | Group {
  const selected = [...metrics, ...groupBy];
  if (asked === null || asked === undefined) {
    const [first = "event_count"] = metrics;
    return groupBy.includes("date") ? "date" : first;
  }
  const found = selected.find((name) => name === asked);
  if (found !== undefined) return found;
  const meant = namedMetricMeant(asked, selected);
  const message =
    '"order_by" must be one of the metrics and groups of this query. `allowed` lists ' +
    `them.${hintOf(meant)}`;
  const suggested = meant === null ? {} : { suggested_field: meant };
  throw new ApiError("MISSING_FIELDS", message, {
    ...{ field: "order_by", allowed: selected },
    ...suggested,
  });
}

function chosen<const T extends string>(
  asked: readonly string[],
  allowed: readonly T[],
  refuse: () => ApiError,
): T[] {
  const found = new Set<T>();
  for (const name of asked) {
    const known = allowed.find((one) => one === name);
    if (known === undefined) throw refuse();
    found.add(known);
  }
  return [...found];
}

const present = (value: string | null | undefined): string[] =>
  value === null || value === undefined ? [] : [value];

const hintOf = (meant: string | null): string => (meant === null ? "" : useSuggestion);
