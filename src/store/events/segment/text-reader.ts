import { textOf } from "../../../domain/filter";
import type { Segment } from "./segment";
import { storedCounts } from "./stored-counts";

/** If a column has more values, it stays bytes: strings of them would take more memory. */
const stringsMax = 4_096;

/**
 * Reads the texts of a column one by one. It makes strings of a large dictionary only when a caller reads them. If
 * `isAlone`, the caller probably needs no codes, so the dictionary is loaded without them where the segment allows it.
 */
export function textReader(
  segment: Segment,
  column: string,
  isAlone: boolean,
): { readonly length: number; readonly textAt: (index: number) => string | null } {
  const counts = isAlone ? storedCounts(segment, column) : null;
  const isLarge = counts === null ? segment.isDictionaryApart(column) : counts.length > stringsMax;
  if (isLarge) {
    const texts = segment.texts(column);
    return { length: texts.length, textAt: (index) => texts.text(index) };
  }
  const values = counts === null ? segment.dictionary(column) : segment.dictionaryAlone(column);
  return { length: values.length, textAt: (index) => textOf(values[index]) };
}
