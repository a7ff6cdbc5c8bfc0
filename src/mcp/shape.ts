/*
 * A text is a stranger's until a schema says otherwise.
 * Decision: results of tools name as untrusted what the schemas of answers mark as written by visitors, and what no
 * schema knows. Words of this server stay as they are; all other texts are made inert.
 * Because: the tools then say the same as HTTP's header, and a field that is added needs no list of names here.
 * Cost: a walk through the marks beside the answer.
 */

import { isObject } from "../http/operation/input";
import type { Place, Writer } from "../http/operation/marks";
import { inertText } from "../lib/inert-text";
import { type Entry, entriesOf, type Standing } from "./entries";
import { labelOf } from "./labels";

type Value = unknown;
type Fields = Readonly<{ [name: string]: Value }>;

export interface Cell {
  readonly value: Value;
  /** The length of its JSON, of the comma behind it, and of its label where it has one. */
  readonly chars: number;
}
export const cellOf = (value: Value): Cell => ({
  value,
  chars: jsonChars(value) + labelChars(value),
});

/** What the label of a text takes: its own line, with the text once more. */
function labelChars(value: Value): number {
  const label = typeof value === "string" ? labelOf(value) : null;
  return label === null ? 0 : jsonChars(value) + jsonChars(label);
}

/** A row of a table by its columns. */
export interface Row {
  /** Only columns with a value. */
  readonly cells: ReadonlyMap<string, Cell>;
  /** False if the row had more than there was room for. */
  readonly isWhole: boolean;
  /** Paths of what anybody may have sent. */
  readonly untrusted: ReadonlySet<string>;
}

/** Makes a row, with cells of at most that number of characters as JSON. */
export type RowMaker = (charsMax: number) => Row;

/**
 * An answer as tools tell it, before anything is cut. All texts in it are safe to be shown. A row is made when it is
 * taken: a thousand events may have half a million keys, of which a result shows a few hundred.
 */
export interface Shaped {
  readonly answer: Fields;
  readonly tables: ReadonlyMap<string, readonly RowMaker[]>;
  /** Paths of what anybody may have sent, in the answer. */
  readonly untrusted: readonly string[];
}

/** The length of a stored text, before it is made inert. */
const cellCharsMax = 200;

/** Warnings are few, and are about the answer: whoever reads rows must not miss them where rows are cut. */
const aboutAnswer = "warnings";

/**
 * Makes columns and rows of an answer: each list of objects becomes a table, all else stays as it is. `marks` are those
 * of its schema.
 */
export function shape(answer: Fields, marks: Place, ownHost: string | null): Shaped {
  const walk = new Walk(ownHost);
  const fields: [string, Value][] = [];
  const tables = new Map<string, readonly RowMaker[]>();
  const lengths = new Map<string, number>();
  for (const [name, value] of Object.entries(answer)) {
    const marked = marks.field(name);
    const entries = name === aboutAnswer ? null : entriesOf(name, value, marked);
    if (entries === null) fields.push([name, walk.told(value, { path: `answer.${name}`, marked })]);
    for (const [table, all] of entries ?? []) {
      tables.set(
        table,
        all.map((entry) => (charsMax) => rowOf(entry, new RowWalk(ownHost, lengths, charsMax))),
      );
    }
  }
  return { answer: Object.fromEntries(fields), tables, untrusted: [...walk.untrusted] };
}

function rowOf({ lead, fields, at }: Entry, row: RowWalk): Row {
  for (const [column, value] of lead) row.addCell(column, value);
  for (const [key, value] of fields) row.addCells(row.key(key, at), value, below(at, key));
  return row;
}

/** A value that no schema knows may be anybody's. */
const writerAt = ({ marked }: Standing): Writer => marked?.whole ?? marked?.text ?? "visitor";
/** An object whose keys anybody may choose. */
const isFree = ({ marked }: Standing): boolean => marked?.whole === "visitor";

class Walk {
  readonly untrusted = new Set<string>();

  constructor(private readonly ownHost: string | null) {}

  told(value: Value, at: Standing): Value {
    if (typeof value === "string") return this.#text(value, at);
    if (Array.isArray(value)) return value.map((one) => this.told(one, inList(at)));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (isFree(at)) this.untrusted.add(at.path);
        return [inertText(key, this.ownHost), this.told(part, below(at, key))];
      }),
    );
  }

  #text(text: string, at: Standing): string {
    const writer = writerAt(at);
    if (writer === "server") return text;
    if (writer === "visitor") this.untrusted.add(at.path);
    return cutText(text, this.ownHost);
  }

  /** A dot within a key is not one between keys. */
  key(key: string, at: Standing): string {
    if (isFree(at)) this.untrusted.add(at.path);
    return inertText(key, this.ownHost).replaceAll(".", "\\u{2E}");
  }
}

/** The walk through one row, which ends where its cells have the characters that there is room for. */
class RowWalk extends Walk implements Row {
  readonly cells = new Map<string, Cell>();
  isWhole = true;

  constructor(
    ownHost: string | null,
    /** The lengths of the columns that the rows of an answer have. */
    private readonly lengths: Map<string, number>,
    private charsLeft: number,
  ) {
    super(ownHost);
  }

  /** Nested objects become columns of their own. */
  addCells(column: string, value: Value, at: Standing): void {
    if (!this.isWhole) return;
    const parts = isObject(value) ? Object.entries(value) : [];
    if (parts.length === 0) this.addCell(column, this.told(value, at));
    for (const [key, part] of parts) {
      if (!this.isWhole) return;
      this.addCells(`${column}.${this.key(key, at)}`, part, below(at, key));
    }
  }

  addCell(column: string, value: Value): void {
    if (value === null || value === undefined || !this.isWhole) return;
    const cell = cellOf(value);
    const chars = cell.chars + this.#lengthOf(column);
    if (chars > this.charsLeft) {
      this.isWhole = false;
      return;
    }
    this.charsLeft -= chars;
    this.cells.set(column, cell);
  }

  #lengthOf(column: string): number {
    const known = this.lengths.get(column) ?? jsonChars(column);
    this.lengths.set(column, known);
    return known;
  }
}

/** The length of a value as JSON, and of the comma behind it. */
export const jsonChars = (value: Value): number =>
  (typeof value === "number" ? `${value}` : JSON.stringify(value)).length + 1;

/** Everything within an object that one writer has made is of that writer. */
const inList = (at: Standing): Standing =>
  at.marked === null || at.marked.whole !== null ? at : { ...at, marked: at.marked.items };

/** Names of fields that stand in paths as they are. */
const plainName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** A column of `query` by a property or a session's field that the question named. */
const dottedName = /^(properties|session)\.([A-Za-z0-9_]{1,128})$/;

function below(at: Standing, key: string): Standing {
  const { path, marked } = at;
  if (marked !== null && marked.whole !== null) return at;
  const next = marked?.field(key) ?? null;
  if (dottedName.test(key)) return { path: `${path}.${key.replace(".", "\\u{2E}")}`, marked: next };
  return { path: plainName.test(key) ? `${path}.${key}` : path, marked: next };
}

/** The first code points of a stored text, safe to be shown, and how many more there are. */
function cutText(text: string, ownHost: string | null): string {
  if (text.length <= cellCharsMax) return inertText(text, ownHost);
  const points = Array.from(text);
  if (points.length <= cellCharsMax) return inertText(text, ownHost);
  const kept = points.slice(0, cellCharsMax).join("");
  return `${inertText(kept, ownHost)}…+${points.length - cellCharsMax}`;
}
