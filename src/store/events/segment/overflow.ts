import { membersOf, parseString } from "../../shared/json-text";
import type { Column } from "./column";
import { DictionaryBuilder } from "./dictionary";

/** Its name cannot be that of a property's column: those begin with "property.". */
export const overflowColumn = "overflow";

/**
 * The properties of a segment that have no column of their own: one line of JSON per event that has such, in order of
 * rows. A key is either a column or in here, never both. Lines are searched as text, and looked into only where the key
 * occurs.
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
    // The engine keeps a text of ASCII in a byte per character, any other in two.
    const isAscii = Buffer.byteLength(text) === text.length;
    const textBytes = isAscii ? text.length : 2 * text.length;
    return textBytes + lineStarts.byteLength + rowOfLine.byteLength + lineOfRow.byteLength;
  }

  /** Keys and values of an event in their order, as JSON texts. Only for a row that has some. */
  membersAt(row: number): (readonly [key: string, value: string])[] {
    return membersOf(this.textAt(row));
  }
  /** Keys and values of an event as one JSON object. */
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

  /** All values of a key as a dictionary column; null when no event has it. */
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
      // What was found may be a key further inside.
      const member = membersOf(this.line(line)).find(([found]) => found === keyText);
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
