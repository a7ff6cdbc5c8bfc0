import type { Export, ExportSource } from "../../store/exports";
import type { View } from "../../store/questions";
import { csvFile } from "./csv";
import { eventsTable } from "./events";
import { type Head, jsonLines } from "./jsonl";
import type { ExportFormat, ExportKind } from "./schema";
import type { Table } from "./table";

export interface FileInput {
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly head: Head;
  readonly view: View;
  /** The id of the event after which the export goes on. */
  readonly after: string | null;
}

/** The file of GET /export. */
export const fileExport: Export<FileInput> = {
  name: "file",
  run: (source, input) => {
    const tables = tablesOf[input.kind](source, input);
    return input.format === "csv" ? csvFile(tables[0]) : jsonLines(input.head, tables);
  },
};

type Tables = (source: ExportSource, input: FileInput) => readonly [Table, ...Table[]];

/** The tables of each kind, in the order of the file. */
const tablesOf: Readonly<Record<ExportKind, Tables>> = {
  events: (source, { view, after }) => [eventsTable(source, view, after)],
};
