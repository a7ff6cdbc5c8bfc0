import type { JsonObject } from "../properties";
import { brokenFile } from "./file/broken";
import { type CsvRecord, csvRecords } from "./file/csv";
import type { FileEntry, OpenedFile } from "./file/opened-file";
import type { ImportedRow, RowContent } from "./importer";

type Cells = readonly string[];

/** The columns of a table by their names, whatever their order. */
export class Columns {
  constructor(readonly names: readonly string[]) {}

  has(name: string): boolean {
    return this.names.includes(name);
  }
  /** Reads the cells of these columns. One is null where it is empty or `\N`, or where the table has no such column. */
  pick<Name extends string>(names: readonly Name[]): (cells: Cells) => Picked<Name>;
  pick(names: readonly string[]): (cells: Cells) => Picked<string> {
    const places = names.map((name) => [name, this.names.indexOf(name)] as const);
    return (cells) => {
      const picked: Record<string, string | null> = {};
      for (const [name, at] of places) picked[name] = cellIn(cells[at]);
      return picked;
    };
  }
  /** Reads all cells that are not empty. */
  all(): (cells: Cells) => JsonObject {
    const picked = this.pick(this.names.filter((name) => name !== "" && name !== "__proto__"));
    return (cells) => {
      const all = picked(cells);
      return Object.fromEntries(Object.entries(all).filter(([, cell]) => cell !== null));
    };
  }
}

export type Picked<Name extends string> = Readonly<Record<Name, string | null>>;

const cellIn = (text: string | undefined): string | null =>
  text === undefined || text === "" || text === "\\N" ? null : text;

/** Says what the rows of a table with these columns stand for. */
export type TableReader = (columns: Columns) => (cells: Cells) => RowContent;

/** Reads a table: its first record names the columns, and every other one is a row. */
export async function* tableRows(
  entry: FileEntry,
  readerFor: TableReader,
): AsyncGenerator<readonly ImportedRow[]> {
  let columns: readonly string[] | null = null;
  let read: ((cells: Cells) => RowContent) | null = null;
  for await (const records of csvRecords(entry.read())) {
    const rows: ImportedRow[] = [];
    for (const record of records) {
      if (columns === null || read === null) {
        columns = columnsOf(record);
        read = readerFor(new Columns(columns));
      } else {
        rows.push({ line: record.line, ...contentOf(record, columns.length, read) });
      }
    }
    if (rows.length > 0) yield rows;
  }
}

/** The tables of a file: in an archive those whose name says so, or all where none does. */
export function tablesIn({ isArchive, entries }: OpenedFile): readonly FileEntry[] {
  const named = entries.filter(({ name }) => /\.csv$/i.test(name));
  return isArchive && named.length > 0 ? named : entries;
}

/** The names of the columns, as the first record has them. */
function columnsOf({ cells, line }: CsvRecord): readonly string[] {
  if (cells === null) throw brokenFile("The first line is no list of column names.", line);
  return cells.map((name) => name.trim());
}

function contentOf(
  { cells, isTooLong }: CsvRecord,
  width: number,
  read: (cells: Cells) => RowContent,
): RowContent {
  if (isTooLong) return recordTooLong;
  return cells === null || cells.length !== width ? unreadable : read(cells);
}

export const recordTooLong: RowContent = { kind: "refused", code: "PAYLOAD_TOO_LARGE" };
/** A record that is no row of its table, or no JSON object. */
export const unreadable: RowContent = { kind: "refused", code: "INVALID_BODY" };
export const unsupportedRow: RowContent = { kind: "unsupported" };
