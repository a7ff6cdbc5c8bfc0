import { membersOf, parseString } from "../../shared/json-text";
import type { Column } from "./column";
import { DictionaryBuilder } from "./dictionary";

/** This name differs from that of every property's column, which begins with "property.". */
export const overflowColumn = "overflow";

/**
 * The properties of a segment that have no column of their own: one line of JSON for each event with such properties,
 * in order of rows. A key has either a column or values in these lines, never both. A search for a key goes through the
 * text, and parses only the lines in which the key occurs.
 */
export class Overflow {
  private readonly text: string;
  private readonly lineStarts: Uint32Array;
  private readonly rowOfLine: Uint32Array;
  private readonly lineOfRow: Uint32Array;

  /** `codes` mark the rows that have a line. */
  constructor(
    { dictionary, codes }: Column,
    private readonly eventCount: number,
  ) {
    this.text = dictionary![0] as string;
    let lines = 0;
    for (let row = 0; row < eventCount; row++) lines += codes![row];
    this.lineStarts = new Uint32Array(lines + 1);
    this.rowOfLine = new Uint32Array(lines);
    this.lineOfRow = new Uint32Array(eventCount);
    for (let row = 0, line = 0, at = 0; row < eventCount; row++) {
      if (codes![row] === 0) continue;
      this.rowOfLine[line] = row;
      this.lineOfRow[row] = line;
      const end = this.text.indexOf("\n", at);
      at = end < 0 ? this.text.length + 1 : end + 1;
      this.lineStarts[++line] = at;
    }
  }
  get byteLength(): number {
    const { text, lineStarts, rowOfLine, lineOfRow } = this;
    // The runtime stores a text of ASCII in one byte per character, and any other text in two.
    const isAscii = Buffer.byteLength(text) === text.length;
    const textBytes = isAscii ? text.length : 2 * text.length;
    return textBytes + lineStarts.byteLength + rowOfLine.byteLength + lineOfRow.byteLength;
  }

  /** Returns the keys and values of an event in their order, as JSON texts. The row must have a line. */
  membersAt(row: number): (readonly [key: string, value: string])[] {
    return membersOf(this.textAt(row));
  }
  /** Returns the line of an event, which is a JSON object. The row must have one. */
  textAt(row: number): string {
    return this.line(this.lineOfRow[row]);
  }

  forEachLine(take: (row: number, line: string) => void): void {
    for (let line = 0; line < this.rowOfLine.length; line++) {
      take(this.rowOfLine[line], this.line(line));
    }
  }

  /** Tells whether any event has the key, given as JSON text. */
  has(keyText: string): boolean {
    return !this.values(keyText).next().done;
  }

  /** Returns all values of a key as a dictionary column; null if no event has the key. */
  column(key: string): Column | null {
    const values = new DictionaryBuilder();
    let codes: Uint32Array | null = null;
    for (const [row, value] of this.values(JSON.stringify(key))) {
      codes ??= new Uint32Array(this.eventCount);
      codes[row] = values.code(value);
    }
    return codes && { dictionary: JSON.parse(`[${values.texts.join(",")}]`), codes };
  }

  keys(): string[] {
    const keys = new Set<string>();
    for (let line = 0; line < this.rowOfLine.length; line++) {
      for (const [key] of membersOf(this.line(line))) keys.add(key);
    }
    return Array.from(keys, parseString);
  }

  private *values(keyText: string): Generator<readonly [row: number, value: string]> {
    const needle = `${keyText}:`;
    for (let at = this.text.indexOf(needle); at >= 0; at = this.text.indexOf(needle, at)) {
      const line = this.lineAt(at);
      // The match may be a key of a nested object.
      const member = membersOf(this.line(line)).find(([key]) => key === keyText);
      if (member !== undefined) yield [this.rowOfLine[line], member[1]];
      at = this.lineStarts[line + 1];
    }
  }
  private line(line: number): string {
    return this.text.slice(this.lineStarts[line], this.lineStarts[line + 1] - 1);
  }
  private lineAt(position: number): number {
    const { lineStarts } = this;
    let low = 0;
    let high = this.rowOfLine.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (lineStarts[middle] <= position) low = middle;
      else high = middle;
    }
    return low;
  }
}
