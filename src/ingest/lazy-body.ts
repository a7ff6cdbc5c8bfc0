import { batchEventsMax, largeBodyCharsMin } from "../domain/limits";
import { JsonScanner } from "../lib/json-scanner";
import { certainFault } from "./certain-fault";
import { deepProperties, isObject, type JsonObject, largeProperties } from "./properties";
import { isRefusal, type Refusal } from "./refusal";
import type { SubmittedBody } from "./submission";
import { tokenOf } from "./token";

/** No single event needs more; longer bodies of ingestion are parsed for a token that somebody has. */
export const ordinaryBodyCharsMax = 12 * 1024;

/**
 * Parses a body as far as the steps after it look at it. Of a body that is not ordinary nothing is parsed before its
 * shape and token have passed, and properties that break their bounds are never parsed: to parse these may take a tenth
 * of a second, and anybody may send them. The refusal is the same as if all had been parsed.
 */
export function parseUnlessRefused(
  text: string,
  shape: (json: unknown) => SubmittedBody | Refusal,
  isKnown: (token: string) => boolean,
  parse: (text: string) => unknown,
): unknown {
  if (text.length <= ordinaryBodyCharsMax || isOrdinary(text, isKnown)) return parse(text);
  const lazy = new LazyBody(text);
  const body = shape(lazy.json);
  const token = isRefusal(body) ? body : tokenOf(body);
  if (typeof token === "string" && isKnown(token)) lazy.complete(parse);
  return lazy.json;
}

/** An ordinary batch is parsed at once, as scanning it first would cost as much again. */
function isOrdinary(text: string, isKnown: (token: string) => boolean): boolean {
  if (text.length > largeBodyCharsMin) return false;
  // Most likely it is the body's token. If not, nothing but time is lost.
  const [, token] = someToken.exec(text) ?? [];
  return token !== undefined && isKnown(token);
}
const someToken = /"token"\s*:\s*"([^"\\]{1,64})"/;

const judged: ReadonlySet<string> = new Set([
  ...["token", "event", "properties", "user_id", "session_id", "timestamp"],
  ...["sent_at", "event_id"],
  ...["previous_id", "traits"],
]);

/**
 * A body with the fields that are judged, by one walk over its text. Properties and traits are empty until they are
 * asked for, and never what they were if that breaks their bounds. Throws what JSON.parse throws.
 */
export class LazyBody {
  readonly json: unknown;
  /** The texts of properties and traits by the empty objects that stand for them. */
  readonly #unparsed = new Map<unknown, string>();
  readonly #scanner: JsonScanner;

  constructor(text: string) {
    const scanner = new JsonScanner(text);
    this.#scanner = scanner;
    this.json = scanner.type === "object" ? this.#fields() : this.#typeOnly();
    scanner.end();
  }

  complete(parse: (text: string) => unknown): void {
    if (!isObject(this.json)) return;
    this.#completeFields(this.json, parse);
    if (!Array.isArray(this.json.events)) return;
    for (const event of this.json.events) if (isObject(event)) this.#completeFields(event, parse);
  }
  #completeFields(fields: JsonObject, parse: (text: string) => unknown): void {
    for (const name of ["properties", "traits"]) {
      const text = this.#unparsed.get(fields[name]);
      if (text === undefined) continue;
      // The parser keeps texts by the names of their fields, so it is given the name.
      const parsed = parse(`{"${name}":${text}}`);
      if (isObject(parsed)) fields[name] = parsed[name];
    }
  }

  /** The last value of a repeated key counts, as for JSON.parse. Values of unknown keys are skipped. */
  #fields(isItem = false): JsonObject {
    const fields: JsonObject = {};
    this.#scanner.members((key) => {
      if (key === "events" && !isItem) fields.events = this.#events();
      else if (judged.has(key)) fields[key] = this.#value(key);
      else this.#scanner.skip();
    });
    return fields;
  }

  #events(): unknown {
    const scanner = this.#scanner;
    if (scanner.type !== "array") return this.#typeOnly();
    const events: unknown[] = [];
    scanner.items(() => {
      // One too many is enough to refuse them all.
      if (events.length > batchEventsMax) scanner.skip();
      else if (scanner.type === "object") events.push(this.#fields(true));
      else events.push(this.#typeOnly());
    });
    return events;
  }

  #value(key: string): unknown {
    const scanner = this.#scanner;
    const { type, at } = scanner;
    if (type === "string") return scanner.string();
    if (type === "object" && (key === "properties" || key === "traits")) return this.#object(at);
    if (type !== "number") return this.#typeOnly();
    scanner.skip();
    return JSON.parse(scanner.since(at));
  }

  #object(at: number): JsonObject {
    const fault = certainFault(this.#scanner);
    if (fault !== null) return fault === "too large" ? largeProperties : deepProperties;
    const empty = {};
    this.#unparsed.set(empty, this.#scanner.since(at));
    return empty;
  }

  /** Something of the type of what comes next. */
  #typeOnly(): unknown {
    const { type } = this.#scanner;
    this.#scanner.skip();
    return { object: {}, array: [], string: "", number: 0, boolean: false, null: null }[type];
  }
}
