import { csvLine, jsonCell } from "../../lib/csv";
import { visibleJsonText } from "../../lib/visible-text";
import { JsonText, type Row, type Table } from "../../reads/export/table";

/** One table as CSV for spreadsheets, in which everything is visible and nothing runs as a formula (lib/csv.ts). */
export async function* csvFile({ columns, rows }: Table): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield encoder.encode(csvLine(columns));
  for await (const piece of rows()) yield encoder.encode(piece.map(lineOf).join(""));
}

const encoder = new TextEncoder();

const lineOf = (row: Row): string =>
  csvLine(
    row.map((cell) => (cell instanceof JsonText ? jsonCell(visibleJsonText(cell.json)) : cell)),
  );
