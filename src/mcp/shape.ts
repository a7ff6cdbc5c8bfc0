/*
 * A text is a stranger's until a schema says otherwise.
 * Decision: results of tools name as untrusted what the schemas of answers mark as written by visitors, and what no
 * schema knows. Words of this server stay as they are; all other texts are made inert.
 * Because: the tools then say the same as HTTP's header, and a field that is added needs no list of names here.
 * Cost: a walk through the marks beside the answer.
 * Revisit: no.
 */

import { isObject } from "../http/operation/input";
import type { Place, Writer } from "../http/operation/marks";
import { inertText } from "../lib/inert-text";

type Value = unknown;
type Fields = Readonly<Record<string, Value>>;

/** A row of a table by its columns, null where it has nothing. */
export type Row = ReadonlyMap<string, Value>;

/** An answer as tools tell it, before anything is cut. All texts in it are safe to be shown. */
export interface Shaped {
  readonly answer: Fields;
  readonly tables: ReadonlyMap<string, readonly Row[]>;
  /** Paths of what anybody may have sent. */
  readonly untrusted: readonly string[];
}

/** The length of a stored text, before it is made inert. */
const cellCharsMax = 200;

/**
 * Makes columns and rows of an answer: each list of objects becomes a table, all else stays as it is. `marks` are those
 * of its schema.
 */
export function shape(answer: Fields, marks: Place, ownHost: string | null): Shaped {
  const walk = new Walk(ownHost);
  const fields: [string, Value][] = [];
  const tables = new Map<string, readonly Row[]>();
  for (const [name, value] of Object.entries(answer)) {
    const marked = marks.field(name);
    if (marked?.isTable === true && isRecords(value)) {
      tables.set(name, walk.rows({ path: `tables.${name}`, marked: marked.items }, value));
    } else fields.push([name, walk.told(value, { path: `answer.${name}`, marked })]);
  }
  return { answer: Object.fromEntries(fields), tables, untrusted: walk.untrusted() };
}

const isRecords = (value: Value): value is readonly Fields[] =>
  Array.isArray(value) && value.every(isObject);

/** The place of a value in an answer. */
interface Standing {
  /** The path as `untrusted` names it: no key that a visitor has made is part of it. */
  readonly path: string;
  /** The schema's marks of the value; null where it has none. */
  readonly marked: Place | null;
}

/** A value that no schema knows may be anybody's. */
const writerAt = ({ marked }: Standing): Writer => marked?.whole ?? marked?.text ?? "visitor";
/** An object whose keys anybody may choose. */
const isFree = ({ marked }: Standing): boolean => marked?.whole === "visitor";

class Walk {
  readonly #untrusted = new Set<string>();

  constructor(private readonly ownHost: string | null) {}

  untrusted(): readonly string[] {
    return [...this.#untrusted];
  }

  rows(at: Standing, records: readonly Fields[]): readonly Row[] {
    return records.map((record) => {
      const row = new Map<string, Value>();
      for (const [key, value] of Object.entries(record)) {
        this.#addCells(row, this.#key(key, at), value, below(at, key));
      }
      return row;
    });
  }

  /** Nested objects become columns of their own. */
  #addCells(row: Map<string, Value>, column: string, value: Value, at: Standing): void {
    const parts = isObject(value) ? Object.entries(value) : [];
    if (parts.length === 0) row.set(column, this.told(value, at));
    for (const [key, part] of parts) {
      this.#addCells(row, `${column}.${this.#key(key, at)}`, part, below(at, key));
    }
  }

  told(value: Value, at: Standing): Value {
    if (typeof value === "string") return this.#text(value, at);
    if (Array.isArray(value)) return value.map((one) => this.told(one, inList(at)));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (isFree(at)) this.#untrusted.add(at.path);
        return [inertText(key, this.ownHost), this.told(part, below(at, key))];
      }),
    );
  }

  #text(text: string, at: Standing): string {
    const writer = writerAt(at);
    if (writer === "server") return text;
    if (writer === "visitor") this.#untrusted.add(at.path);
    return cutText(text, this.ownHost);
  }

  /** A dot within a key is not one between keys. */
  #key(key: string, at: Standing): string {
    if (isFree(at)) this.#untrusted.add(at.path);
    return inertText(key, this.ownHost).replaceAll(".", "\\u{2E}");
  }
}

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
  // The nodes below one of a tree are told like itself.
  if (next !== null && next.items === marked) return { path, marked: next };
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
