/**
 * Numbers distinct values 1, 2, … in order of first use. A value is its JSON as JSON.stringify writes it: equal values
 * have equal texts, whatever their type.
 */
export class DictionaryBuilder {
  readonly texts: string[] = [];
  private readonly codes = new Map<string, number>();

  code(text: string): number {
    const known = this.codes.get(text);
    if (known !== undefined) return known;
    const code = this.texts.push(text);
    this.codes.set(text, code);
    return code;
  }

  /** Codes of another dictionary in terms of this one: each distinct value is looked up once. */
  translate(values: readonly unknown[]): Uint32Array {
    const codes = new Uint32Array(values.length + 1);
    for (let i = 0; i < values.length; i++) codes[i + 1] = this.code(JSON.stringify(values[i]));
    return codes;
  }
}

/** A dictionary column as it is built: values as texts. Code 0 means that the row has none. */
export interface CodedTexts {
  readonly texts: readonly string[];
  readonly codes: Uint32Array;
  /** The fingerprint of the codes: columns with different ones are different. */
  readonly fingerprint: number;
}

/** Codes of a column that every row has a place in. */
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

/** Codes of a column that few rows may have a value for: hundreds of such must not take the room of all rows. */
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
  /** The codes are made for one column at a time, and released then. */
  denseCodes(rowCount: number): Uint32Array {
    const dense = new Uint32Array(rowCount);
    for (let i = 0; i < this.used; i++) dense[this.rows[i]] = this.codes[i];
    return dense;
  }
}

/** The column's codes in the given order of rows, renumbered by first use; values that no row has fall away. */
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
