import { parseString } from "../../shared/json-text";

/** Longer keys, and keys that UTF-8 cannot encode, never name a column. No read can ask for longer ones. */
const columnKeyCharsMax = 256;

/** Tells whether a key, given as JSON text, can name a column. JSON writes a lone surrogate as an escape. */
export const canNameColumn = (key: string): boolean =>
  key.length <= columnKeyCharsMax && (!key.includes("\\") || parseString(key).isWellFormed());

/** There are many more marks than columns, so that few keys without a column share a mark with a key that has one. */
const marksCount = 8_192;

/** The keys (as JSON texts) that get a column of their own in a segment. */
export class ColumnKeys {
  private readonly keys: ReadonlySet<string>;
  private readonly marks = new Uint8Array(marksCount);

  constructor(keys: Iterable<string>) {
    this.keys = new Set(keys);
    for (const key of this.keys) this.marks[markOf(key, 0, key.length)] = 1;
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }
  /** Tests a key inside a text without cutting it out: false is certain, true is not. */
  mayHave(text: string, from: number, to: number): boolean {
    return this.marks[markOf(text, from, to)] === 1;
  }
  /** Returns the keys that are not among `keys`. */
  without(keys: readonly string[]): string[] {
    return [...this.keys].filter((key) => !keys.includes(key));
  }
}

/** Makes a mark from the length and a few characters of the key, opening quote included. */
function markOf(text: string, from: number, to: number): number {
  let hash = to - from;
  hash = Math.imul(hash, 31) + text.charCodeAt(from + 1);
  hash = Math.imul(hash, 31) + text.charCodeAt((from + to) >> 1);
  hash = Math.imul(hash, 31) + text.charCodeAt(Math.max(from, to - 3));
  hash = Math.imul(hash, 31) + text.charCodeAt(to - 2);
  return hash & (marksCount - 1);
}
