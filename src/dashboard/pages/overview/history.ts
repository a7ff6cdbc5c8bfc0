import type { HistoryAnswer, Row } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { scope } from "../../state/scope";
import { shared } from "../../state/share";

/** The days of a window that the project has sums of instead of events. */
export interface History {
  /** By date; empty under filters, which sums of days do not take. */
  readonly rows: ReadonlyMap<string, Row>;
  /** Says in words where they are from, or why they are not there; "" where the window has none. */
  readonly legend: string;
}

/** Asks for the days before the first event: where a window begins later there are none. */
export function useHistory(first: string | null): History {
  const { period, bucket, filters } = scope.value;
  const isNarrow = (shared?.filters.length ?? 0) > 0;
  const isAsked = !isNarrow && bucket !== "hour" && first !== null && period.from < (first || "9");
  const { data } = useRead<HistoryAnswer>(
    "Days without events",
    isAsked ? queries.history(scope.value) : null,
  );
  if (!isAsked || data === undefined || data.series.length === 0) return none;
  if (filters.length > 0) {
    return { rows: new Map(), legend: "imported days are left out: they take no filters" };
  }
  return {
    rows: new Map(data.series.map((day) => [day.bucket, rowOf(day)])),
    legend: `${sourcesOf(data.imports)} · daily visitors added up`,
  };
}
const none: History = { rows: new Map(), legend: "" };

function sourcesOf(imports: HistoryAnswer["imports"]): string {
  const kinds = new Set(imports.map(({ kind }) => kind));
  const isFolded = kinds.delete("retention");
  return [
    ...(kinds.size > 0 ? [`imported from ${[...kinds].join(", ")}`] : []),
    ...(isFolded ? ["kept of deleted events"] : []),
  ].join(", ");
}

/** The sums under the names of the metrics; one that nobody counted is null. */
const rowOf = (day: HistoryAnswer["series"][number]): Row => ({
  unique_users: day.visitor_days,
  session_count: day.visits,
  page_views: day.page_views,
  event_count: day.events,
  bounce_rate: shareOf(day.bounces, day.visits),
  avg_duration: shareOf(day.seconds === null ? null : day.seconds * 1_000, day.visits),
});

const shareOf = (part: number | null, visits: number | null): number | null =>
  part === null || visits === null || visits === 0 ? null : part / visits;
