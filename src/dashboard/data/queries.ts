import type { Filter } from "../state/filters";
import type { Comparison, Period } from "../state/period";
import type { ApiRequest } from "./api";

/** The requests of the dashboard, as an agent would make them. */
export interface Scope {
  readonly project: string;
  readonly period: Period;
  readonly comparison: Comparison | null;
  readonly filters: readonly Filter[];
}

const allMetrics = ["unique_users", "session_count", "event_count", "bounce_rate", "avg_duration"];
const pageViews: Filter = { field: "event", op: "eq", value: "page_view" };

export const query = (body: Record<string, unknown>): ApiRequest => ({
  method: "POST",
  path: "/query",
  body,
});

const body = (scope: Scope, more: Record<string, unknown>, filters = scope.filters) => ({
  project: scope.project,
  ...more,
  count_mode: "raw",
  ...(filters.length > 0 && { filters }),
});
const window = ({ period }: Scope) => ({ date_from: period.from, date_to: period.to });

/** As GET takes them. */
export const filtersText = ({ filters }: Pick<Scope, "filters">) =>
  filters.length > 0 ? { filters: JSON.stringify(filters) } : {};

/** The same filters on the window before, cut where today is. */
function before({ comparison, filters }: Scope, more: readonly Filter[] = []) {
  const cut = comparison?.untilMs ?? null;
  const all = [...filters, ...more];
  return cut === null
    ? all
    : [...all, { field: "timestamp", op: "lt", value: new Date(cut).toISOString() }];
}

export const totals = (scope: Scope): ApiRequest =>
  query(body(scope, { metrics: allMetrics, ...window(scope) }));

export const totalsBefore = (scope: Scope): ApiRequest | null =>
  scope.comparison === null
    ? null
    : query(
        body(
          scope,
          { metrics: allMetrics, date_from: scope.comparison.from, date_to: scope.comparison.to },
          before(scope),
        ),
      );

/** Both windows at once: an answer of 180 short rows is cheaper than a second request. */
export const perDay = (scope: Scope): ApiRequest =>
  query(
    body(scope, {
      metrics: allMetrics,
      group_by: ["date"],
      date_from: scope.comparison?.from ?? scope.period.from,
      date_to: scope.period.to,
      order: "asc",
      limit: 1000,
    }),
  );

export const viewsPerDay = (scope: Scope): ApiRequest =>
  query(
    body(
      scope,
      {
        metrics: ["event_count"],
        group_by: ["date"],
        date_from: scope.comparison?.from ?? scope.period.from,
        date_to: scope.period.to,
        order: "asc",
        limit: 1000,
      },
      [...scope.filters, pageViews],
    ),
  );

export const perHour = (scope: Scope): ApiRequest => ({
  method: "GET",
  path: "/stats",
  query: {
    project: scope.project,
    groupBy: "hour",
    since: scope.comparison?.from ?? scope.period.from,
    until: scope.period.to,
    ...filtersText(scope),
  },
});

export const events = (scope: Scope): ApiRequest =>
  query(
    body(scope, {
      metrics: ["event_count", "unique_users"],
      group_by: ["event"],
      ...window(scope),
      limit: 200,
    }),
  );

export const eventsBefore = (scope: Scope): ApiRequest | null =>
  scope.comparison === null
    ? null
    : query(
        body(
          scope,
          {
            metrics: ["event_count", "unique_users"],
            group_by: ["event"],
            date_from: scope.comparison.from,
            date_to: scope.comparison.to,
            limit: 200,
          },
          before(scope),
        ),
      );

export const people = (scope: Scope, limit: number): ApiRequest =>
  query(
    body(scope, {
      metrics: ["event_count", "session_count"],
      group_by: ["user_id"],
      ...window(scope),
      order_by: "event_count",
      limit,
    }),
  );

export const countries = (scope: Scope): ApiRequest =>
  query(
    body(scope, {
      metrics: ["unique_users", "event_count"],
      group_by: ["country"],
      ...window(scope),
      order_by: "unique_users",
      limit: 250,
    }),
  );

export const breakdown = (
  scope: Scope,
  property: string,
  event: string | null,
  limit = 100,
): ApiRequest => ({
  method: "GET",
  path: "/breakdown",
  query: {
    project: scope.project,
    property,
    ...(event !== null && { event }),
    since: scope.period.from,
    until: scope.period.to,
    limit,
    ...filtersText(scope),
  },
});

const dates = ({ period }: Scope) => ({ since: period.from, until: period.to });

export const pages = (scope: Scope, type: "entry" | "exit", limit = 100): ApiRequest => ({
  method: "GET",
  path: "/pages",
  query: { project: scope.project, type, ...dates(scope), limit, ...filtersText(scope) },
});

export const heatmap = (scope: Scope): ApiRequest => ({
  method: "GET",
  path: "/heatmap",
  query: { project: scope.project, ...dates(scope), ...filtersText(scope) },
});

/** What there is to choose from: the whole project's, whatever is filtered. */

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
