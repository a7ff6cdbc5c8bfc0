import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import { noText, stringText } from "../../segment/texts";
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
  readonly codes: Integers;
  readonly before: number;
  /** By code of the column, the number of its value; 0 for none. */
  readonly found: Uint32Array;
}

/**
 * The values of a segment's rows: of one column, or of the first of several that has a value in the row. Each text of
 * the segment is read once, and no column behind one in which every row has a value.
 */
export class RowValues {
  /** By code, the number of its value; that of no value where it has none, as in rows of code 0. */
  readonly numbers: Uint32Array;
  /** The same, but 0 for none. */
  private readonly found: Uint32Array;
  private readonly parts: readonly Part[];
  private together: Integers | null = null;

  constructor(
    segment: Segment,
    columns: readonly ValueColumn[],
    private readonly budget: Budget,
    /** The number of no value. */
    otherwise = 0,
  ) {
    const parts: Part[] = [];
    let size = 1;
    for (const column of columns) {
      const codes = segment.codes(column.name);
      if (codes === null) continue;
      const found = readTexts(segment, column, budget);
      parts.push({ codes, before: size - 1, found });
      size += found.length - 1;
      // Only the last one is asked: in none before it every row had a value.
      if (!codes.includes(0) && !found.includes(0, 1)) break;
    }
    this.parts = parts;
    this.found = parts.length === 1 ? parts[0].found : new Uint32Array(size);
    if (parts.length > 1) {
      for (const { before, found } of parts) this.found.set(found.subarray(1), before + 1);
    }
    this.numbers = otherwise === 0 ? this.found : this.found.map((number) => number || otherwise);
  }

  /** Of what is made for these rows alone. */
  get byteLength(): number {
    const { numbers, found, together } = this;
    const own = numbers === found ? 0 : numbers.byteLength;
    return found.byteLength + own + (together?.byteLength ?? 0);
  }
  /** Below this. */
  get size(): number {
    return this.numbers.length;
  }
  get hasAny(): boolean {
    return this.found.some((number) => number !== 0);
  }
  /** One for each row; null when all are 0. */
  get codes(): Integers | null {
    if (this.parts.length === 0) return null;
    if (this.parts.length === 1) return this.parts[0].codes;
    this.together ??= this.putTogether();
    return this.together;
  }

  /** From the last column to the first, which has the last word. */
  private putTogether(): Integers {
    const { parts, budget, size } = this;
    const last = parts[parts.length - 1];
    const codes = narrowestOf(size, last.codes.length);
    for (const part of parts.toReversed()) {
      budget.check();
      const { codes: own, before } = part;
      // By code, what stands for it here; 0 leaves what stands there.
      const shift = Uint32Array.from(part.found, (number, code) =>
        code > 0 && (part === last || number !== 0) ? before + code : 0,
      );
      if (part === last) for (let row = 0; row < own.length; row++) codes[row] = shift[own[row]];
      else for (let row = 0; row < own.length; row++) codes[row] = shift[own[row]] || codes[row];
    }
    return codes;
  }
}

function readTexts(
  segment: Segment,
  { name, read, isOfStrings }: ValueColumn,
  budget: Budget,
): Uint32Array {
  const { bytes, starts, kinds, length } = segment.texts(name);
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
