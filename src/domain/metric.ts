import { nearest } from "../lib/nearest";
import { ApiError, invalidField } from "./errors";
import { checkPropertyKey, isPropertyKey } from "./filter";
import { queryGroupingsMax } from "./limits";

export const metricNames = [
  "event_count",
  "unique_users",
  "session_count",
  "bounce_rate",
  "avg_duration",
] as const;
export type Metric = (typeof metricNames)[number];

export const groupNames = [
  ...(["event", "date", "hour", "week", "month", "user_id", "session_id", "country"] as const),
] as const;
export type Group = (typeof groupNames)[number] | `properties.${string}`;

/** How `event_count` counts: every row, or a session once and a visitor without session once. */
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

/** What a query counts, by what, and in which order it shows the groups. */
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
  const metrics = chosen(asked.length === 0 ? ["event_count"] : asked, metricNames, (name) => {
    const message = `There is no metric "${shown(name)}". There are ${metricNames.join(", ")}.`;
    return new ApiError("INVALID_METRIC", message, { allowed: metricNames });
  });
  const groupBy = groupsOf(request.group_by ?? []);
  const [countMode = "session_then_user"] = chosen(
    present(request.count_mode),
    countModes,
    (name) => {
      const message = `There is no count_mode "${shown(name)}". There are ${countModes.join(", ")}.`;
      return new ApiError("INVALID_COUNT_MODE", message, { allowed: countModes });
    },
  );
  const [order = "desc"] = chosen(present(request.order), orderDirections, () =>
    invalidField("order", `"order" must be asc or desc.`, orderDirections),
  );
  return {
    metrics,
    groupBy,
    countMode,
    orderBy: orderOf(request.order_by, metrics, groupBy),
    order,
  };
}

function groupsOf(asked: readonly string[]): Group[] {
  const groups = [...new Set(asked.map(groupOf))];
  if (groups.length <= queryGroupingsMax) return groups;
  const message = `Rows are grouped by at most ${queryGroupingsMax} fields.`;
  throw new ApiError("INVALID_GROUP_BY", message, { allowed: groupNames });
}

function groupOf(asked: string, index: number): Group {
  const known = groupNames.find((name) => name === asked);
  if (known !== undefined) return known;
  if (asked.startsWith("properties.")) {
    return `properties.${checkPropertyKey(asked.slice("properties.".length), `group_by[${index}]`)}`;
  }
  const near = nearest(asked, groupNames);
  const meant = near ?? (isPropertyKey(asked) ? `properties.${asked}` : null);
  const hint = meant === null ? "" : ` Did you mean "${meant}"?`;
  const message =
    `There is no group "${shown(asked)}". There are ${groupNames.join(", ")} and properties.<key>.` +
    hint;
  const suggested = meant === null ? {} : { suggested_field: meant };
  throw new ApiError("INVALID_GROUP_BY", message, { allowed: groupNames, ...suggested });
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
  const message = `"order_by" must be one of the selected ${selected.join(", ")}.`;
  throw invalidField("order_by", message, selected);
}

function chosen<const T extends string>(
  asked: readonly string[],
  allowed: readonly T[],
  refuse: (name: string) => ApiError,
): T[] {
  const found = new Set<T>();
  for (const name of asked) {
    const known = allowed.find((one) => one === name);
    if (known === undefined) throw refuse(name);
    found.add(known);
  }
  return [...found];
}

const present = (value: string | null | undefined): string[] =>
  value === null || value === undefined ? [] : [value];
/** Names come from the caller and may be long; a message shows their beginning. */
const shown = (name: string): string => name.slice(0, 64);
