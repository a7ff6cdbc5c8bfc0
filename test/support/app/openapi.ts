import { expect } from "bun:test";
import type { TestApp } from "./app";

/** The OpenAPI document as tests read it. */
export interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly (Component | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: unknown }>> };
  readonly responses: Readonly<Record<string, Reference | Component>>;
}
export interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<"schemas" | "parameters" | "responses", Components>>;
}
type PathItem = Readonly<Record<string, Described>> & {
  /** The parameters of all operations of the path. */
  readonly parameters?: readonly Reference[];
};
type Components = Readonly<Record<string, Component>>;
export interface Component {
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly content?: Readonly<
    Record<string, { readonly schema: unknown; readonly example?: unknown }>
  >;
}
export interface ErrorSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, unknown>> & {
    readonly error: { readonly anyOf: readonly { readonly enum: readonly string[] }[] };
  };
}
interface Reference {
  readonly $ref: string;
}

const isForeign = (path: string): boolean => path.startsWith("/in/{source}/");

/** What it says of operations; those of other products' clients are `foreignIn`. */
export const described = ({ paths }: Document) =>
  itemsOf(Object.entries(paths).filter(([path]) => !isForeign(path)));
export const foreignIn = ({ paths }: Document) =>
  itemsOf(Object.entries(paths).filter(([path]) => isForeign(path)));

const itemsOf = (paths: readonly (readonly [string, PathItem])[]) =>
  paths.flatMap(([path, { parameters: _, ...item }]) =>
    Object.entries(item).map(([method, one]) => ({ name: `${method.toUpperCase()} ${path}`, one })),
  );

export async function documentOf(app: TestApp, query = "") {
  const answer = await app.send("GET", `/openapi.json?${query}`);
  const body = await answer.text();
  return { text: body, document: JSON.parse(body) as Document };
}

/** Every reference leads somewhere, and everything that can be referred to is. */
export function expectWholeRefs(body: string, { components }: Document): void {
  const refs = [...body.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)];
  const used = new Set(refs.map(([, kind, name]) => `${kind} ${name}`));
  const known = new Set(
    (["schemas", "parameters", "responses"] as const).flatMap((kind) =>
      Object.keys(components[kind]).map((name) => `${kind} ${name}`),
    ),
  );
  expect([...used].filter((one) => !known.has(one))).toEqual([]);
  expect([...known].filter((one) => !used.has(one))).toEqual([]);
}

export const parameterOf = ({ components }: Document, one: Component | Reference): Component =>
  "$ref" in one ? (components.parameters[one.$ref.split("/").at(-1) ?? ""] ?? {}) : one;

/** Each answer has its type, two where there is CSV, and the schema that the operation has for it. */
export function expectAnswers(
  app: TestApp,
  of: Document,
  name: string,
  { responses }: Described,
): void {
  const operation = app.operations.find((one) => one.name === name);
  const types = operation?.csv === undefined ? 1 : 2;
  const statuses = Object.keys(operation?.returns ?? {});
  expect([name, statuses.filter((status) => responses[status] === undefined)]).toEqual([name, []]);
  expect<unknown>(responses.default).toEqual({ $ref: "#/components/responses/Refusal" });
  for (const [status, one] of Object.entries(responses)) {
    if (status === "default" || status === "302") continue;
    const { content = {} } = resolved(of, one) as Component;
    const [{ schema } = { schema: null }] = Object.values(content);
    expect([name, status, Object.keys(content).length, typeof schema]).toEqual([
      name,
      status,
      types,
      "object",
    ]);
    expect([name, status, JSON.stringify(schema).length > 10]).toEqual([name, status, true]);
  }
}

/** Writes a schema with its components in it: which ones are shared differs from document to document. */
export function resolved(of: Document, value: unknown): Record<string, unknown> {
  const write = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(write);
    if (typeof one !== "object" || one === null) return one;
    const { $ref } = one as { $ref?: string };
    const [, , kind = "", name = ""] = $ref?.split("/") ?? [];
    if ($ref !== undefined) return write(of.components[kind as "schemas"]?.[name]);
    return Object.fromEntries(Object.entries(one).map(([key, part]) => [key, write(part)]));
  };
  return write(value) as Record<string, unknown>;
}
