import { textOf } from "../../../domain/filter";
import type { Segment } from "./segment";
import { storedCounts } from "./stored-counts";

/** The strings of more values would take more than their texts, and are not kept. */
const stringsMax = 4_096;

/**
 * Texts one by one. A large dictionary makes strings of those alone that are asked for. `isAlone` says that the codes
 * of the column are probably not read: then its dictionary is read without them, where the segment allows it.
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
