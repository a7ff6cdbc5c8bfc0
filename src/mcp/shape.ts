import { isObject } from "../http/operation/input";
import { inertText } from "../lib/inert-text";
import type { Trust } from "./trust";

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

/** Of a stored text, before it is made inert. */
const cellCharsMax = 200;

/** Makes columns and rows of an answer: each list of objects becomes a table, all else stays as it is. */
export function shape(answer: Fields, trust: Trust, ownHost: string | null): Shaped {
  const walk = new Walk(trust, ownHost);
  const fields: [string, Value][] = [];
  const tables = new Map<string, readonly Row[]>();
  for (const [name, value] of Object.entries(answer)) {
    if (trust.isTable(name) && isRecords(value)) tables.set(name, walk.rows(name, value));
    else fields.push([name, walk.told(value, { path: `answer.${name}`, name, isFree: false })]);
  }
  return { answer: Object.fromEntries(fields), tables, untrusted: walk.untrusted() };
}

const isRecords = (value: Value): value is readonly Fields[] =>
  Array.isArray(value) && value.every(isObject);

/** Where a value stands. */
interface Place {
  /** As `untrusted` names it: no key that a visitor has made is part of it. */
  readonly path: string;
  /** Of the nearest field that the server named. */
  readonly name: string;
  /** Within an object whose keys came from a visitor. */
  readonly isFree: boolean;
}

/** Objects whose keys anybody may choose. */
const freeObjects: ReadonlySet<string> = new Set(["properties", "traits"]);

class Walk {
  readonly #untrusted = new Set<string>();

  constructor(
    private readonly trust: Trust,
    private readonly ownHost: string | null,
  ) {}

  untrusted(): readonly string[] {
    return [...this.#untrusted];
  }

  rows(table: string, records: readonly Fields[]): readonly Row[] {
    return records.map((record) => {
      const row = new Map<string, Value>();
      const place = { path: `tables.${table}`, name: table, isFree: false };
      for (const [key, value] of Object.entries(record)) {
        this.#addCells(row, this.#key(key, place), value, below(place, key));
      }
      return row;
    });
  }

  /** Nested objects become columns of their own. */
  #addCells(row: Map<string, Value>, column: string, value: Value, place: Place): void {
    const parts = isObject(value) ? Object.entries(value) : [];
    if (parts.length === 0) row.set(column, this.told(value, place));
    for (const [key, part] of parts) {
      this.#addCells(row, `${column}.${this.#key(key, place)}`, part, below(place, key));
    }
  }

  told(value: Value, place: Place): Value {
    if (typeof value === "string") return this.#text(value, place);
    if (Array.isArray(value)) return value.map((one) => this.told(one, place));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        inertText(key, this.ownHost),
        this.told(part, below(place, key)),
      ]),
    );
  }

  #text(text: string, { path, name, isFree }: Place): string {
    if (isFree || this.trust.isVisitors(name)) this.#untrusted.add(path);
    else if (this.trust.isServers(name)) return text;
    return cutText(text, this.ownHost);
  }

  /** A dot within a key is not one between keys. */
  #key(key: string, { path, isFree }: Place): string {
    if (isFree) this.#untrusted.add(path);
    return inertText(key, this.ownHost).replaceAll(".", "\\u{2E}");
  }
}

/** Names of fields that stand in paths as they are. */
const plainName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** A column of `query` by a property or a session's field that the question named. */
const dottedName = /^(properties|session)\.([A-Za-z0-9_]{1,128})$/;

function below({ path, name, isFree }: Place, key: string): Place {
  if (isFree) return { path, name, isFree };
  if (dottedName.test(key)) {
    return { path: `${path}.${key.replace(".", "\\u{2E}")}`, name: key, isFree: false };
  }
  if (!plainName.test(key)) return { path, name: key, isFree: false };
  return { path: `${path}.${key}`, name: key, isFree: freeObjects.has(key) };
}

/** The first code points of a stored text, safe to be shown, and how many more there are. */
function cutText(text: string, ownHost: string | null): string {
  if (text.length <= cellCharsMax) return inertText(text, ownHost);
  const points = Array.from(text);
  if (points.length <= cellCharsMax) return inertText(text, ownHost);
  const kept = points.slice(0, cellCharsMax).join("");
  return `${inertText(kept, ownHost)}…+${points.length - cellCharsMax}`;
}
