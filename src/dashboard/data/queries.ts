import type { Filter } from "../state/filters";
import type { Bucket, Comparison, Period } from "../state/period";
import type { ApiRequest } from "./request";

/** The requests of the dashboard, as an agent would make them. */
export interface Scope {
  readonly project: string;
  readonly period: Period;
  /** The length of the buckets of its chart. */
  readonly bucket: Bucket;
  readonly comparison: Comparison | null;
  readonly filters: readonly Filter[];
  /** The project is too large to wait with the first number until all are there. */
  readonly isLarge: boolean;
}

/** The numbers that the overview shows of a period, and of each of its days or hours. */
const allMetrics = [
  ...["unique_users", "session_count", "event_count", "bounce_rate", "avg_duration"],
  "page_views",
];
const pageViews: Filter = { field: "event", op: "eq", value: "page_view" };
/** Rows of a list: what is further down is counted, and not shown. */
const listRowsMax = 100;
const bucketsMax = 1_000;
const hoursOfWeek = 7 * 24;

export const query = (body: Record<string, unknown>): ApiRequest => ({
  method: "POST",
  path: "/query",
  body,
});

interface Window {
  readonly date_from: string;
  readonly date_to: string;
}
const window = ({ period }: Scope): Window => ({ date_from: period.from, date_to: period.to });
const windowBefore = ({ from, to }: Comparison): Window => ({ date_from: from, date_to: to });

/** One of the questions that a view asks in the same request. */
const question = (scope: Scope, asked: Record<string, unknown>, filters = scope.filters) => ({
  ...query({
    project: scope.project,
    ...asked,
    count_mode: "raw",
    ...(filters.length > 0 && { filters }),
  }),
  isJoined: true,
});

/** Writes filters as GET takes them. */
export const filtersText = ({ filters }: Pick<Scope, "filters">) =>
  filters.length > 0 ? { filters: JSON.stringify(filters) } : {};

/** The numbers of the window before beside them; while today is not over, the API cuts both at this time of day. */
const beside = ({ comparison }: Scope) =>
  comparison === null ? {} : { compare: windowBefore(comparison) };

/** A large project is asked for them in a request of their own, before all others (data/joined.ts). */
export const totals = (scope: Scope): ApiRequest => ({
  ...question(scope, { metrics: allMetrics, ...window(scope), ...beside(scope) }),
  isFirst: scope.isLarge,
});

/** The window before has a request of its own: `compare` pairs groups that have the same name. */
const buckets = (scope: Scope, dates: Window): ApiRequest =>
  question(scope, {
    ...{ metrics: allMetrics, group_by: [scope.bucket], ...dates },
    ...{ order_by: scope.bucket, order: "asc", limit: bucketsMax },
  });
export const bucketsNow = (scope: Scope): ApiRequest => buckets(scope, window(scope));
export const bucketsBefore = (scope: Scope): ApiRequest | null =>
  scope.comparison === null ? null : buckets(scope, windowBefore(scope.comparison));

export const events = (scope: Scope): ApiRequest =>
  question(scope, {
    ...{ metrics: ["event_count"], group_by: ["event"], limit: listRowsMax },
    ...{ ...window(scope), ...beside(scope) },
  });

/** The property counts only for page views, because other events have it, too. */
const countedIn = ({ filters }: Scope, field: string): readonly Filter[] =>
  field.startsWith("properties.") ? [...filters, pageViews] : filters;

/** Asks for the values of a list's fields with their numbers, now and in the window before. */
export const valuesOf = (scope: Scope, field: string, metric: string): ApiRequest =>
  question(
    scope,
    {
      ...{ metrics: [metric], group_by: [field], ...window(scope), ...beside(scope) },
      ...{ order_by: metric, limit: listRowsMax },
    },
    countedIn(scope, field),
  );

/** The numbers of a goal for the values of a list: the same groups in the same order as `valuesOf`. */
export const outcomesOf = (
  scope: Scope,
  field: string,
  metric: string,
  goal: string,
): ApiRequest => ({
  ...question(
    scope,
    {
      ...{ metrics: [metric, ...outcomeMetrics], group_by: [field], goal: { goal } },
      ...{ ...window(scope), ...beside(scope), order_by: metric, limit: listRowsMax },
    },
    countedIn(scope, field),
  ),
  isLast: true,
});
/** The number of sessions is the base of the rate. */
const outcomeMetrics = ["conversions", "conversion_rate", "revenue", "session_count"];

/** The numbers of each goal. The first number of a page does not wait for them. */
export const goals = (scope: Scope): ApiRequest => {
  const { project, filters } = scope;
  const options = { ...window(scope), ...beside(scope), ...(filters.length > 0 && { filters }) };
  return { ...query({ project, goals: true, ...options }), isJoined: true, isLast: true };
};

/** The verdict whether whole dates differ from those before by more than chance, and the values that explain it. */
export const changes = (
  scope: Scope,
  metric: string,
  dates: { readonly since: string; readonly until: string },
): ApiRequest => ({
  method: "GET",
  path: "/changes",
  query: {
    ...{ project: scope.project, metric, ...dates },
    ...{ dimensions: "country,source,page,device,browser", limit: 1 },
    ...filtersText(scope),
  },
});

/** The names of the project's goals, which filters in words show. */
export const goalNames = (project: string): ApiRequest => ({
  method: "GET",
  path: "/goals",
  query: { project },
});

/** The most groups that the API answers. */
export const manyMax = 1_000;

/** As many values as an answer can have, each with several numbers. */
export const manyOf = (
  scope: Scope,
  field: string,
  metrics: readonly string[],
  more: Record<string, unknown> = {},
): ApiRequest =>
  question(
    scope,
    { metrics, group_by: [field], ...window(scope), order_by: metrics[0], limit: manyMax, ...more },
    countedIn(scope, field),
  );

/** The same compared with the window before, and with the numbers of a goal. */
export const manyCompared = (
  scope: Scope,
  field: string,
  metrics: readonly string[],
  goal: string | null,
): ApiRequest =>
  goal === null
    ? manyOf(scope, field, metrics, beside(scope))
    : manyOf(scope, field, [...new Set([...metrics, ...outcomeMetrics])], {
        ...{ ...beside(scope), goal: { goal } },
      });

/** Asks about the events of one name in the window. */
export const ofEvent = (
  scope: Scope,
  event: string,
  asked: Record<string, unknown>,
  filters: readonly Filter[] = [],
): ApiRequest =>
  question(scope, { ...asked, ...window(scope) }, [
    ...scope.filters,
    { field: "event", op: "eq", value: event },
    ...filters,
  ]);

export const project = (name: string): ApiRequest => ({
  method: "GET",
  path: `/projects/${encodeURIComponent(name)}`,
});

/** The context that the project's people wrote down: annotations stand in charts, and terms beside events. */
export const context = (project: string): ApiRequest => ({
  method: "GET",
  path: "/project-context",
  query: { project },
});

/** Fields of a visitor's first session: a visitor has one value of each. */
const ofVisitor = ["user.first_source", "user.first_country", "user.first_device"];
const numbersOfVisitor = ["session_count", "page_views", "event_count", "last_date"];

interface People {
  readonly orderBy: string;
  readonly limit: number;
  /** The goal whose revenue the list shows. */
  readonly goal: string | undefined;
}

export const people = (scope: Scope, { orderBy, limit, goal }: People): ApiRequest =>
  question(scope, {
    metrics: [...numbersOfVisitor, ...(goal === undefined ? [] : ["revenue"])],
    ...{ group_by: ["user_id", ...ofVisitor], ...window(scope), order_by: orderBy, limit },
    ...(goal !== undefined && { goal: { goal } }),
  });

/** All stored dates: the API looks back no further. */
const everything = { date_from: "3650d" };

/** Asks about one person over all time: the first session, the numbers, and the events of each goal. */
export const person = (project: string, id: string) => {
  const about = { project, user_id: id, ...everything };
  const joined = (asked: Record<string, unknown>): ApiRequest => ({
    ...query({ ...about, ...asked }),
    isJoined: true,
  });
  return {
    first: joined({ metrics: ["session_count"], group_by: [...ofVisitor, "user.first_date"] }),
    numbers: joined({ metrics: numbersOfVisitor, count_mode: "raw" }),
    goals: joined({ goals: true }),
  };
};

export const dates = ({ period }: Scope) => ({ since: period.from, until: period.to });

/** The days that the project has sums of instead of events. They take no filters. */
export const history = (scope: Scope): ApiRequest => ({
  method: "GET",
  path: "/history",
  query: { project: scope.project, groupBy: historyBuckets[scope.bucket], ...dates(scope) },
});
/** The API's names of the bucket lengths there; it has no hours. */
const historyBuckets = { hour: "day", date: "day", week: "week", month: "month" } as const;

export const pages = (scope: Scope, type: "entry" | "exit", limit = 100): ApiRequest => ({
  method: "GET",
  path: "/pages",
  query: { project: scope.project, type, ...dates(scope), limit, ...filtersText(scope) },
});

/** The numbers of GET /heatmap, as a question that goes along with the others of the overview. */
export const heatmap = (scope: Scope): ApiRequest =>
  question(scope, {
    ...{ metrics: ["event_count", "unique_users"], group_by: ["weekday", "hour_of_day"] },
    ...{ ...window(scope), limit: hoursOfWeek },
  });

/** The names that can be chosen: the whole project's, whatever is filtered. */
export const valuesToChoose = (scope: Scope, field: string): ApiRequest =>
  question(
    scope,
    {
      ...{ metrics: ["event_count"], group_by: [field], ...window(scope) },
      ...{ order_by: "event_count", limit: 50 },
    },
    [],
  );

export const properties = ({ project, period }: Scope): ApiRequest => ({
  method: "GET",
  path: "/properties",
  query: { project, since: period.from, until: period.to },
});

export const live = (project: string): ApiRequest => ({
  method: "GET",
  path: "/live",
  query: { project, window: 300 },
});
