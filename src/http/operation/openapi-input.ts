import { isObject } from "./input";
import { type Json, shownSchema } from "./openapi-schemas";
import type { Operation } from "./operation";
import { termsOnly, withTerms } from "./terms";

/** A field of a query, or a whole body. */
export interface Input {
  readonly place: "parameter" | "body";
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Json;
  /** The value of a required parameter in the operation's example. */
  readonly example?: unknown;
}

export function inputOf({ takes, takesQuery, csv, hasReceipt, doc }: Operation): readonly Input[] {
  const forms = { hasTable: csv !== undefined, hasReceipt };
  // A body's operation may have the terms in the query or the body; they are described once, as parameters.
  const schema = shownSchema(takesQuery ? withTerms(takes, forms) : takes);
  const { properties, required } = fieldsOf(schema);
  if (Object.keys(properties).length === 0) return [];
  if (takesQuery) return parametersOf(schema, doc.example?.input);
  const body = { name: takes.$id ?? "Body", isRequired: required.length > 0, schema };
  return [{ place: "body", ...body }, ...parametersOf(shownSchema(termsOnly(forms)))];
}

function parametersOf(schema: Json, example: Json = {}): readonly Input[] {
  const { properties, required } = fieldsOf(schema);
  return Object.entries(properties).map(([field, one]) => ({
    place: "parameter",
    name: field,
    isRequired: required.includes(field),
    schema: isObject(one) ? one : {},
    ...(required.includes(field) && { example: example[field] }),
  }));
}

function fieldsOf({ properties, required }: Json) {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return { properties: isObject(properties) ? properties : {}, required: names };
}

export const pathParameter = (name: string): Json => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string" },
});

/** The headers of an operation's own as parameters, none of which is required. */
export const headerParameters = ({ doc }: Operation): readonly Json[] =>
  Object.entries(doc.headers ?? {}).map(([name, description]) => ({
    name,
    in: "header",
    description,
    schema: { type: "string" },
  }));

export function queryParameter({ name, isRequired, schema }: Input): Json {
  const { description, ...rest } = schema;
  return {
    name,
    in: "query",
    ...(isRequired && { required: true }),
    ...(description !== undefined && { description }),
    schema: rest,
  };
}

/** Parameters that are the same in several operations, as those in paths and headers are. */
export class SharedParameters {
  readonly #counts = new Map<string, number>();
  readonly #names = new Map<string, string>();
  /** The example of the first operation that has one: it is no reason to describe a parameter twice. */
  readonly #examples = new Map<string, unknown>();
  readonly components: Record<string, unknown> = {};

  constructor(parts: readonly Input[]) {
    for (const part of parts) {
      if (part.place !== "parameter") continue;
      const text = JSON.stringify(queryParameter(part));
      this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
      if (part.example !== undefined && !this.#examples.has(text))
        this.#examples.set(text, part.example);
    }
  }

  shown(parameter: Json): Json {
    const text = JSON.stringify(parameter);
    const isShared = parameter.in !== "query" || (this.#counts.get(text) ?? 0) > 1;
    const example = this.#examples.get(text);
    const shown = { ...parameter, ...(example !== undefined && { example }) };
    if (!isShared) return shown;
    const name = this.#names.get(text) ?? this.#add(text, shown);
    return { $ref: `#/components/parameters/${name}` };
  }

  #add(text: string, parameter: Json): string {
    const name = String(parameter.name);
    let free = name;
    for (let count = 2; Object.hasOwn(this.components, free); count++) free = `${name}${count}`;
    this.#names.set(text, free);
    this.components[free] = parameter;
    return free;
  }
}
