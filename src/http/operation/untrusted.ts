import Type from "typebox";
import { schema } from "../../lib/schema";
import { untrustedHeader } from "../edge/headers";
import { Reply, replyOf } from "../edge/reply";
import { Upgrade } from "../edge/socket";
import { isObject } from "./input";
import { marksOf, type Place } from "./marks";
import type { Operation } from "./operation";
import { Receipt } from "./receipt";

/**
 * The parts of an answer that strangers wrote, as its schema says: anybody with the public token of a project can write
 * text that a program reads later, which is data and never an instruction.
 */

const headerCharsMax = 1_000;

/**
 * `answer` of an operation, whose answers name in a header what strangers wrote of them: the paths of all texts that
 * there are. CSV is no JSON, and pages and streams tell it otherwise.
 */
export function declaring(operation: Operation, status: number): Operation["answer"] {
  return async (context) => {
    const answer = await operation.answer(context);
    if (answer instanceof Response || answer instanceof Upgrade) return answer;
    // The first answer walks through the schemas, so that a start need not.
    const marks = marksOf(operation);
    if (!marks.hasVisitors) return answer;
    const made = replyOf(answer, status);
    if (made.headers["content-type"] !== undefined) return made;
    if (made === answer && !mayName(operation, marks, made.json)) return made;
    const value: unknown = made === answer ? JSON.parse(made.json) : answer;
    const present = [...new Search(marks).in(value), ...inReceipt(operation, value)];
    if (present.length === 0) return made;
    const headers = { ...made.headers, [untrustedHeader]: joined(present) };
    return new Reply(made.status, made.json, headers);
  };
}

/**
 * Tells whether a text of JSON names a field of strangers' texts, or a receipt. Other answers need not be parsed, which
 * takes longer than all else that is done with them here.
 */
function mayName({ hasReceipt }: Operation, marks: Place, json: string): boolean {
  const names = fieldsOf(marks);
  if (names === null || (hasReceipt && json.includes('"receipt":'))) return true;
  return names.some((name) => json.includes(`"${name}":`));
}

/** A receipt is searched by itself: in most answers there is none, and all their texts are found before their end. */
const inReceipt = ({ hasReceipt }: Operation, value: unknown): readonly string[] =>
  hasReceipt && isObject(value) && value.receipt !== undefined
    ? new Search(receiptMarks()).in({ receipt: value.receipt })
    : [];
const withReceipt = { 200: schema(Type.Object({ receipt: Receipt })) };
export const receiptMarks = (): Place => marksOf({ returns: withReceipt });

/** Returns all paths that may be in an answer, for what is told before there is one. */
export const untrustedPathsOf = (returns: Operation["returns"]): readonly string[] =>
  pathsOf(marksOf({ returns })) ?? [];

/** All of them; where these do not fit, the places that they are below: no text of a stranger is left out. */
function joined(paths: readonly string[]): string {
  const parts = paths.map((path) => path.split("."));
  for (let depth = Math.max(...parts.map(({ length }) => length)); depth > 1; depth--) {
    const text = upTo(depth, parts);
    if (text.length <= headerCharsMax) return text;
  }
  return upTo(1, parts);
}
const upTo = (depth: number, paths: readonly (readonly string[])[]): string =>
  [...new Set(paths.map((parts) => parts.slice(0, depth).join(".")))].join(", ");

/** One search of an answer for texts that strangers wrote. */
class Search {
  readonly #found = new Set<string>();
  readonly #known: readonly string[] | null;

  constructor(private readonly marks: Place) {
    this.#known = pathsOf(marks);
  }

  /** Paths of the texts of visitors that are there, in the order of the schema where that names all of them. */
  in(answer: unknown): readonly string[] {
    this.#visit(this.marks, answer, "");
    return this.#known === null
      ? [...this.#found]
      : this.#known.filter((path) => this.#found.has(path));
  }

  #visit(place: Place, value: unknown, name: string): void {
    const isText = typeof value === "string";
    const writer = place.whole ?? (isText ? place.text : null);
    if (writer === "visitor" && (isText || isFilled(value))) this.#add(place, name);
    if (isText || place.whole !== null || this.#found.size === this.#known?.length) return;
    const { items } = place;
    if (Array.isArray(value) && items?.hasVisitors === true) {
      for (const one of value) this.#visit(items, one, "");
    } else if (isObject(value)) this.#visitFields(place, value);
  }

  #visitFields(place: Place, value: Readonly<Record<string, unknown>>): void {
    for (const key in value) {
      const next = place.field(key);
      if (next?.hasVisitors === true) this.#visit(next, value[key], key);
    }
  }

  #add({ path }: Place, name: string): void {
    if (!path.endsWith(".")) this.#found.add(path);
    else if (!this.#found.has(path + name))
      this.#found.add(path + (nameForm.test(name) ? name : "*"));
  }
}

const isFilled = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;

/** Names that can stand in a header. */
const nameForm = /^[\w.:]{1,160}$/;

/** All paths of texts of visitors, in the order of the schema; null where some are known from the answer alone. */
function pathsOf(marks: Place): readonly string[] | null {
  const known = listed.get(marks);
  if (known !== undefined) return known;
  const seen = new Set<Place>();
  const paths = new Set<string>();
  const walk = (place: Place): void => {
    if (seen.has(place) || !place.hasVisitors) return;
    seen.add(place);
    if (place.text === "visitor" || place.whole === "visitor") paths.add(place.path);
    for (const one of place.below) walk(one);
  };
  walk(marks);
  const list = [...paths];
  const all = list.some((path) => path.endsWith(".")) ? null : list;
  listed.set(marks, all);
  return all;
}
const listed = new WeakMap<Place, readonly string[] | null>();

/** The names of the fields that these paths end with; null where one has no name, or some are not known. */
function fieldsOf(marks: Place): readonly string[] | null {
  const known = fields.get(marks);
  if (known !== undefined) return known;
  const names = pathsOf(marks)?.map((path) => /([^.[\]]+)(?:\[\])*$/.exec(path)?.[1]) ?? [
    undefined,
  ];
  const all = names.every((name) => name !== undefined) ? [...new Set(names)] : null;
  fields.set(marks, all);
  return all;
}
const fields = new WeakMap<Place, readonly string[] | null>();
