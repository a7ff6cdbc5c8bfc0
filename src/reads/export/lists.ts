import { type DayCounts, type DayDimension, dayCounts } from "../../domain/day-row";
import type { ProjectContext } from "../../domain/project-context";
import type { DateRange, ExportSource } from "../../store/exports";
import type { View } from "../../store/questions";
import { JsonText, type LineKind, type Row, type Table } from "./table";

/** The tables beside that of events. */

/** A table whose rows have a field for each column. Lists and objects are JSON. */
function tableOf<Columns extends string>(
  kind: LineKind,
  columns: readonly Columns[],
  pieces: () => AsyncIterable<readonly Readonly<Record<Columns, unknown>>[]>,
): Table {
  const cellOf = (value: unknown): Row[number] =>
    value === null || typeof value === "string" || typeof value === "number"
      ? value
      : value instanceof JsonText
        ? value
        : new JsonText(JSON.stringify(value));
  return {
    kind,
    columns,
    async *rows() {
      for await (const piece of pieces()) {
        yield piece.map((row) => columns.map((column) => cellOf(row[column])));
      }
    },
  };
}

export const identitiesTable = (source: ExportSource, { projectId }: View): Table =>
  tableOf("identity", ["previous_id", "user_id"], () => source.identities(projectId));

export const profilesTable = (source: ExportSource, { projectId }: View): Table =>
  tableOf("profile", ["user_id", "traits", "emails"], async function* () {
    for await (const piece of source.profiles(projectId)) {
      yield piece.map((row) => ({ ...row, traits: new JsonText(row.traits) }));
    }
  });

/** One row, or none where nobody wrote a context. */
export const contextTable = (context: ProjectContext | null): Table =>
  tableOf("context", ["goals", "activation_events", "glossary", "annotations"], async function* () {
    if (context !== null) yield [context];
  });

/** The sums of a date and dimension, with the import that they are of. */
export interface PackedDays {
  readonly date: string;
  readonly dimension: DayDimension;
  readonly import: { readonly id: string; readonly kind: string };
  /** JSON: a list of values, each with its counts in the order of `dayCounts`. */
  readonly sums: string;
}

export const daysTable = (days: readonly PackedDays[]): Table =>
  tableOf("day", ["date", "dimension", "value", ...dayCounts, "import"], async function* () {
    for (const { date, dimension, import: of, sums } of days) {
      const values: readonly (readonly [string, ...(number | null)[]])[] = JSON.parse(sums);
      yield values.map(([value, ...counts]) => ({
        ...{ date, dimension, value, import: of },
        ...countsOf(counts),
      }));
    }
  });

function countsOf([visitors, visits, page_views, events, bounces, seconds]: readonly (
  | number
  | null
)[]): DayCounts {
  return { visitors, visits, page_views, events, bounces, seconds };
}

export const botDaysTable = (source: ExportSource, { projectId }: View, dates: DateRange): Table =>
  tableOf(
    "bot_day",
    ["date", "category", "actor", "requests", "dropped_events", "last_seen_at"],
    () => source.automatedDays(projectId, dates),
  );

export const sessionsTable = (source: ExportSource, view: View): Table =>
  tableOf(
    "session",
    [
      ...(["session_id", "user_id", "project_id", "start_time", "end_time", "duration"] as const),
      ...(["entry_page", "exit_page", "event_count", "is_bounce", "date"] as const),
    ],
    () => source.sessions(view),
  );
