import type { JsonObject } from "../properties";
import { type JsonRecord, jsonRecords, objectOf } from "./file/json";
import type { FileEntry, OpenedFile } from "./file/opened-file";
import type { ImportedRow, RowContent } from "./importer";
import { recordTooLong, unreadable } from "./table";

/** Reads JSON objects: one a line, or one list of them. An object may stand for several rows. */
export async function* listRows(
  entry: FileEntry,
  read: (object: JsonObject) => RowContent | readonly RowContent[],
): AsyncGenerator<readonly ImportedRow[]> {
  for await (const records of jsonRecords(entry.read())) {
    const rows: ImportedRow[] = [];
    for (const record of records) {
      const { line } = record;
      const contents = contentOf(record, read);
      if (isList(contents)) for (const one of contents) rows.push({ line, ...one });
      else rows.push({ line, ...contents });
    }
    if (rows.length > 0) yield rows;
  }
}

const isList = (contents: RowContent | readonly RowContent[]): contents is readonly RowContent[] =>
  Array.isArray(contents);

function contentOf(
  record: JsonRecord,
  read: (object: JsonObject) => RowContent | readonly RowContent[],
): RowContent | readonly RowContent[] {
  if (record.isTooLong) return recordTooLong;
  const object = objectOf(record);
  return object === null ? unreadable : read(object);
}

/** The lists of a file: in an archive those whose name says so, or all where none does. */
export function listsIn({ isArchive, entries }: OpenedFile): readonly FileEntry[] {
  const named = entries.filter(({ name }) => /\.(?:json|jsonl|ndjson)$/i.test(name));
  return isArchive && named.length > 0 ? named : entries;
}
