import type { BuiltColumn, SegmentInfo } from "./column";

export interface BuiltSegment {
  readonly info: Omit<SegmentInfo, "id" | "overlap">;
  readonly columns: ReadonlyMap<string, BuiltColumn>;
  /** The text of a segment of rows, in place of columns. */
  readonly rows: string | null;
}

/** The values of a dictionary as JSON; null when the column has none. */
export const dictionaryOf = ({ texts, lines }: BuiltColumn): string | null =>
  lines ?? (texts === undefined ? null : `[${texts.join(",")}]`);
