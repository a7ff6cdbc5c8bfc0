import type { ProjectContext } from "../../domain/project-context";
import { eventsTable } from "../../reads/export/events";
import { type Head, jsonLines } from "../../reads/export/jsonl";
import {
  botDaysTable,
  contextTable,
  daysTable,
  identitiesTable,
  type PackedDays,
  profilesTable,
  sessionsTable,
} from "../../reads/export/lists";
import type { Table } from "../../reads/export/table";
import type { DateRange, Export, ExportSource } from "../../store/exports";
import type { View } from "../../store/questions";
import { csvFile } from "./csv";
import { packed } from "./pack";
import { parquetFile } from "./parquet";
import type { ExportCompression, ExportFormat, ExportKind } from "./schema";

export interface FileInput {
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly compress: ExportCompression;
  readonly head: Omit<Head, "first_deleted_at"> & {
    /** The earliest event of which control.db knows, deleted or not, in Unix ms. */
    readonly first_event_at: number | null;
  };
  readonly view: View;
  /** The same dates as the view's, for what is known by the UTC date. */
  readonly dates: DateRange;
  /** The project's context; null where nobody wrote one. */
  readonly context: ProjectContext | null;
  /** The days of the project; none for the kinds that do not have them. */
  readonly days: readonly PackedDays[];
  /** The id of the event after which the export goes on. */
  readonly after: string | null;
}

/** The file of GET /export. */
export const fileExport: Export<FileInput> = {
  name: "file",
  run: (source, input) => {
    const tables = tablesOf[input.kind](source, input);
    return packed(written[input.format](tables, input, source), input.compress);
  },
};

type Written = (
  tables: readonly [Table, ...Table[]],
  input: FileInput,
  source: ExportSource,
) => AsyncIterable<Uint8Array>;

/** CSV and Parquet hold one table. */
const written: Readonly<Record<ExportFormat, Written>> = {
  jsonl: linesOf,
  csv: ([table]) => csvFile(table),
  parquet: ([table]) => parquetFile(table),
};

async function* linesOf(
  tables: readonly Table[],
  { head: { first_event_at: knownMs, ...head }, view }: FileInput,
  { questions }: ExportSource,
): AsyncGenerator<Uint8Array> {
  const { first_event_at: firstMs } = await questions.storedEvents(view.projectId);
  const isDeleted = knownMs !== null && (firstMs === null || knownMs < firstMs);
  yield* jsonLines({ ...head, ...(isDeleted && { first_deleted_at: knownMs }) }, tables);
}

type Tables = (source: ExportSource, input: FileInput) => readonly [Table, ...Table[]];

/** The tables of each kind, in the order of the file. */
const tablesOf: Readonly<Record<ExportKind, Tables>> = {
  events: (source, { view, after }) => [eventsTable(source, view, after)],
  identities: (source, { view }) => [identitiesTable(source, view)],
  profiles: (source, { view }) => [profilesTable(source, view)],
  context: (_, { context }) => [contextTable(context)],
  bot_traffic: (source, { view, dates }) => [botDaysTable(source, view, dates)],
  history: (_, { days }) => [daysTable(days)],
  sessions: (source, { view }) => [sessionsTable(source, view)],
  // Events come last: whoever has one has all that comes before it, and goes on with events alone. Sessions follow from
  // events, and are a file of their own.
  all: (source, { view, dates, context, days, after }) => {
    const events = eventsTable(source, view, after);
    if (after !== null) return [events];
    return [
      contextTable(context),
      identitiesTable(source, view),
      profilesTable(source, view),
      botDaysTable(source, view, dates),
      daysTable(days),
      events,
    ];
  },
};
