import type { BuiltColumn, SegmentInfo } from "./column";

export interface BuiltSegment {
  readonly info: Omit<SegmentInfo, "id" | "overlap">;
  readonly columns: ReadonlyMap<string, BuiltColumn>;
  /** The text of a segment of rows, which has no columns; else null. */
  readonly rows: string | null;
}

/** Returns the values of a dictionary as JSON; null if the column has none. */
export const dictionaryOf = ({ texts, lines }: BuiltColumn): string | null =>
  lines ?? (texts === undefined ? null : `[${texts.join(",")}]`);
