import { columnOf } from "../../data/compared";
import { type ChosenEvent, chosenIn } from "../../state/chosen-event";
import { nameOf } from "../../state/filters";

/** The metrics and groups of POST /query, beside properties and fields of sessions. */
const metricNames: Readonly<Record<string, string>> = {
  event_count: "Events",
  page_views: "Page views",
  unique_users: "Visitors",
  session_count: "Sessions",
  bounce_rate: "Bounce rate",
  avg_duration: "Session duration",
  conversions: "Conversions",
  conversion_rate: "Conversion rate",
  revenue: "Revenue",
};
/** Metrics of an event or a goal that has to be chosen. */
const goalMetrics = ["conversions", "conversion_rate", "revenue"];
export const needsGoal = ({ metrics }: Question): boolean =>
  metrics.some((metric) => goalMetrics.includes(metric));
export const namedMetrics = Object.keys(metricNames);
const groupNames: Readonly<Record<string, string>> = {
  date: "Day",
  hour: "Hour",
  week: "Week",
  month: "Month",
  weekday: "Weekday",
  hour_of_day: "Hour of the day",
  event: "Event",
  country: "Country",
  user_id: "Visitor",
  session_id: "Session",
};
export const namedGroups = Object.keys(groupNames);
/** The measures of a property's values: `sum:properties.amount`. */
export const measureNames: Readonly<Record<string, string>> = {
  sum: "Sum",
  avg: "Average",
  min: "Minimum",
  max: "Maximum",
  p50: "Median",
  p75: "75th percentile",
  p95: "95th percentile",
  distinct: "Distinct values",
};
/** A key of a property has up to 128 characters, as in the API. */
const measureForm = /^(\w+):properties\.(\w{1,128})$/;
const groupForm = /^(properties|session|user)\.\w{1,128}$/;
/** The API has the same bound. */
export const groupsMax = 4;
const timeGroups = ["date", "hour", "week", "month"];

export interface Question {
  readonly metrics: readonly string[];
  readonly groups: readonly string[];
  readonly goal: ChosenEvent | null;
  /** The name that `compare` has for the other period; empty for none. */
  readonly beside: string;
  readonly countMode: "raw" | "session_then_user";
  readonly limit: number;
}

export function metricName(column: string): string {
  const { kind, metric } = columnOf(column);
  if (kind !== "now") return `${metricName(metric)}, ${kind}`;
  const [, measure = "", key = ""] = measureForm.exec(metric) ?? [];
  return metricNames[metric] ?? `${measureNames[measure] ?? measure} of ${key}`;
}
export const groupName = (group: string): string => groupNames[group] ?? nameOf(group);
const isMetric = (name: string): boolean =>
  Object.hasOwn(metricNames, name) ||
  Object.hasOwn(measureNames, measureForm.exec(name)?.[1] ?? "");
const isGroup = (name: string): boolean => Object.hasOwn(groupNames, name) || groupForm.test(name);
/** The group by which the rows are in order of time. */
export const timeGroupOf = (groups: readonly string[]): string | undefined =>
  groups.find((group) => timeGroups.includes(group));

/** The parts of the address that choose what is counted, and by what. An empty list is `none`. */
export const listParams = (metrics: readonly string[], groups: readonly string[]) => ({
  metrics: textOf(metrics),
  by: textOf(groups),
  property: null,
});

const textOf = (list: readonly string[]): string => (list.length > 0 ? list.join(",") : "none");
const sentList = (params: URLSearchParams, name: "metrics" | "by"): readonly string[] =>
  (params.get(name) ?? "").split(",").filter((one) => one !== "" && one !== "none");

function listIn(
  params: URLSearchParams,
  name: "metrics" | "by",
  fallback: readonly string[],
): readonly string[] {
  if (params.get(name) === "none") return [];
  const known = sentList(params, name).filter(name === "metrics" ? isMetric : isGroup);
  return known.length === 0 ? fallback : known;
}

/** Metrics and groups of the address that the API does not have. */
export const unreadableIn = (params: URLSearchParams): readonly string[] => [
  ...sentList(params, "metrics").filter((one) => !isMetric(one)),
  ...sentList(params, "by").filter((one) => !isGroup(one)),
];

/** The names of the other period in `compare`. */
export const besideNames: Readonly<Record<string, string>> = {
  previous: "Previous period",
  week: "Week before",
  year: "Year before",
};

/** Reads the question from the address. In older addresses `property=plan` names the one property to group by. */
export function questionIn(params: URLSearchParams): Question {
  const property = params.get("property");
  const beside = params.get("beside") ?? "";
  return {
    metrics: listIn(params, "metrics", ["event_count", "unique_users"]),
    groups: listIn(params, "by", [property ? `properties.${property}` : "date"]),
    goal: chosenIn(params, "goal"),
    beside: Object.hasOwn(besideNames, beside) ? beside : "",
    countMode: params.get("count") === "deduplicated" ? "session_then_user" : "raw",
    limit: Number(params.get("limit")) || 1000,
  };
}
