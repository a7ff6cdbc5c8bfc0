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
  const text = typeof value === "string" ? value : visibleJson(value);
  const shown = visibleText(text);
  const safe = formula.test(text) ? `'${shown}` : shown;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const formula = /^[=+\-@\t\r]/;
