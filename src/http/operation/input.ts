import Type from "typebox";
import { ApiError, invalidField } from "../../domain/errors";
import { type PageSize, pageSizeOfText } from "../../domain/page-size";
import { refuseUnknown } from "../../domain/unknown-fields";
import { didYouMean, nearest } from "../../lib/nearest";
import {
  clampedKeyword,
  type Issue,
  nullClearsKeyword,
  type StandardSchema,
  schema,
  trimmedKeyword,
  trustKeyword,
} from "../../lib/schema";
import { otherNamesOf, underDocumentedNames } from "./spellings";

/** The schema of an operation's body or query: an object schema made by `schema()`. */
export type InputSchema<T> = Node & StandardSchema<T>;

/** The schema of operations that take nothing. */
export const nothing = schema(Type.Object({}));

/** JSON Schema as this file walks it: TypeBox schemas are that, with types on top. */
export interface Node {
  readonly $id?: string | undefined;
  readonly "~kind"?: string | undefined;
  readonly "~unsafe"?: unknown;
  readonly type?: string | undefined;
  readonly properties?: Readonly<Record<string, Node>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: unknown;
  readonly items?: Node | undefined;
  readonly examples?: readonly unknown[] | undefined;
  readonly anyOf?: readonly Node[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly default?: unknown;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly [clampedKeyword]?: boolean;
  readonly [trimmedKeyword]?: boolean;
  readonly [trustKeyword]?: string;
  readonly [nullClearsKeyword]?: boolean;
}

/**
 * The step "JSON shape": refuses values of a wrong JSON type, and unknown keys in objects that list theirs. What it
 * returns has each field under its documented name, no null in optional places, its defaults filled in, its page sizes
 * clamped, texts trimmed that are marked so.
 */
export function shapeBody(definition: Node, json: unknown): Readonly<Record<string, unknown>> {
  if (json !== undefined && !isObject(json)) {
    throw new ApiError("INVALID_BODY", "The request body must be a JSON object.");
  }
  return shapeObject(definition, json ?? {}, "");
}

/** Brings a query string into the shape of the definition. All of its values are text. Unknown names are left out. */
export function shapeQuery(
  definition: Node,
  query: URLSearchParams,
): Readonly<Record<string, unknown>> {
  const given = underDocumentedNames(namesOf(definition), Object.fromEntries(query));
  const shaped: Record<string, unknown> = {};
  for (const [name, node] of Object.entries(definition.properties ?? {})) {
    const text = Object.hasOwn(given, name) ? given[name] : undefined;
    const value = typeof text === "string" ? valueOfText(node, text) : undefined;
    if (value !== undefined) shaped[name] = value;
    else if (node.default !== undefined) shaped[name] = node.default;
  }
  return shaped;
}

/** The API key may come in any query string. */
const knownEverywhere: readonly string[] = ["key"];

/** Refuses what shapeQuery leaves out: names that the operation does not know, and all values of a name but one. */
export function refuseUnknownParameters(definition: Node, query: URLSearchParams): void {
  const known = namesOf(definition);
  const names = new Set([...query.keys()].filter((name) => !knownEverywhere.includes(name)));
  refuseUnknown(names, known, { what: "parameter", renamed: otherNamesOf(known) });
  for (const name of names) {
    if (new Set(query.getAll(name)).size > 1) {
      throw invalidField(name, `"${name}" was sent twice with different values. Send it once.`);
    }
  }
}

const namesOf = ({ properties = {} }: Node): readonly string[] => Object.keys(properties);

/** The step "other fields": what is absent, empty, or outside its length, range, enum or pattern. */
export function checkFields<T>(definition: StandardSchema<T>, shaped: unknown): T {
  const verdict = definition["~standard"].validate(shaped);
  if ("value" in verdict) return verdict.value;
  const [{ path, message, allowed } = unsaid] = verdict.issues;
  const field = fieldName(path);
  const sent = path.reduce(partOf, shaped);
  const meant = typeof sent === "string" && allowed !== undefined ? nearest(sent, allowed) : null;
  throw invalidField(field, `"${field}" ${message}.${didYouMean(meant)}`, allowed);
}

const unsaid: Issue = { path: [], message: "is not valid" };
const partOf = (value: unknown, name: string): unknown =>
  Object.getOwnPropertyDescriptor(Object(value), name)?.value;

function shape(node: Node, value: unknown, path: string): unknown {
  const branches = (node.anyOf ?? [node]).filter((branch) => hasType(branch, value));
  if (branches.length === 0) throw wrongType(node, path);
  // Alternatives of one JSON type are told apart by their fields, which is not a matter of shape.
  const [branch] = branches;
  if (branch === undefined || branches.length > 1) return value;
  if (branch.type === "object" && isObject(value)) return shapeObject(branch, value, path);
  if (branch.type === "array" && Array.isArray(value) && branch.items !== undefined) {
    const { items } = branch;
    return value.map((item, index) => shape(items, item, `${path}[${index}]`));
  }
  if (typeof value === "string" && branch[trimmedKeyword] === true) return value.trim();
  return typeof value === "number" ? clamped(branch, value) : value;
}

function shapeObject(
  node: Node,
  sent: Readonly<Record<string, unknown>>,
  path: string,
): Readonly<Record<string, unknown>> {
  if (node.properties === undefined) return sent;
  const value = underDocumentedNames(namesOf(node), sent, path);
  const shaped: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(node.properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const isAbsent = given === undefined || (given === null && !meansNull(node, name));
    if (!isAbsent) shaped[name] = shape(property, given, join(path, name));
    else if (property.default !== undefined) shaped[name] = property.default;
  }
  refuseUnknownKeys(node, value, path);
  return shaped;
}

/** Tells whether null is a value of a field that is required or marked. In other fields null is the same as absent. */
function meansNull(node: Node, name: string): boolean {
  const property = node.properties?.[name];
  if (property === undefined || !takesNull(property)) return false;
  return node.required?.includes(name) === true || property[nullClearsKeyword] === true;
}
const takesNull = (node: Node): boolean =>
  node.type === "null" || node.anyOf?.some((branch) => branch.type === "null") === true;

/**
 * Refuses unknown names. As null is the same as absent, a client may send it under any name, except where an object
 * allows no other fields.
 */
function refuseUnknownKeys(
  node: Node,
  value: Readonly<Record<string, unknown>>,
  path: string,
): void {
  const { additionalProperties: others } = node;
  if (others !== undefined && others !== false) return;
  const known = namesOf(node);
  const names = Object.keys(value).filter((key) => others === false || value[key] !== null);
  const place = { path: join(path, ""), renamed: otherNamesOf(known) };
  refuseUnknown(names, known, { what: "field", ...place });
}

function hasType(node: Node, value: unknown): boolean {
  if (node.anyOf !== undefined) return node.anyOf.some((branch) => hasType(branch, value));
  if (node.enum !== undefined) return node.enum.some((one) => typeof one === typeof value);
  switch (node.type) {
    case undefined:
      return true;
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    default:
      return typeof value === node.type;
  }
}

/** Text that is no value of its type stays text, and falls at the check of fields. */
export function valueOfText(node: Node, text: string): unknown {
  switch (node.type) {
    case "boolean":
      if (text === "1" || text === "true") return true;
      return text === "0" || text === "false" ? false : text;
    case "integer":
    case "number": {
      const size = sizeOf(node);
      if (size !== null) return pageSizeOfText(text, size);
      const pattern = node.type === "integer" ? /^-?\d{1,15}$/ : /^-?\d{1,15}(\.\d{1,15})?$/;
      return pattern.test(text) ? Number(text) : text;
    }
    default:
      return text;
  }
}

function clamped(node: Node, value: number): number {
  const size = sizeOf(node);
  return size === null ? value : Math.min(Math.max(value, size.min), size.max);
}

function sizeOf({ minimum, maximum, default: otherwise, ...node }: Node): PageSize | null {
  const isSize = node[clampedKeyword] === true && typeof otherwise === "number";
  if (!isSize || minimum === undefined || maximum === undefined) return null;
  return { min: minimum, max: maximum, default: otherwise };
}

function wrongType(node: Node, path: string): ApiError {
  const types = (node.anyOf ?? [node]).map((one) => one.type ?? typeof one.enum?.[0]);
  const wanted = [...new Set(types)].map((type) => `${article(type)} ${type}`).join(" or ");
  return new ApiError("INVALID_BODY", `"${path}" must be ${wanted}.`, { field: path });
}

const article = (noun: string): string => (/^[aeio]/.test(noun) ? "an" : "a");
const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Writes a path as text: `["glossary", "2", "term"]` → `glossary[2].term`. */
function fieldName(path: readonly string[]): string {
  return path.reduce(
    (name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : join(name, part)),
    "",
  );
}
