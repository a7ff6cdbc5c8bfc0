import { inertText, storedText } from "../lib/inert-text";
import { readableText } from "../lib/readable-text";

/** Texts of a result as people read them, by the text of the cell, which is the one that filters take. */
export type Labels = Readonly<Record<string, string>>;

/** Returns a percent-encoded address with its letters, safe to be shown; null for any other text. */
export function labelOf(shown: string): string | null {
  const stored = storedText(shown);
  const readable = readableText(stored);
  return readable === stored ? null : inertText(readable);
}

interface Rows {
  readonly rows: readonly (readonly unknown[])[];
}

/** The labels of all texts in the cells of these tables. */
export function labelsOf(tables: Iterable<Rows>): Labels {
  const labels: Record<string, string> = {};
  for (const { rows } of tables) {
    for (const cell of rows.flat()) {
      const label = typeof cell === "string" ? labelOf(cell) : null;
      if (label !== null) labels[String(cell)] = label;
    }
  }
  return labels;
}
