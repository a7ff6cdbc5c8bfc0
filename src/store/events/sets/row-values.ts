import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { noText, stringText, type Texts } from "../segment/texts";
import type { Budget } from "./budget";

/** Returns the number of the value that a text stands for, or 0 if it stands for none. */
export type Reading = (bytes: Uint8Array, from: number, to: number) => number;

export interface ValueColumn {
  readonly name: string;
  readonly read: Reading;
  /** Present if only strings are values, not numbers, objects and the like. */
  readonly isOfStrings?: true | undefined;
  /** The numbers of texts that were read before. */
  readonly known: WeakMap<Texts, Uint32Array>;
}

/** A column that a segment has; its codes follow those of the columns before it. */
interface Part {
  /** One for each row. */
  readonly codes: Integers;
  readonly before: number;
  /** The number of each code's value; 0 for none. */
  readonly numbers: Uint32Array;
}

/**
 * The values of a segment's rows: of one column, or of the first of several that has a value in the row. Each text of
 * the segment is read once, and no column after one in which every row has a value.
 */
export class RowValues {
  /** The number of each code's value; 0 for none. */
  readonly numbers: Uint32Array;
  private readonly parts: readonly Part[];

  constructor(segment: Segment, columns: readonly ValueColumn[], budget: Budget) {
    const parts: Part[] = [];
    let size = 1;
    for (const column of columns) {
      const codes = segment.codes(column.name);
      if (codes === null) continue;
      const numbers = readTexts(segment.texts(column.name), column, budget);
      parts.push({ codes, before: size - 1, numbers });
      size += numbers.length - 1;
      if (!codes.includes(0) && !numbers.includes(0, 1)) break;
    }
    this.parts = parts;
    this.numbers = parts.length === 1 ? parts[0].numbers : new Uint32Array(size);
    if (parts.length > 1) {
      for (const { before, numbers } of parts) this.numbers.set(numbers.subarray(1), before + 1);
    }
  }

  /** Returns the code of a row's value; 0 if it has none. */
  codeAt(row: number): number {
    for (const { codes, before, numbers } of this.parts) {
      const code = codes[row];
      if (numbers[code] !== 0) return before + code;
    }
    return 0;
  }
}

/** Returns for each code the number of the value that its text stands for; 0 for none. It reads each list once. */
export function readTexts(
  texts: Texts,
  { read, isOfStrings, known }: Omit<ValueColumn, "name">,
  budget: Budget,
): Uint32Array {
  const before = known.get(texts);
  if (before !== undefined) return before;
  const { bytes, starts, kinds, length } = texts;
  const numbers = new Uint32Array(length + 1);
  budget.each(length, (index) => {
    if (kinds[index] === noText || (isOfStrings === true && kinds[index] !== stringText)) return;
    numbers[index + 1] = read(bytes, starts[index], starts[index + 1]);
  });
  known.set(texts, numbers);
  return numbers;
}
