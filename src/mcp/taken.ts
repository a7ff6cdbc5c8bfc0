/*
 * A result grows row by row, and its length is known before it is written.
 * Decision: rows are taken in one order of all tables, the first of each, then the second of each. The length of what
 * was taken is counted with each row, and the first row that does not fit ends it.
 * Because: to write all rows with all columns and to cut afterwards takes rows × columns cells: 500 events with 650
 * names of their own each have 160 million.
 * Cost: one row that does not fit ends the result, also where a shorter one of another table would.
 */

import { jsonChars, type Row, type RowMaker } from "./shape";

/** A table as results have it: a row ends with its last value. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** The length of `null,`. */
const nullChars = 5;
/** The length of a row's brackets, and of the comma between rows. */
const rowFrameChars = 3;
/** The length of a table without columns and rows, but for its name: `:{"columns":[],"rows":[]},`. */
const tableFrameChars = 27;

/** What the untrusted paths of one row take. */
const pathsCharsMax = 512;

/** A table while rows are added to it, of which the length is counted as if columns stood as rows have them. */
class GrowingTable {
  readonly #columns = new Map<string, number>();
  readonly #rows: Row[] = [];

  get rowsCount(): number {
    return this.#rows.length;
  }

  /** Returns the characters by which a row makes the table longer. */
  charsOf({ cells }: Row): number {
    let chars = rowFrameChars;
    let width = 0;
    let fresh = 0;
    for (const [column, cell] of cells) {
      const at = this.#columns.get(column);
      if (at === undefined) {
        chars += jsonChars(column);
        fresh += 1;
      }
      width = Math.max(width, 1 + (at ?? this.#columns.size + fresh - 1));
      chars += cell.chars;
    }
    return chars + (width - cells.size) * nullChars;
  }

  add(row: Row): void {
    for (const column of row.cells.keys()) {
      if (!this.#columns.has(column)) this.#columns.set(column, this.#columns.size);
    }
    this.#rows.push(row);
  }

  written(): Table {
    const asCome = [...this.#columns.keys()];
    const columns = this.#hasGaps() ? this.#inBestOrder(asCome) : asCome;
    const places = placesOf(columns);
    return { columns, rows: this.#rows.map((row) => valuesOf(row, places)) };
  }

  #hasGaps(): boolean {
    return this.#rows.some(({ cells }) => cells.size < this.#columns.size);
  }

  /** Columns that few rows have come last where that saves a null in each row: most rows then end before them. */
  #inBestOrder(asCome: readonly string[]): readonly string[] {
    const counts = new Map(asCome.map((column) => [column, 0]));
    for (const { cells } of this.#rows) {
      for (const column of cells.keys()) counts.set(column, (counts.get(column) ?? 0) + 1);
    }
    const byCount = asCome.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
    const saved = this.#cellsIn(asCome) - this.#cellsIn(byCount);
    return saved >= this.#rows.length ? byCount : asCome;
  }

  /** The number of cells, those without a value too, if columns stand in this order. */
  #cellsIn(columns: readonly string[]): number {
    const places = placesOf(columns);
    return this.#rows.reduce((sum, row) => sum + widthOf(row, places), 0);
  }
}

type Places = ReadonlyMap<string, number>;

const placesOf = (columns: readonly string[]): Places =>
  new Map(columns.map((column, at) => [column, at]));

function widthOf({ cells }: Row, places: Places): number {
  let width = 0;
  for (const column of cells.keys()) width = Math.max(width, 1 + (places.get(column) ?? 0));
  return width;
}

function valuesOf({ cells }: Row, places: Places): readonly unknown[] {
  const values: unknown[] = [];
  for (const [column, { value }] of cells) values[places.get(column) ?? 0] = value;
  return Array.from(values, (value) => value ?? null);
}

/** The rows of a result. */
export interface Taken {
  readonly tables: ReadonlyMap<string, Table>;
  /** The rows of each table up to the last one that was taken, with those that were skipped. */
  readonly reached: ReadonlyMap<string, number>;
  readonly rows: number;
  readonly untrusted: ReadonlySet<string>;
  /** False if the only row that was taken had more than there was room for. */
  readonly isWhole: boolean;
}

interface Bounds {
  readonly rowsMax: number;
  readonly rowsSkipped: number;
  /** The characters that the tables may have as JSON. */
  readonly charsMax: number;
}

/** Takes the rows that fit, and at least a part of one, so that whoever goes on where this ends comes to the end. */
export function takeRows(sources: ReadonlyMap<string, readonly RowMaker[]>, bounds: Bounds): Taken {
  const tables = new Map([...sources.keys()].map((name) => [name, new GrowingTable()] as const));
  const reached = new Map([...sources.keys()].map((name) => [name, 0]));
  const untrusted = new Set<string>();
  let charsLeft = bounds.charsMax - framesOf(sources.keys());
  let [rows, isWhole] = [0, true];
  for (const [name, make] of inOrder(sources, bounds.rowsSkipped, reached)) {
    const table = tables.get(name);
    if (table === undefined || rows === bounds.rowsMax) break;
    // The names of known columns are not written again: a row that fits has at most those and what is left.
    const row = make(rows === 0 ? charsLeft - pathsCharsMax : 2 * bounds.charsMax);
    const chars = table.charsOf(row) + pathChars(row, untrusted);
    if (rows > 0 && (!row.isWhole || chars > charsLeft)) break;
    table.add(row);
    reached.set(name, (reached.get(name) ?? 0) + 1);
    for (const path of row.untrusted) untrusted.add(path);
    charsLeft -= chars;
    rows += 1;
    isWhole = row.isWhole;
    if (!isWhole) break;
  }
  const written = [...tables].map(([name, table]) => [name, table.written()] as const);
  return { tables: new Map(written), reached, rows, untrusted, isWhole };
}

/** The first rows of all tables, then the second ones, and so on, without those that are skipped. */
function* inOrder(
  sources: ReadonlyMap<string, readonly RowMaker[]>,
  skipped: number,
  reached: Map<string, number>,
): Generator<readonly [name: string, make: RowMaker]> {
  let toSkip = skipped;
  const longest = Math.max(0, ...[...sources.values()].map(({ length }) => length));
  for (let at = 0; at < longest; at++) {
    for (const [name, makers] of sources) {
      const make = makers[at];
      if (make === undefined) continue;
      if (toSkip === 0) yield [name, make];
      else {
        toSkip -= 1;
        reached.set(name, at + 1);
      }
    }
  }
}

function framesOf(names: Iterable<string>): number {
  let chars = 0;
  for (const name of names) chars += JSON.stringify(name).length + tableFrameChars;
  return chars;
}

function pathChars({ untrusted }: Row, known: ReadonlySet<string>): number {
  let chars = 0;
  for (const path of untrusted) if (!known.has(path)) chars += jsonChars(path);
  return chars;
}
