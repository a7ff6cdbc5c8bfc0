import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { noText, stringText, type Texts } from "../segment/texts";
import type { Budget } from "./budget";

/** Says which value a text stands for: its number, or 0 when it stands for none. */
export type Reading = (bytes: Uint8Array, from: number, to: number) => number;

export interface ValueColumn {
  readonly name: string;
  readonly read: Reading;
  /** Numbers, objects and the like are no values. */
  readonly isOfStrings?: true;
}

/** A column that a segment has; its codes stand behind those of the columns before it. */
interface Part {
  readonly name: string;
  /** One for each visit where that is all there is to say; else one for each row. */
  readonly stored: Integers;
  readonly isOfVisits: boolean;
  readonly before: number;
  /** The number of each code's value; 0 for none. */
  readonly found: Uint32Array;
}

/**
 * The values of a segment's rows: of one column, or of the first of several that has a value in the row. Each text of
 * the segment is read once, and no column behind one in which every row has a value.
 */
export class RowValues {
  /** The number of each code's value; 0 for none. */
  readonly numbers: Uint32Array;
  private readonly parts: readonly Part[];
  private together: Integers | null = null;

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
      const found = readTexts(segment.texts(name), column, budget);
      parts.push({ name, stored, isOfVisits: ofVisits !== null, before: size - 1, found });
      size += found.length - 1;
      // Only the last one is asked: in none before it every row had a value.
      if (!stored.includes(0) && !found.includes(0, 1)) break;
    }
    this.parts = parts;
    this.numbers = parts.length === 1 ? parts[0].found : new Uint32Array(size);
    if (parts.length > 1) {
      for (const { before, found } of parts) this.numbers.set(found.subarray(1), before + 1);
    }
  }

  /** One for each row; null when all are 0. */
  get codes(): Integers | null {
    if (this.parts.length === 0) return null;
    if (this.parts.length === 1) return this.codesOf(this.parts[0]);
    this.together ??= this.putTogether();
    return this.together;
  }
  private codesOf({ name, stored, isOfVisits }: Part): Integers {
    return isOfVisits ? this.segment.codes(name)! : stored;
  }

  /** Reads the columns from the last to the first, which decides. */
  private putTogether(): Integers {
    const { parts, budget } = this;
    const last = parts[parts.length - 1];
    const codes = narrowestOf(this.numbers.length, this.segment.eventCount);
    for (const part of parts.toReversed()) {
      budget.check();
      const own = this.codesOf(part);
      // 0 leaves what stands there.
      const shift = this.codesIn(part, part === last);
      if (part === last) for (let row = 0; row < own.length; row++) codes[row] = shift[own[row]];
      else for (let row = 0; row < own.length; row++) codes[row] = shift[own[row]] || codes[row];
    }
    return codes;
  }

  /** Returns what each code of a column stands for; 0 where the columns behind it are asked. */
  private codesIn({ found, before }: Part, isLast: boolean): Uint32Array {
    return Uint32Array.from(found, (number, code) =>
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
  const found = new Uint32Array(length + 1);
  budget.each(length, (index) => {
    if (kinds[index] === noText || (isOfStrings === true && kinds[index] !== stringText)) return;
    found[index + 1] = read(bytes, starts[index], starts[index + 1]);
  });
  return found;
}

/** Zeros for numbers below a size. */
function narrowestOf(size: number, length: number): Integers {
  if (size <= 1 << 8) return new Uint8Array(length);
  return size <= 1 << 16 ? new Uint16Array(length) : new Uint32Array(length);
}
