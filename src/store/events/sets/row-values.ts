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
  readonly isOfStrings?: true;
}

/** A column of a segment. In the combined codes its codes follow those of the columns before it. */
interface Part {
  readonly name: string;
  /** One code for each visit if `isOfVisits`; else one for each row. */
  readonly stored: Integers;
  readonly isOfVisits: boolean;
  /** The number of codes of the columns before it. */
  readonly before: number;
  /** The number of each code's value; 0 for none. */
  readonly numbers: Uint32Array;
}

/**
 * The values of a segment's rows. If there are several columns, a row has the value of the first column in which it has
 * one. Each text of the segment is read once. Columns after a column with a value in every row are not read.
 */
export class RowValues {
  /** The number of each code's value; 0 for none. */
  readonly numbers: Uint32Array;
  private readonly parts: readonly Part[];
  private combined: Integers | null = null;

  constructor(
    private readonly segment: Segment,
    columns: readonly ValueColumn[],
    private readonly budget: Budget,
  ) {
    const parts: Part[] = [];
    let size = 1;
    for (const column of columns) {
      const { name } = column;
      const ofVisits = segment.visitCodes(name);
      const stored = ofVisits ?? segment.codes(name);
      if (stored === null) continue;
      const numbers = readTexts(segment.texts(name), column, budget);
      parts.push({ name, stored, isOfVisits: ofVisits !== null, before: size - 1, numbers });
      size += numbers.length - 1;
      // If every row has a value in this column, the columns after it change nothing.
      if (!stored.includes(0) && !numbers.includes(0, 1)) break;
    }
    this.parts = parts;
    this.numbers = parts.length === 1 ? parts[0].numbers : new Uint32Array(size);
    if (parts.length > 1) {
      for (const { before, numbers } of parts) this.numbers.set(numbers.subarray(1), before + 1);
    }
  }

  /** Returns one code for each row; null if all are 0. */
  get codes(): Integers | null {
    if (this.parts.length === 0) return null;
    if (this.parts.length === 1) return this.codesOf(this.parts[0]);
    this.combined ??= this.combine();
    return this.combined;
  }
  private codesOf({ name, stored, isOfVisits }: Part): Integers {
    return isOfVisits ? this.segment.codes(name)! : stored;
  }

  /** Goes from the last column to the first, so that a value of an earlier column replaces those of later ones. */
  private combine(): Integers {
    const { parts, budget } = this;
    const last = parts[parts.length - 1];
    const codes = narrowestOf(this.numbers.length, this.segment.eventCount);
    for (const part of parts.toReversed()) {
      budget.check();
      const own = this.codesOf(part);
      // Code 0 leaves the code of a later column.
      const shift = this.combinedCodes(part, part === last);
      if (part === last) for (let row = 0; row < own.length; row++) codes[row] = shift[own[row]];
      else for (let row = 0; row < own.length; row++) codes[row] = shift[own[row]] || codes[row];
    }
    return codes;
  }

  /** Returns the combined code of each code of a column; 0 if the columns after it decide. */
  private combinedCodes({ numbers, before }: Part, isLast: boolean): Uint32Array {
    return Uint32Array.from(numbers, (number, code) =>
      code > 0 && (isLast || number !== 0) ? before + code : 0,
    );
  }
}

/** Returns for each code the number of the value that its text stands for; 0 for none. */
export function readTexts(
  { bytes, starts, kinds, length }: Texts,
  { read, isOfStrings }: Omit<ValueColumn, "name">,
  budget: Budget,
): Uint32Array {
  const numbers = new Uint32Array(length + 1);
  budget.each(length, (index) => {
    if (kinds[index] === noText || (isOfStrings === true && kinds[index] !== stringText)) return;
    numbers[index + 1] = read(bytes, starts[index], starts[index + 1]);
  });
  return numbers;
}

/** Returns zeros in an array of the narrowest type for numbers below a size. */
function narrowestOf(size: number, length: number): Integers {
  if (size <= 1 << 8) return new Uint8Array(length);
  return size <= 1 << 16 ? new Uint16Array(length) : new Uint32Array(length);
}
