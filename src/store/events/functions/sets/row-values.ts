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
}

/**
 * The values of a segment's rows: of one column, or of the first of several that has a value in the row. Each text of
 * the segment is read once.
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
    const there = columns.flatMap((column) => {
      const codes = segment.codes(column.name);
      return codes === null ? [] : [{ column, codes, texts: segment.texts(column.name) }];
    });
    const size = there.reduce((sum, { texts }) => sum + texts.length, 1);
    this.found = new Uint32Array(size);
    let before = 0;
    this.parts = there.map(({ column, codes, texts: { bytes, starts, kinds, length } }) => {
      const part = { codes, before };
      const { read, isOfStrings = false } = column;
      budget.each(length, (index) => {
        if (kinds[index] === noText || (isOfStrings && kinds[index] !== stringText)) return;
        this.found[part.before + index + 1] = read(bytes, starts[index], starts[index + 1]);
      });
      before += length;
      return part;
    });
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
    const [first, ...more] = this.parts;
    if (more.length === 0 || this.isComplete(first)) return first.codes;
    this.together ??= this.putTogether();
    return this.together;
  }

  /** Whether every row has a value in the first column: then no other is looked at. */
  private isComplete({ codes }: Part): boolean {
    const end = this.parts[1].before + 1;
    return !codes.includes(0) && !this.found.subarray(1, end).includes(0);
  }

  /** From the last column to the first, which has the last word. */
  private putTogether(): Uint32Array {
    const { found, parts, budget } = this;
    const codes = new Uint32Array(parts[0].codes.length);
    for (const { codes: own, before } of parts.toReversed()) {
      budget.check();
      const isLast = before === parts[parts.length - 1].before;
      for (let row = 0; row < own.length; row++) {
        const code = own[row];
        if (code !== 0 && (isLast || found[before + code] !== 0)) codes[row] = before + code;
      }
    }
    return codes;
  }
}
