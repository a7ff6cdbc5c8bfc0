import type { QueryAnswer, Row } from "../data/answers";
import { flatRows, type MaybeCompared } from "../data/compared";
import type { GoalRow } from "../data/goal-rows";
import type { Scope } from "../data/queries";
import * as queries from "../data/queries";
import { useRead } from "../data/reads";
import type { ApiRequest } from "../data/request";
import { duration, percent, short } from "../lib/format";
import { shortMoney } from "../lib/money";
import type { Filter } from "../state/filters";
import { scope } from "../state/scope";
import { useChosenGoal } from "./outcomes";
import type { ValueColumn } from "./values-table";

/** The field that lists pages; only these have time, scroll depth, entries and exits. */
export const pageField = "properties.path";
const timeMetric = "sum:properties.time_on_page";
const scrollMetric = "avg:properties.scroll_depth";

const counts: readonly ValueColumn[] = [
  { key: "unique_users", name: "Visitors", format: short },
  { key: "session_count", name: "Sessions", format: short },
  { key: "page_views", name: "Page views", format: short },
];
const ofSessions: readonly ValueColumn[] = [
  {
    ...{ key: "bounce_rate", name: "Bounce rate", format: percent },
    ...{ isRate: true, isInverse: true, base: "session_count" },
  },
  { key: "avg_duration", name: "Session duration", format: duration, base: "session_count" },
];
const ofPages: readonly ValueColumn[] = [
  { key: "entries", name: "Entries", format: short, title: "Sessions that began here" },
  { key: "exits", name: "Exits", format: short, title: "Sessions that ended here" },
  {
    key: "time_on_page",
    name: "Time on page",
    format: (seconds) => duration(seconds * 1_000),
    title: "Visible seconds divided by page views, where the tracker records $time_on_page",
  },
  {
    key: "scroll_depth",
    name: "Scroll depth",
    format: (depth) => `${Math.round(depth)}%`,
    title: "Average of the deepest points, where the tracker records $scroll_depth",
  },
];

/** The numbers of a chosen goal. A goal without a value has no revenue. */
const ofGoal = ({ revenue, currency }: GoalRow): readonly ValueColumn[] => [
  {
    key: "conversions",
    name: "Conversions",
    format: short,
    title: "Sessions that reached the goal",
  },
  {
    ...{ key: "conversion_rate", name: "Conversion rate", format: percent },
    ...{ isRate: true, base: "session_count" },
  },
  ...(revenue === null
    ? []
    : [
        {
          ...{ key: "revenue", name: "Revenue", base: "conversions" },
          format: (value: number) => shortMoney(value, currency),
        },
      ]),
];

const metrics = [...counts, ...ofSessions].map(({ key }) => key);

/** The values of a field with all of these numbers and those of the window before; undefined until they are there. */
export function useValues(field: string, found: readonly Filter[] = []) {
  const asked: Scope = { ...scope.value, filters: [...scope.value.filters, ...found] };
  const isPages = field === pageField;
  const goal = useChosenGoal();
  const reading = useRead<MaybeCompared>(
    "Values",
    queries.manyCompared(asked, field, metrics, goal?.goal.id ?? null),
  );
  const times = useMore("Time on page", isPages && eventBy(asked, "$time_on_page", timeMetric));
  const depths = useMore("Scroll depth", isPages && eventBy(asked, "$scroll_depth", scrollMetric));
  const entries = useMore("Entries", isPages && sessionsBy(asked, "session.entry_page"));
  const exits = useMore("Exits", isPages && sessionsBy(asked, "session.exit_page"));
  const rowsOf = (answer: MaybeCompared): readonly Row[] =>
    !isPages
      ? flatRows(answer)
      : flatRows(answer).map((row) => {
          const page = String(row[pageField]);
          const seconds = numberIn(times.get(page), timeMetric);
          const views = Number(row.page_views ?? 0);
          return {
            ...row,
            entries: numberIn(entries.get(page), "session_count") ?? 0,
            exits: numberIn(exits.get(page), "session_count") ?? 0,
            time_on_page: seconds === null || views === 0 ? null : seconds / views,
            scroll_depth: numberIn(depths.get(page), scrollMetric),
          };
        });
  const columns = [
    ...[...counts, ...(isPages ? ofPages : []), ...ofSessions],
    // The answer may still be that of another goal.
    ...(goal === null || reading.isStale ? [] : ofGoal(goal)),
  ];
  return { reading, rowsOf, columns };
}

const eventBy = (asked: Scope, event: string, metric: string): ApiRequest =>
  queries.ofEvent(asked, event, {
    ...{ metrics: [metric], group_by: [pageField], limit: queries.manyMax },
  });
const sessionsBy = (asked: Scope, field: string): ApiRequest =>
  queries.manyOf(asked, field, ["session_count"]);

function useMore(title: string, request: ApiRequest | false): ReadonlyMap<string, Row> {
  const { data } = useRead<QueryAnswer>(title, request || null);
  const [field = ""] = data?.group_by ?? [];
  return new Map(data?.rows.map((row) => [String(row[field]), row]));
}

const numberIn = (row: Row | undefined, metric: string): number | null => {
  const value = row?.[metric];
  return typeof value === "number" ? value : null;
};
