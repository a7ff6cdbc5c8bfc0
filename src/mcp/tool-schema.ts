import Type from "typebox";
import { isObject } from "../http/operation/input";
import { type Json, shownSchema } from "../http/operation/openapi-schemas";
import type { Operation } from "../http/operation/operation";
import { pageSize, trustKeyword } from "../lib/schema";
import { wordsOf } from "./field-words";
import { pathPartsOf } from "./more-reads";

const rowsMax = 500;
export const rowsDefault = 50;
export const rowsSkippedMax = 999;

/** The fields that every read takes besides those of its operation. */
export const RowBounds = Type.Object({
  max_rows: pageSize({ min: 1, max: rowsMax, default: rowsDefault }, "Rows of all tables."),
  after_row: pageSize({ min: 0, max: rowsSkippedMax, default: 0 }, "Rows to skip."),
});

/**
 * Returns the input of a tool as JSON Schema: the fields of its operations with their types and defaults, and the parts
 * of their paths. A list of tools is read whole by every agent, so descriptions are short; the OpenAPI document has all
 * of them.
 */
export function inputSchemaOf(
  tool: string,
  operations: readonly Operation[],
  isRead: boolean,
): Json {
  const schemas = operations.map(({ takes }) => shownSchema(takes));
  const own = schemas.map(propertiesOf);
  const inPath = operations.map(({ name }) => pathPartsOf(name));
  const path = [...new Set(inPath.flat())].map((part) => [part, { type: "string" }] as const);
  // If a tool chooses among several operations, only the fields that all of them need are required.
  const needed = schemas.map(({ required }, at) => [...listOf(required), ...(inPath[at] ?? [])]);
  const [first = [], ...others] = needed;
  const required = first.filter(
    (name) => name !== "project" && others.every((names) => names.includes(name)),
  );
  const hasReceipt = operations.some((operation) => operation.hasReceipt);
  const fields = Object.assign(Object.fromEntries(path), ...own, hasReceipt ? receipt : {});
  return closedSchema(tool, isRead ? { ...fields, ...bounds } : fields, required);
}

/** A term of the requests of reads that can be made again. */
const receipt: Json = { receipt: { type: "boolean" } };

/** A read that is asked by its operation's id takes its fields as one object. */
export const moreReadsSchema = (operations: readonly Operation[], words: string): Json => ({
  type: "object",
  properties: {
    operation: { enum: operations.map(({ doc }) => doc.id) },
    arguments: { type: "object", description: words },
    ...bounds,
  },
  required: ["operation"],
  additionalProperties: false,
});

/** Numbers beyond the bounds are brought back to them: that is told of the one alone that agents may want to raise. */
const bounds = mapped(propertiesOf(shownSchema(RowBounds)), (field, name) => {
  const { type, maximum, default: otherwise } = isObject(field) ? field : {};
  return name === "max_rows" ? { type, default: otherwise, maximum } : { type };
});

function propertiesOf({ properties }: Json): Json {
  return isObject(properties) ? properties : {};
}

const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];

function closedSchema(tool: string, fields: Json, required: readonly string[]): Json {
  const short = mapped(fields, (field, name) => shortField(tool, name, field));
  const shared = new Definitions(short);
  const properties = mapped(short, (field) => shared.shown(field));
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(Object.keys(shared.definitions).length > 0 && { $defs: shared.definitions }),
  };
}

function mapped(fields: Json, change: (field: unknown, name: string) => unknown): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, change(field, name)]),
  );
}

/** Fields of most tools, which `instructions` explain once, and fields whose names say it all. */
const explained: ReadonlySet<string> = new Set([
  ...["max_steps", "entry_limit", "path_limit", "breakdown_limit", "order_by", "order", "groupBy"],
  "project",
  "context",
  "tz",
  "since",
  "until",
  "date_from",
  "date_to",
  "limit",
  "cursor",
  "filters",
  "email",
  "max_rows",
  "after_row",
]);
const descriptionCharsMax = 120;

/** Lists whose entries have a description elsewhere: filters in that of `query`, and questions in the fields of it. */
const listedElsewhere: ReadonlySet<string> = new Set(["filters", "queries"]);
const objects: Json = { type: "array", items: { type: "object" } };

/** A field with the words that agents need, or with the first sentence of its own where that is short. */
function shortField(tool: string, name: string, field: unknown): unknown {
  const { [name]: plain } = shortFields({ [name]: field });
  if (!isObject(plain)) return plain;
  const words = wordsOf(tool, name);
  if (words !== undefined) return { ...plain, description: words };
  const description = isObject(field) ? field.description : undefined;
  if (typeof description !== "string" || explained.has(name)) return plain;
  const [first = ""] = description.split(/(?<=\.)\s/);
  return first.length > descriptionCharsMax ? plain : { ...plain, description: first };
}

/** Left to the operation, whose refusals say what was wrong. */
const leftOut: ReadonlySet<string> = new Set([
  "description",
  "examples",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  trustKeyword,
]);

/** Objects whose fields the words of the tool name, as those do that have nothing but the name of a goal. */
const toldInWords: ReadonlySet<string> = new Set(["goal"]);

/** Returns fields with their types and defaults, without descriptions, lengths and entries described elsewhere. */
const shortFields = (fields: Json): Json =>
  mapped(fields, (field, name) => {
    const isListed = listedElsewhere.has(name) && isObject(field) && field.type === "array";
    if (isListed) return objects;
    const isTold = toldInWords.has(name) && isObject(field) && field.type === "object";
    return isTold ? { type: "object" } : withoutWords(field);
  });

/** Fields may have the names of parts that are left out. Nobody asks for less than 1 of anything. */
function withoutWords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutWords);
  if (!isObject(schema)) return schema;
  const { properties } = schema;
  if (isObject(properties) && Object.keys(properties).join() === "goal") return { type: "object" };
  const kept = Object.entries(schema).filter(
    ([key, part]) => !leftOut.has(key) && !(key === "minimum" && part === 1),
  );
  return Object.fromEntries(
    kept.map(([key, part]) => {
      const types = key === "anyOf" ? plainTypes(withoutWords(part)) : null;
      if (types !== null) return ["type", types];
      const isMap = key === "properties" && isObject(part);
      return [key, isMap ? shortFields(part) : withoutWords(part)];
    }),
  );
}

/** Returns the types of alternatives that have only a type; null if one has more. */
function plainTypes(alternatives: unknown): readonly unknown[] | null {
  const all = Array.isArray(alternatives) ? alternatives.filter(isObject) : [];
  const arePlain = all.every((one) => Object.keys(one).join() === "type");
  return all.length > 0 && arePlain ? [...new Set(all.map(({ type }) => type))] : null;
}

/** Parts that occur twice within one tool are defined once. */
class Definitions {
  readonly #places = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly definitions: Record<string, unknown> = {};

  constructor(fields: Json) {
    this.#count(fields);
  }

  #count(part: unknown): void {
    if (typeof part !== "object" || part === null) return;
    const text = JSON.stringify(part);
    const places = (this.#places.get(text) ?? 0) + 1;
    this.#places.set(text, places);
    if (places === 1) for (const one of Object.values(part)) this.#count(one);
  }

  shown(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((one) => this.shown(one));
    if (!isObject(part)) return part;
    const text = JSON.stringify(part);
    const isShared = text.length > sharedCharsMin && (this.#places.get(text) ?? 0) > 1;
    if (!isShared || !isSchema(part)) return mapped(part, (one) => this.shown(one));
    const known = this.#names.get(text);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const name = `d${this.#names.size + 1}`;
    this.#names.set(text, name);
    this.definitions[name] = {};
    this.definitions[name] = mapped(part, (one) => this.shown(one));
    return { $ref: `#/$defs/${name}` };
  }
}

const sharedCharsMin = 60;
const isSchema = (part: Json): boolean =>
  typeof part.type === "string" || Array.isArray(part.type) || part.anyOf !== undefined;

/** The output of every tool, an answer or a refusal: `instructions` say once what is in it. */
export const outputSchema: Json = { type: "object" };
