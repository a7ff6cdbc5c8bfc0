import { lowerBound } from "../../../lib/sorted";
import type { Integers } from "./codec";
import type { ShapeKey } from "./column";
import type { Overflow } from "./overflow";

/** A column with more values has mostly some that do not come again: their texts are not kept. */
const keptTextsMax = 4_096;

/** A property of the events of a shape; null for the next one of the overflow. */
type Part = PropertyColumn | null;

/** What is looked up in a segment. */
interface Columns {
  codes(name: string): Integers | null;
  /** One for each visit, where all its events have the same in each; else null. */
  visitCodes(name: string): Integers | null;
  readonly firstRows: Uint32Array;
  dictionary(name: string): readonly unknown[];
  readonly overflow: Overflow | null;
}

/** Returns the visit of a row, for reads that ask for few. */
export const visitOf = (row: number, firstRows: Uint32Array): number =>
  lowerBound(row + 1, firstRows) - 1;

/** Properties of a segment's events as JSON text. What a shape and a column need is looked up once. */
export class PropertyTexts {
  private readonly partsOfShape: (readonly Part[] | undefined)[] = [];
  /** The columns of properties that come first in a shape, and of those that follow another property. */
  private readonly firstColumns = new Map<string, PropertyColumn>();
  private readonly furtherColumns = new Map<string, PropertyColumn>();
  private readonly shapeCodes: Integers | null;
  private readonly shapes: readonly (readonly ShapeKey[])[];
  private readonly firstRows: Uint32Array;
  /** The visit of the row that was last added: whoever goes row by row stays in it for a while. */
  private visit = 0;

  constructor(private readonly segment: Columns) {
    this.shapeCodes = segment.codes("event.shape");
    this.shapes = segment.dictionary("event.shape") as readonly (readonly ShapeKey[])[];
    this.firstRows = segment.firstRows;
  }

  /** Adds the pieces of the text, exactly as sent; null for an event that had none. */
  addAt(row: number, pieces: string[]): void {
    const code = this.shapeCodes === null ? 0 : this.shapeCodes[row];
    if (code === 0) {
      pieces.push("null");
      return;
    }
    this.partsOfShape[code] ??= this.shapes[code - 1].map((key, i) => this.partOf(key, i === 0));
    const parts = this.partsOfShape[code];
    const left = parts.includes(null) ? this.segment.overflow!.membersAt(row) : [];
    const { firstRows } = this;
    if (row < firstRows[this.visit] || row >= firstRows[this.visit + 1])
      this.visit = visitOf(row, firstRows);
    let next = 0;
    if (parts.length === 0) pieces.push("{");
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      if (part === null) pieces.push(i === 0 ? "{" : ",", left[next++].join(":"));
      else part.addAt(row, this.visit, pieces);
    }
    pieces.push("}");
  }

  private partOf(key: ShapeKey, isFirst: boolean): Part {
    if (key === null) return null;
    const columns = isFirst ? this.firstColumns : this.furtherColumns;
    let column = columns.get(key);
    if (column === undefined) {
      column = new PropertyColumn(this.segment, key, isFirst ? "{" : ",");
      columns.set(key, column);
    }
    return column;
  }
}

class PropertyColumn {
  private readonly head: string;
  private readonly values: readonly unknown[];
  private readonly ofVisits: Integers | null;
  /** One for each row, unless visits say all. */
  private readonly codes: Integers;
  private readonly texts: string[] | null;

  constructor(segment: Columns, key: string, before: "{" | ",") {
    const name = `property.${key}`;
    this.head = `${before}${JSON.stringify(key)}:`;
    this.values = segment.dictionary(name);
    this.ofVisits = segment.visitCodes(name);
    this.codes = this.ofVisits ?? segment.codes(name)!;
    this.texts = this.values.length > keptTextsMax ? null : [];
  }

  addAt(row: number, visit: number, pieces: string[]): void {
    const place = this.codes[this.ofVisits === null ? row : visit] - 1;
    if (this.texts === null) pieces.push(this.head, JSON.stringify(this.values[place]));
    else {
      this.texts[place] ??= this.head + JSON.stringify(this.values[place]);
      pieces.push(this.texts[place]);
    }
  }
}
