import { createHash } from "node:crypto";
import { wireJson } from "../../lib/wire-json";
import { JsonText, type Row, type Table } from "./table";

/** What the first line says of the file. */
export interface Head {
  readonly project: string;
  readonly timezone: string;
  readonly exported_at: number;
  /** The earliest event that retention has deleted, if it has: with it days are shown elsewhere as they are here. */
  readonly first_deleted_at?: number;
}

/** The version of the lines. It grows when an older reader would misunderstand them. */
const version = 1;

/**
 * JSON lines of some tables, between a first line that says what they are of and a last one that says that they are
 * complete.
 */
export async function* jsonLines(
  head: Head,
  tables: readonly Table[],
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const digest = createHash("sha256");
  const hashed = (text: string): Uint8Array<ArrayBuffer> => {
    const bytes = encoder.encode(wireJson(text));
    digest.update(bytes);
    return bytes;
  };
  yield hashed(line({ kind: "sightline", version, ...head }));
  let count = 0;
  let lastId: Row[number] = null;
  for (const { kind, columns, rows } of tables) {
    const lineOf = lineMaker(kind, columns);
    for await (const piece of rows()) {
      count += piece.length;
      if (kind === "event") lastId = piece.at(-1)?.[0] ?? lastId;
      yield hashed(piece.map(lineOf).join(""));
    }
  }
  const end = { kind: "end", count, last_id: lastId, sha256: digest.digest("hex") };
  yield encoder.encode(line(end));
}

const encoder = new TextEncoder();
const line = (value: object): string => `${JSON.stringify(value)}\n`;

function lineMaker(kind: string, columns: readonly string[]): (row: Row) => string {
  const heads = columns.map((column) => `,${JSON.stringify(column)}:`);
  const start = `{"kind":${JSON.stringify(kind)}`;
  return (row) =>
    `${row.reduce<string>((text, cell, at) => text + heads[at] + jsonOf(cell), start)}}\n`;
}

const jsonOf = (cell: Row[number]): string =>
  cell instanceof JsonText ? cell.json : JSON.stringify(cell);
