import type { Integers } from "./codec";
import type { SegmentInfo } from "./segment";

/** A column as it is built. A dictionary's values are JSON texts; the overflow is one text of lines. */
export interface BuiltColumn {
  readonly texts?: readonly string[];
  readonly lines?: string;
  readonly codes?: Integers;
  readonly sameCodesAs?: string;
}

export interface BuiltSegment {
  readonly info: Omit<SegmentInfo, "id" | "overlap">;
  readonly columns: ReadonlyMap<string, BuiltColumn>;
  /** The text of a segment of rows, in place of columns. */
  readonly rows: string | null;
}

/** The values of a dictionary as JSON; null when the column has none. */
export const dictionaryOf = ({ texts, lines }: BuiltColumn): string | null =>
  lines ?? (texts === undefined ? null : `[${texts.join(",")}]`);
