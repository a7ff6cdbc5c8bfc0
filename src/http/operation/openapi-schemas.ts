import { isObject } from "./input";

export type Json = Readonly<Record<string, unknown>>;

const ownKeywords: ReadonlySet<string> = new Set(["$id", "x-clamped", "x-trimmed"]);

/** Patterns that have a name in JSON Schema. */
const formats: readonly (readonly [start: string, format: string])[] = [
  ["^\\d{4}-\\d{2}-\\d{2}$", "date"],
  ["^\\d{4}-\\d{2}-\\d{2}T", "date-time"],
];

/** A TypeBox schema as the document shows it: plain JSON Schema, in the shortest form that says the same. */
export function shownSchema(schema: unknown): Json {
  const shown: Record<string, unknown> = {};
  if (!isObject(schema)) return shown;
  for (const [key, value] of Object.entries(schema)) {
    if (ownKeywords.has(key)) continue;
    if (key === "pattern" && typeof value === "string") {
      const format = formats.find(([start]) => value.startsWith(start))?.[1];
      if (format !== undefined) {
        shown.format = format;
        continue;
      }
    }
    const part = partOf(schema, key, value);
    if (part !== undefined) shown[key] = part;
  }
  if (isObject(shown.properties) && Object.keys(shown.properties).length === 0) {
    delete shown.properties;
  }
  // A constant says its type itself.
  if (shown.const !== undefined) delete shown.type;
  return withNull(withOpenKeys(shown));
}

/**
 * An object with keys of its own, in the form that generators of clients read: they take one without any properties
 * for one that is empty, and many do not know `patternProperties`.
 */
function withOpenKeys(shown: Json): Json {
  const { patternProperties, ...rest } = shown;
  if (shown.additionalProperties !== undefined) return shown;
  if (patternProperties === undefined) {
    const isOpen = shown.type === "object" && shown.properties === undefined;
    return isOpen ? { ...shown, additionalProperties: {} } : shown;
  }
  const [[pattern = "", schema] = []] = isObject(patternProperties)
    ? Object.entries(patternProperties)
    : [];
  const names = pattern === anyKey ? {} : { propertyNames: { pattern } };
  return { ...rest, ...names, additionalProperties: schema };
}

const anyKey = "^.*$";

function partOf(schema: Json, key: string, value: unknown): unknown {
  if (isMap(key) && isObject(value)) return mapped(value, shownSchema);
  if (isList(key) && Array.isArray(value)) return value.map(shownSchema);
  if (isSchema(key) && isObject(value)) return shownSchema(value);
  if (key === "required" && Array.isArray(value)) return needed(schema, value);
  return value;
}

/** Tells whether a key of a schema maps names to schemas. */
const isMap = (key: string): boolean => key === "properties" || key === "patternProperties";
const isList = (key: string): boolean => key === "anyOf" || key === "allOf" || key === "oneOf";
const isSchema = (key: string): boolean => key === "items" || key === "additionalProperties";

export const mapped = (map: Json, change: (one: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(map).map(([name, one]) => [name, change(one, name)]));

/** Returns the names that must be sent, which are those without a default. */
function needed({ properties }: Json, names: readonly unknown[]): readonly unknown[] | undefined {
  const known = isObject(properties) ? properties : {};
  const left = names.filter((name) => {
    const property = known[String(name)];
    return !isObject(property) || property.default === undefined;
  });
  return left.length === 0 ? undefined : left;
}

/** `anyOf` of a value and null in its short form, where the value has one. */
function withNull(shown: Json): Json {
  const { anyOf, ...rest } = shown;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return shown;
  const [one, none]: unknown[] = anyOf;
  if (!isObject(one) || !isObject(none) || none.type !== "null") return shown;
  if (typeof one.type === "string" && !isLarge(one)) {
    return { ...one, ...rest, type: [one.type, "null"] };
  }
  return Array.isArray(one.enum) ? { ...one, ...rest, enum: [...one.enum, null] } : shown;
}

/** Tells whether a schema is large: it is shared then, with and without null. */
const isLarge = (schema: Json): boolean =>
  schema.properties !== undefined || schema.items !== undefined;

/**
 * Schemas that stand in more than one place become components, to which the places refer. They are found by their text,
 * so that a field which several features describe alike is described once, whoever wrote it.
 */
export class SharedSchemas {
  /** The number of places in the document by the text of a schema; places in shared ones count once. */
  readonly #places = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly components: Record<string, unknown> = {};

  /** Counts a schema. All are counted before any is shown. */
  count(schema: unknown): void {
    const text = JSON.stringify(schema);
    const places = this.#places.get(text) ?? 0;
    this.#places.set(text, places + 1);
    if (places > 0 || !isObject(schema)) return;
    for (const part of partsOf(schema)) this.count(part);
  }

  /** `field` is the name of the field, from which a shared schema gets its own. */
  shown(schema: unknown, field: string): unknown {
    const name = formOf(schema) ?? field;
    const text = JSON.stringify(schema);
    if (!this.#isShared(text, name)) return this.#inside(schema, name);
    const known = this.#names.get(text);
    if (known !== undefined) return refTo(known);
    const free = this.#freeName(name);
    this.#names.set(text, free);
    this.components[free] = {};
    this.components[free] = this.#inside(schema, name);
    return refTo(free);
  }

  #inside(schema: unknown, name: string): unknown {
    if (!isObject(schema)) return schema;
    return mapped(schema, (part, key) => {
      if (isMap(key) && isObject(part)) {
        return mapped(part, (one, field) => this.shown(one, field));
      }
      if (isList(key) && Array.isArray(part)) return part.map((one) => this.shown(one, name));
      if (key === "items") return this.shown(part, `${name}-item`);
      return isSchema(key) && isObject(part) ? this.shown(part, name) : part;
    });
  }

  #isShared(text: string, name: string): boolean {
    const places = this.#places.get(text) ?? 0;
    const ref = JSON.stringify(refTo(this.#names.get(text) ?? name)).length;
    return (places - 1) * text.length > places * ref + name.length + 4;
  }

  /** Returns a name that is not taken: `until` → `Until`, `Until2` … */
  #freeName(field: string): string {
    const words = field.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first) =>
      first.toUpperCase(),
    );
    // The pattern of names that may be any has no word in it.
    const name = words.replace(/\W+/g, "") || "Value";
    let free = name;
    const stem = /\d$/.test(name) ? `${name}_` : name;
    for (let count = 2; Object.hasOwn(this.components, free); count++) free = `${stem}${count}`;
    return free;
  }
}

/**
 * Texts of which nothing but the length is said are alike under many names: they are called by it, as a token must not
 * be described as the id of a session. Null for every other schema.
 */
function formOf(schema: unknown): string | null {
  if (!isObject(schema) || schema.type !== "string" || schema.maxLength === undefined) return null;
  const said = Object.keys(schema).filter(
    (key) => !/^(type|x-trust|minLength|maxLength)$/.test(key),
  );
  return said.length > 0 ? null : `text-${schema.maxLength}`;
}

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function partsOf(schema: Json): readonly unknown[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (isMap(key) && isObject(value)) return Object.values(value);
    if (isList(key) && Array.isArray(value)) return value;
    return isSchema(key) && isObject(value) ? [value] : [];
  });
}
