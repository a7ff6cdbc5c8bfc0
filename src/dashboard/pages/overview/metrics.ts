import type { Row } from "../../data/answers";
import type { Definition } from "../../lib/definitions";
import { duration, exact, percent, short } from "../../lib/format";
import { durationTicks, ticks } from "../../lib/scale";

/** The numbers of the overview: one definition each, said where the number stands. */
export interface Metric {
  readonly key: string;
  readonly name: string;
  readonly meaning: string;
  /** Column of POST /query, which has a definition under the same name. */
  readonly column: Definition;
  readonly format: (value: number) => string;
  readonly exact: (value: number) => string;
  readonly ticks: (max: number) => number[];
  readonly isInverse?: boolean;
  readonly isRate?: boolean;
  /** Tells that it is a mean of sessions: without sessions it is not 0, but unknown. */
  readonly isMean?: boolean;
  /** The metric of the page "What changed" for this number; absent where that page has none. */
  readonly why?: Record<string, string>;
}

const counts = { format: short, exact, ticks: (max: number) => ticks(max, 5) };

export const metrics: readonly Metric[] = [
  {
    key: "visitors",
    name: "Visitors",
    column: "unique_users",
    meaning: "Distinct visitors (user_id) with at least one event.",
    why: { metric: "users" },
    ...counts,
  },
  {
    key: "sessions",
    name: "Sessions",
    column: "session_count",
    meaning: "Sessions with at least one event in this period, even if they started before it.",
    why: { metric: "sessions" },
    ...counts,
  },
  {
    key: "views",
    name: "Page views",
    column: "page_views",
    meaning: "Events named page_view.",
    why: { event: "page_view" },
    ...counts,
  },
  {
    key: "events",
    name: "Events",
    column: "event_count",
    meaning: "All stored events, including page views.",
    why: {},
    ...counts,
  },
  {
    key: "bounce",
    name: "Bounce rate",
    column: "bounce_rate",
    meaning: "Sessions without interaction: no click, no form and no custom event.",
    format: percent,
    exact: (value) => `${(value * 100).toFixed(1)}%`,
    ticks: (max) => ticks(max * 100, 5).map((tick) => tick / 100),
    isInverse: true,
    isRate: true,
    isMean: true,
  },
  {
    key: "duration",
    name: "Session duration",
    column: "avg_duration",
    meaning: "Average time from the first to the last event of a session.",
    format: duration,
    exact: duration,
    ticks: (max) => durationTicks(max, 4),
    isMean: true,
  },
];

export const valueIn = (row: Row | undefined, { column }: Metric): number =>
  Number(row?.[column] ?? 0);

/** Returns the metric of a day that has sums instead of events; null where nobody counted it. */
export function importedIn(row: Row | undefined, { column }: Metric): number | null {
  const value = row?.[column];
  return typeof value === "number" ? value : null;
}

/** Returns the metric of a day or an hour; null where nothing is known of it. */
export const knownIn = (row: Row | undefined, metric: Metric): number | null =>
  row === undefined || (metric.isMean === true && Number(row.session_count ?? 0) === 0)
    ? null
    : valueIn(row, metric);
