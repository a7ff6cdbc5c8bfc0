import { lowerBound } from "../../../lib/sorted";
import type { Integers } from "./codec";
import type { ShapeKey } from "./column";
import type { Overflow } from "./overflow";

/** If a column has more values, most of them occur once, and their texts are not cached. */
const keptTextsMax = 4_096;

/** A property of a shape; null for the event's next property in the overflow. */
type Part = PropertyColumn | null;

/** The parts of a segment that its properties need. */
interface Columns {
  codes(name: string): Integers | null;
  /** One code for each visit if all its events have the same code; else null. */
  visitCodes(name: string): Integers | null;
  readonly firstRows: Uint32Array;
  dictionary(name: string): readonly unknown[];
  readonly overflow: Overflow | null;
}

/** Returns the visit of a row by a search, for reads of few rows. */
export const visitOf = (row: number, firstRows: Uint32Array): number =>
  lowerBound(row + 1, firstRows) - 1;

/** Writes the properties of a segment's events as JSON text. It looks up each shape and each column once. */
export class PropertyTexts {
  private readonly partsOfShape: (readonly Part[] | undefined)[] = [];
  /** The columns of properties that come first in a shape, and of those that follow another property. */
  private readonly firstColumns = new Map<string, PropertyColumn>();
  private readonly furtherColumns = new Map<string, PropertyColumn>();
  private readonly shapeCodes: Integers | null;
  private readonly shapes: readonly (readonly ShapeKey[])[];
  private readonly firstRows: Uint32Array;
  /** The visit of the last row: the next row of a caller is mostly in the same visit. */
  private visit = 0;

  constructor(private readonly segment: Columns) {
    this.shapeCodes = segment.codes("event.shape");
    this.shapes = segment.dictionary("event.shape") as readonly (readonly ShapeKey[])[];
    this.firstRows = segment.firstRows;
  }

  /** Appends the text of the properties in pieces, exactly as the client sent them; `null` if the event has none. */
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
  /** One code for each visit if `ofVisits` is not null; else one for each row. */
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
