import type { JsonObject } from "../../properties";
import { type CsvRecord, csvRecords } from "./csv";
import { type JsonRecord, jsonRecords, objectOf } from "./json";
import type { FileEntry, FileHead, FileSample, OpenedFile } from "./opened-file";

/** The records by which a file is known. */
const sampleRecordsMax = 50;
/** The pieces that are looked through for them. */
const samplePiecesMax = 16;
/** The entries of an archive that are looked into for one that is a table or a list. */
const sampleEntriesMax = 20;

/** Samples of a file, one for each beginning of an entry that is a table or a list. */
export function samplesOf(
  { isArchive, entries }: OpenedFile,
  heads: readonly FileHead[],
): readonly FileSample[] {
  const names = entries.map(({ name }) => name);
  const lists = heads.filter(({ format }) => format !== "unknown");
  const unknown: FileHead = { format: "unknown" };
  return (lists.length > 0 ? lists : [unknown]).map((head) => ({ isArchive, names, head }));
}

/** The beginnings of the first entries. */
export async function headsOf({ entries }: OpenedFile): Promise<readonly FileHead[]> {
  const heads: FileHead[] = [];
  for (const entry of entries.slice(0, sampleEntriesMax)) heads.push(await headOf(entry));
  return heads;
}

/** The beginning of an entry. */
export async function headOf(entry: FileEntry): Promise<FileHead> {
  const first = await firstCharacter(entry);
  if (first === "{" || first === "[") {
    const records = (await firstOf(jsonRecords(entry.read()))).flatMap(objectsIn);
    return records.length === 0 ? { format: "unknown" } : { format: "json", records };
  }
  const [columns, ...rows] = (await firstOf(csvRecords(entry.read()))).map(({ cells }) => cells);
  if (columns === null || columns === undefined) return { format: "unknown" };
  return {
    format: "csv",
    columns: columns.map((name) => name.trim()),
    rows: rows.filter((cells) => cells !== null),
  };
}

/** The first character that is no space; empty where there is none at the beginning. */
async function firstCharacter(entry: FileEntry): Promise<string> {
  for await (const piece of entry.read()) {
    const text = Buffer.from(piece)
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .trimStart();
    if (text !== "") return text.charAt(0);
  }
  return "";
}

async function firstOf<Found extends CsvRecord | JsonRecord>(
  pieces: AsyncIterable<readonly Found[]>,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  let piecesRead = 0;
  for await (const records of pieces) {
    found.push(...records.slice(0, sampleRecordsMax - found.length));
    if (found.length >= sampleRecordsMax || ++piecesRead === samplePiecesMax) break;
  }
  return found;
}

const objectsIn = (record: JsonRecord): readonly JsonObject[] => {
  const object = objectOf(record);
  return object === null ? [] : [object];
};
