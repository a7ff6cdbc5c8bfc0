import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import { noText, stringText, type Texts } from "../../segment/texts";
import type { Budget } from "../budget";

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

/** The values of rows that their visits tell. */
export interface VisitLayer {
  /** One for each visit: that of all its rows, but where it is 0 and `rows` is not null. */
  readonly codes: Integers;
  /** One for each row of another column, and by it the code; null where visits say all. */
  readonly rows: Integers | null;
  readonly codeOf: Uint32Array | null;
}

/** The values of a segment's rows, as codes. */
export interface CodedRows {
  /** The number of each code's value. */
  readonly numbers: Uint32Array;
  /** All codes are below this. */
  readonly size: number;
  /** One for each row; null when all are 0. */
  readonly codes: Integers | null;
  /** The values by visit; null where they are told by row. */
  readonly ofVisits: VisitLayer | null;
  readonly byteLength: number;
}

/**
 * The values of a segment's rows: of one column, or of the first of several that has a value in the row. Each text of
 * the segment is read once, and no column behind one in which every row has a value.
 */
export class RowValues implements CodedRows {
  /** The number of each code's value; that of no value where it has none, as in rows of code 0. */
  readonly numbers: Uint32Array;
  /** The number of each code's value, but 0 for none. */
  private readonly found: Uint32Array;
  private readonly parts: readonly Part[];
  private together: Integers | null = null;

  constructor(
    private readonly segment: Segment,
    columns: readonly ValueColumn[],
    private readonly budget: Budget,
    /** The number of no value. */
    otherwise = 0,
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
    this.found = parts.length === 1 ? parts[0].found : new Uint32Array(size);
    if (parts.length > 1) {
      for (const { before, found } of parts) this.found.set(found.subarray(1), before + 1);
    }
    this.numbers = otherwise === 0 ? this.found : this.found.map((number) => number || otherwise);
  }

  /** The bytes of what is made for these rows alone. */
  get byteLength(): number {
    const { numbers, found, together } = this;
    const own = numbers === found ? 0 : numbers.byteLength;
    return found.byteLength + own + (together?.byteLength ?? 0);
  }
  /** All numbers are below this. */
  get size(): number {
    return this.numbers.length;
  }
  get hasAny(): boolean {
    return this.found.some((number) => number !== 0);
  }
  /** One for each row; null when all are 0. */
  get codes(): Integers | null {
    if (this.parts.length === 0) return null;
    if (this.parts.length === 1) return this.codesOf(this.parts[0]);
    this.together ??= this.putTogether();
    return this.together;
  }
  /** The values by visit; null where they are told by row. */
  get ofVisits(): VisitLayer | null {
    const [first, second, ...others] = this.parts;
    if (first?.isOfVisits !== true || others.length > 0) return null;
    if (second === undefined) return { codes: first.stored, rows: null, codeOf: null };
    const codeOf = this.codesIn(second, true);
    const shift = this.codesIn(first, false);
    const codes = narrowestOf(this.size, first.stored.length);
    for (let visit = 0; visit < codes.length; visit++) codes[visit] = shift[first.stored[visit]];
    return { codes, rows: this.codesOf(second), codeOf };
  }
  private codesOf({ name, stored, isOfVisits }: Part): Integers {
    return isOfVisits ? this.segment.codes(name)! : stored;
  }

  /** Reads the columns from the last to the first, which decides. */
  private putTogether(): Integers {
    const { parts, budget, size } = this;
    const last = parts[parts.length - 1];
    const codes = narrowestOf(size, this.segment.eventCount);
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
export function narrowestOf(size: number, length: number): Integers {
  if (size <= 1 << 8) return new Uint8Array(length);
  return size <= 1 << 16 ? new Uint16Array(length) : new Uint32Array(length);
}
