import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, type Node } from "../../src/http/operation/input";
import { tagsOf } from "../../src/http/operation/openapi-document";
import { dialectDocuments } from "../../src/ingest/dialects/documents";
import { type TestApp, testApp } from "../support/app/app";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const writers = ["visitor", "owner", "server"];
const bounds = ["enum", "const", "format", "pattern"];

/** Returns the places of texts of which the schema says neither who wrote them nor what they may be. */
function unmarked(node: unknown, path = ""): string[] {
  if (!isObject(node)) return [];
  if (node["x-trust"] !== undefined && !writers.includes(String(node["x-trust"]))) return [path];
  // A mark on an object or a list is on all that is in it.
  if (bounds.some((one) => one in node) || "x-trust" in node) return [];
  const { type, anyOf, items, properties, patternProperties, additionalProperties } = node;
  const parts = [
    ...(Array.isArray(anyOf) ? anyOf.flatMap((one) => unmarked(one, path)) : []),
    ...(items === undefined ? [] : unmarked(items, `${path}[]`)),
    ...unmarkedFields(properties, path),
    ...unmarkedFields(patternProperties, path),
    ...unmarked(additionalProperties, `${path}.*`),
  ];
  const isText = [type].flat().includes("string");
  const isAny = type === undefined && anyOf === undefined && node.$ref === undefined;
  return isText || isAny ? [path, ...parts] : parts;
}
const unmarkedFields = (fields: unknown, path: string): string[] =>
  isObject(fields)
    ? Object.entries(fields).flatMap(([name, one]) => unmarked(one, `${path}.${name}`))
    : [];

describe("who wrote a text", () => {
  test("is said of every text of every answer, or the text is bounded", () => {
    const found = app.operations.flatMap(({ name, returns }) =>
      Object.values<Node>(returns).flatMap((one) => unmarked(one).map((at) => `${name} ${at}`)),
    );
    expect(found).toEqual([]);
    expect(app.operations.length).toBeGreaterThan(100);
  });

  test("is said in the documents", async () => {
    const served = { operations: app.operations, foreign: dialectDocuments };
    for (const query of ["", "?tag=all", ...tagsOf(served).map((tag) => `?tag=${tag}`)]) {
      const { paths, components } = (await (
        await app.send("GET", `/openapi.json${query}`)
      ).json()) as {
        paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
        components: { schemas: Record<string, unknown>; responses: Record<string, Answer> };
      };
      const answers = Object.entries(paths).flatMap(([path, item]) =>
        Object.values(item).flatMap((one) =>
          isObject(one) && isObject(one.responses)
            ? Object.values(one.responses).map((answer) => [path, answer as Answer] as const)
            : [],
        ),
      );
      const found = [...answers, ...Object.entries(components.responses)].flatMap(
        ([path, { content = {} }]) =>
          Object.values(content).flatMap(({ schema }) =>
            schema === undefined ? [] : withShared(schema, components.schemas).map(inPath(path)),
          ),
      );
      expect([query, found]).toEqual([query, []]);
    }
  });

  test("a text that nobody has looked at is found", () => {
    const text = { type: "string" };
    for (const [node, at] of [
      [text, ""],
      [{ type: "object", properties: { a: { anyOf: [text, { type: "null" }] } } }, ".a"],
      [{ type: "object", properties: { a: { type: ["string", "null"] } } }, ".a"],
      [{ type: "array", items: { type: "object", properties: { b: text } } }, "[].b"],
      [{ type: "object", patternProperties: { "^.*$": text } }, ".^.*$"],
      [{ type: "object", additionalProperties: {} }, ".*"],
    ] as const) {
      expect(unmarked(node)).toEqual([at]);
    }
    expect(unmarked({ ...text, "x-trust": "nobody" })).toEqual([""]);
    for (const one of [{ "x-trust": "server" }, { format: "date" }, { pattern: "^a$" }]) {
      expect(unmarked({ ...text, ...one })).toEqual([]);
    }
  });
});

interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>;
}
const inPath = (path: string) => (at: string) => `${path} ${at}`;

/** Looks at a schema with those that it refers to, each once. */
function withShared(schema: unknown, schemas: Readonly<Record<string, unknown>>): string[] {
  const names = [...JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g)];
  const seen = new Set<string>();
  const waiting = names.map(([, name = ""]) => name);
  const found = unmarked(schema);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    found.push(...unmarked(schemas[name], name));
    const further = JSON.stringify(schemas[name]).matchAll(/#\/components\/schemas\/(\w+)/g);
    waiting.push(...[...further].map(([, one = ""]) => one));
  }
  return found;
}
