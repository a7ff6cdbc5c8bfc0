/*
 * A row group ends early where properties are large.
 * Decision: a row group has 20,000 rows, or fewer where their properties have more than 16 million characters.
 * Because: the library makes a whole row group in memory. Twenty thousand events with the largest properties would
 * take half a gigabyte.
 * Cost: a file with very large events has more row groups, which readers do not notice.
 * Revisit: if the library writes the pages of a column one by one.
 */

import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { assert } from "../../lib/assert";
import { JsonText, type LineKind, type Row, type Table } from "../../reads/export/table";

export const rowsPerGroup = 20_000;
export const groupTextCharsMax = 16 * 1024 * 1024;
/** A row group is handed over in pieces of this size. */
const pieceBytes = 1024 * 1024;

/** One table as Parquet: columns of values, packed by Snappy. */
export async function* parquetFile(table: Table): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const columns = columnsOf[table.kind];
  assert(columns !== undefined, `${table.kind} has a form in Parquet`);
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytes, schema: schemaOf(columns), codec: "SNAPPY" });
  for await (const rows of groupsOf(table.rows())) {
    await writer.write({
      columnData: columns.map((column) => dataOf(column, table.columns.indexOf(column.name), rows)),
      rowGroupSize: rowsPerGroup,
    });
    yield* piecesOf(bytes);
  }
  await writer.finish();
  yield* piecesOf(bytes);
}

interface Column {
  readonly name: string;
  readonly type: keyof typeof elementOf;
  readonly isOptional?: true;
}

const optional = (name: string): Column => ({ name, type: "text", isOptional: true });
const text = (name: string): Column => ({ name, type: "text" });
const integer = (name: string): Column => ({ name, type: "integer" });
const time = (name: string): Column => ({ name, type: "time" });

const columnsOf: Readonly<Partial<Record<LineKind, readonly Column[]>>> = {
  event: [
    ...[text("id"), text("event"), optional("user_id"), optional("session_id")],
    ...[time("timestamp"), text("date"), optional("country"), optional("properties")],
  ],
  session: [
    ...[text("session_id"), optional("user_id"), time("start_time"), time("end_time")],
    ...[integer("duration"), optional("entry_page"), optional("exit_page")],
    ...[integer("event_count"), integer("is_bounce"), text("date")],
  ],
};

const elementOf = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  integer: { type: "INT64" },
  time: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
} as const;

const schemaOf = (columns: readonly Column[]) => [
  { name: "root", num_children: columns.length },
  ...columns.map(({ name, type, isOptional }) => ({
    ...{ name, ...elementOf[type] },
    repetition_type: isOptional ? ("OPTIONAL" as const) : ("REQUIRED" as const),
  })),
];

function dataOf({ name, type }: Column, at: number, rows: readonly Row[]) {
  const cells = rows.map((row) => row[at]);
  const data =
    type === "integer"
      ? cells.map((cell) => BigInt(Number(cell)))
      : cells.map((cell) => (cell instanceof JsonText ? cell.json : cell));
  // The least and the largest value of each row group stay in memory until the end. Readers skip row groups by these.
  return { name, data, offsetIndex: false, statistics: type !== "text" || filtered.has(name) };
}
const filtered: ReadonlySet<string> = new Set(["id", "date", "event", "country"]);

/** Gathers pieces into the rows of row groups. */
async function* groupsOf(pieces: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  let rows: Row[] = [];
  let chars = 0;
  for await (const piece of pieces) {
    for (const row of piece) {
      rows.push(row);
      for (const cell of row) if (cell instanceof JsonText) chars += cell.json.length;
      if (rows.length < rowsPerGroup && chars <= groupTextCharsMax) continue;
      yield rows;
      rows = [];
      chars = 0;
    }
  }
  if (rows.length > 0) yield rows;
}

/** Hands over what was written, and makes room for the next row group in the same buffer. */
function* piecesOf(written: ByteWriter): Generator<Uint8Array<ArrayBuffer>> {
  const bytes = written.getBytes();
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield bytes.slice(at, at + pieceBytes);
  written.index = 0;
}
