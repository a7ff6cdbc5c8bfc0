import type { Column } from "./segment";

/** Numbers distinct values 1, 2, … in order of first use. Objects are told apart by their JSON. */
export class DictionaryBuilder {
  readonly values: unknown[] = [];
  private readonly plain = new Map<unknown, number>();
  private objects: Map<string, number> | null = null;

  code(value: unknown): number {
    if (typeof value === "object") return this.codeOfObject(value);
    const known = this.plain.get(value);
    if (known !== undefined) return known;
    const code = this.values.push(value);
    this.plain.set(value, code);
    return code;
  }

  private codeOfObject(value: unknown): number {
    this.objects ??= new Map();
    const text = JSON.stringify(value);
    const known = this.objects.get(text);
    if (known !== undefined) return known;
    const code = this.values.push(value);
    this.objects.set(text, code);
    return code;
  }
}

/** Codes of a column that every row has a place in. */
export class DenseColumn {
  readonly dictionary = new DictionaryBuilder();
  readonly codes: Uint32Array;
  constructor(capacity: number) {
    this.codes = new Uint32Array(capacity);
  }
  set(row: number, value: unknown): void {
    this.codes[row] = this.dictionary.code(value);
  }
  denseCodes(): Uint32Array {
    return this.codes;
  }
}

/** Codes of a column that few rows may have a value for: hundreds of such columns must not take the room of all rows. */
export class SparseColumn {
  readonly dictionary = new DictionaryBuilder();
  private rows = new Uint32Array(64);
  private codes = new Uint32Array(64);
  private used = 0;

  set(row: number, value: unknown): void {
    this.setCode(row, this.dictionary.code(value));
  }
  setCode(row: number, code: number): void {
    if (this.used === this.rows.length) {
      this.rows = doubled(this.rows);
      this.codes = doubled(this.codes);
    }
    this.rows[this.used] = row;
    this.codes[this.used++] = code;
  }
  /** Made for one column at a time, and let go of. */
  denseCodes(rowCount: number): Uint32Array {
    const dense = new Uint32Array(rowCount);
    for (let i = 0; i < this.used; i++) dense[this.rows[i]] = this.codes[i];
    return dense;
  }
}

/** The column's codes in the given order of rows, renumbered by first use; values that no row has fall away. */
export function inOrder(
  values: readonly unknown[],
  codes: Uint32Array,
  order: Uint32Array,
): Required<Pick<Column, "dictionary" | "codes">> {
  const renumber = new Uint32Array(values.length + 1);
  const dictionary: unknown[] = [];
  const ordered = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i++) {
    const code = codes[order[i]];
    if (code === 0) continue;
    if (renumber[code] === 0) renumber[code] = dictionary.push(values[code - 1]);
    ordered[i] = renumber[code];
  }
  return { dictionary, codes: ordered };
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
