/**
 * Numbers distinct values 1, 2, … in order of first use. It compares their JSON as JSON.stringify writes it, as equal
 * values have equal texts, whatever their type.
 */
export class DictionaryBuilder {
  readonly texts: string[] = [];
  private readonly codes = new Map<string, number>();

  code(text: string): number {
    const existing = this.codes.get(text);
    if (existing !== undefined) return existing;
    const code = this.texts.push(text);
    this.codes.set(text, code);
    return code;
  }

  /** Returns for each code of another dictionary the code of the same value in this one. */
  translate(values: readonly unknown[]): Uint32Array {
    const codes = new Uint32Array(values.length + 1);
    for (let i = 0; i < values.length; i++) codes[i + 1] = this.code(JSON.stringify(values[i]));
    return codes;
  }
}

/** A dictionary column before it is encoded, with its values as JSON texts. Code 0 means no value. */
export interface CodedTexts {
  readonly texts: readonly string[];
  readonly codes: Uint32Array;
  /** The fingerprint of the codes: columns with different ones are different. */
  readonly fingerprint: number;
}

/** A column with memory for a code in each row. */
export class DenseColumn {
  readonly dictionary = new DictionaryBuilder();
  readonly codes: Uint32Array;
  constructor(capacity: number) {
    this.codes = new Uint32Array(capacity);
  }
  set(row: number, text: string): void {
    this.codes[row] = this.dictionary.code(text);
  }
  textAt(row: number): string | null {
    return this.dictionary.texts[this.codes[row] - 1] ?? null;
  }
}

/** A column with memory only for the rows that have a value: a segment may have hundreds of nearly empty columns. */
export class SparseColumn {
  readonly dictionary = new DictionaryBuilder();
  private rows = new Uint32Array(64);
  private codes = new Uint32Array(64);
  private used = 0;

  set(row: number, text: string): void {
    this.setCode(row, this.dictionary.code(text));
  }
  setCode(row: number, code: number): void {
    if (this.used === this.rows.length) {
      this.rows = enlarged(this.rows);
      this.codes = enlarged(this.codes);
    }
    this.rows[this.used] = row;
    this.codes[this.used++] = code;
  }
  /** Returns a code for each row. Callers use the result for one column at a time, as it is large. */
  denseCodes(rowCount: number): Uint32Array {
    const dense = new Uint32Array(rowCount);
    for (let i = 0; i < this.used; i++) dense[this.rows[i]] = this.codes[i];
    return dense;
  }
}

/** Returns a column's codes in an order of rows, renumbered by first use and without the values that no row has. */
export function inOrder(
  texts: readonly string[],
  codes: Uint32Array,
  order: Uint32Array,
): CodedTexts {
  const renumber = new Uint32Array(texts.length + 1);
  const used: string[] = [];
  const ordered = new Uint32Array(order.length);
  let fingerprint = 0;
  for (let i = 0; i < order.length; i++) {
    const code = codes[order[i]];
    if (code === 0) continue;
    if (renumber[code] === 0) renumber[code] = used.push(texts[code - 1]);
    ordered[i] = renumber[code];
    fingerprint = (Math.imul(fingerprint, 31) + i + ordered[i]) | 0;
  }
  return { texts: used, codes: ordered, fingerprint };
}

function enlarged(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 4);
  larger.set(array);
  return larger;
}
