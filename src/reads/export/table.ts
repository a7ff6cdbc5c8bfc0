/** A value that is JSON already. It is printed as it is: parsed and printed again, keys that are numbers would move. */
export class JsonText {
  constructor(readonly json: string) {}
}

type Cell = string | number | null | JsonText;

/** A list of one kind, in the columns of its rows. */
export interface Table {
  readonly kind: LineKind;
  readonly columns: readonly string[];
  /** The rows in pieces, each with a cell for each column. */
  rows(): AsyncIterable<readonly Row[]>;
}
export type Row = readonly Cell[];

/** The kinds of lines in JSONL between the first and the last one. */
export type LineKind =
  | ("event" | "identity" | "profile" | "context" | "bot_day" | "day" | "session")
  | "person";
