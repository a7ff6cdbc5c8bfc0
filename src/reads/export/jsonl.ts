import { createHash } from "node:crypto";
import { wireJson } from "../../lib/wire-json";
import { JsonText, type Row, type Table } from "./table";

/** The fields of the first line, which describe the file. */
export interface Head {
  readonly project: string;
  readonly timezone: string;
  readonly exported_at: number;
  /** The earliest event, if it is deleted: with it days are shown elsewhere as they are here. */
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
  const sum = new LineSum();
  yield sum.add(bytesOf(headLine(head)));
  let lastId: Row[number] = null;
  for (const table of tables) {
    for await (const { text, rows } of linesOf(table)) {
      if (table.kind === "event") lastId = rows.at(-1)?.[0] ?? lastId;
      yield sum.add(bytesOf(text), rows.length);
    }
  }
  yield sum.endLine(lastId);
}

export const headLine = (head: Head): string => line({ kind: "sightline", version, ...head });

/** The lines of a table in pieces. */
export async function* linesOf({
  kind,
  columns,
  rows,
}: Table): AsyncGenerator<{ readonly text: string; readonly rows: readonly Row[] }> {
  const lineOf = lineMaker(kind, columns);
  for await (const piece of rows()) yield { text: piece.map(lineOf).join(""), rows: piece };
}

/** Adds up what the last line says of the lines before it. */
export class LineSum {
  readonly #digest = createHash("sha256");
  #count = 0;

  /** Returns the bytes. The first line of a file is not counted. */
  add<Bytes extends Uint8Array>(bytes: Bytes, lines = 0): Bytes {
    this.#digest.update(bytes);
    this.#count += lines;
    return bytes;
  }
  endLine(lastId: Row[number]): Uint8Array<ArrayBuffer> {
    const sha256 = this.#digest.digest("hex");
    return bytesOf(line({ kind: "end", count: this.#count, last_id: lastId, sha256 }));
  }
}

/** The bytes of a line, in which nothing is hidden. */
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(wireJson(text));

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
