/*
 * A `;` in front of a formula is escaped.
 * Decision: where `=`, `+`, `-` or `@` follows a `;`, the `;` becomes `\u{3B}` in a text, and `\u003b` in JSON.
 * Because: where a comma separates decimals, spreadsheets split lines at `;`, and quotes in the middle of such a cell
 * do not hold it together: a visitor's text could begin a cell of its own there, and run in it.
 * Cost: `;-)` is shown as `\u{3B}-)`. Both forms lead back to the text, as an apostrophe in the middle would not.
 */

import { visibleJson, visibleText } from "./visible-text";

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/**
 * RFC 4180, with a header line. Objects and lists are JSON. Texts have no hidden characters, line breaks included, so
 * a row is a line; one that a spreadsheet would run as a formula gets an apostrophe. Null is an empty cell, the empty
 * text is `""`.
 */
export function* csvLines({ columns, rows }: Table): Generator<string> {
  yield csvLine(columns);
  for (const row of rows) yield csvLine(columns.map((name) => row[name]));
}

/** One line of it. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(",")}\r\n`;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value === "") return '""';
  if (typeof value !== "string" && typeof value !== "object") return String(value);
  const text = typeof value === "string" ? value : jsonCell(visibleJson(value));
  const shown = visibleText(text).replace(splitting, "\\u{3B}");
  const safe = formula.test(text) ? `'${shown}` : shown;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const formula = /^[=+\-@\t\r]/;

/** The end of a cell where `;` separates them, with a formula after it; quotes between are not a part of that. */
const splitting = /;(?="*[=+\-@])/g;

/** The JSON of a cell, as any parser reads it. */
export const jsonCell = (json: string): string => json.replace(splitting, "\\u003b");
