import type { Integers } from "./codec";
import type { Segment, ShapeKey } from "./segment";

/** A column with more values has mostly some that do not come again: their texts are not kept. */
const keptTextsMax = 4_096;

/** A property of the events of a shape; null for the next one of the overflow. */
type Part = PropertyColumn | null;

/** Properties of a segment's events as JSON text. What a shape and a column need is looked up once. */
export class PropertyTexts {
  private readonly partsOfShape: (readonly Part[] | undefined)[] = [];
  private readonly columns = new Map<string, PropertyColumn>();
  private readonly shapeCodes: Integers | null;
  private readonly shapes: readonly (readonly ShapeKey[])[];

  constructor(private readonly segment: Segment) {
    this.shapeCodes = segment.codes("event.shape");
    this.shapes = segment.dictionary("event.shape") as readonly (readonly ShapeKey[])[];
  }

  /** Adds the pieces of the text, exactly as sent; null for an event that had none. */
  addAt(row: number, pieces: string[]): void {
    const code = this.shapeCodes === null ? 0 : this.shapeCodes[row];
    if (code === 0) {
      pieces.push("null");
      return;
    }
    this.partsOfShape[code] ??= this.shapes[code - 1].map((key) => this.partOf(key));
    const parts = this.partsOfShape[code];
    const left = parts.includes(null) ? this.segment.overflow!.membersAt(row) : [];
    let next = 0;
    pieces.push("{");
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      if (i > 0) pieces.push(",");
      if (part === null) pieces.push(left[next++].join(":"));
      else part.addAt(row, pieces);
    }
    pieces.push("}");
  }

  private partOf(key: ShapeKey): Part {
    if (key === null) return null;
    let column = this.columns.get(key);
    if (column === undefined) {
      column = new PropertyColumn(this.segment, key);
      this.columns.set(key, column);
    }
    return column;
  }
}

class PropertyColumn {
  private readonly head: string;
  private readonly values: readonly unknown[];
  private readonly codes: Integers;
  private readonly texts: string[] | null;

  constructor(segment: Segment, key: string) {
    const name = `property.${key}`;
    this.head = `${JSON.stringify(key)}:`;
    this.values = segment.dictionary(name);
    this.codes = segment.codes(name)!;
    this.texts = this.values.length > keptTextsMax ? null : [];
  }

  addAt(row: number, pieces: string[]): void {
    const place = this.codes[row] - 1;
    if (this.texts === null) pieces.push(this.head, JSON.stringify(this.values[place]));
    else {
      this.texts[place] ??= this.head + JSON.stringify(this.values[place]);
      pieces.push(this.texts[place]);
    }
  }
}
