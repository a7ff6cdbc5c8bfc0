import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { errorStatus } from "../../src/domain/errors";
import { type AccessRule, endpointIndex } from "../../src/http/operation/endpoint-index";
import { codesOf } from "../../src/http/operation/openapi";
import { type TestApp, testApp } from "../support/app";

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly (Component | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: unknown }>> };
  readonly responses: Readonly<Record<string, Reference | Component>>;
}
interface Document {
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
interface Component {
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly content?: Readonly<
    Record<string, { readonly schema: unknown; readonly example?: unknown }>
  >;
}
interface ErrorSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, unknown>> & {
    readonly error: { readonly anyOf: readonly { readonly enum: readonly string[] }[] };
  };
}
interface Reference {
  readonly $ref: string;
}

/** It compiles the schema of OpenAPI, which takes a second, when it is first used. */
const validator = new Validator();
const wholeBytesMax = 300_000;
const tagCharsMax = 100_000;

let app: TestApp;
let text: string;
let document: Document;
beforeAll(async () => {
  app = await testApp();
  text = await (await app.send("GET", "/openapi.json")).text();
  document = JSON.parse(text) as Document;
});
afterAll(() => app.close());

const described = ({ paths } = document) =>
  Object.entries(paths).flatMap(([path, { parameters: _, ...item }]) =>
    Object.entries(item).map(([method, one]) => ({ name: `${method.toUpperCase()} ${path}`, one })),
  );

describe("/openapi.json", () => {
  test("is valid OpenAPI 3.1 of version 1.0.0 of the interface", async () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.0.0");
    const verdict = await validator.validate(JSON.parse(text));
    expect(verdict.errors ?? []).toEqual([]);
    expect(verdict.valid).toBe(true);
  });

  test("describes every mounted operation, and no page", () => {
    const mounted: string[] = app.operations.map(({ name }) => name);
    expect(
      described()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(mounted.sort());
  });

  test("gives each an id of its own and a description that an agent can act on", () => {
    const ids = described().map(({ one }) => one.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, one } of described()) {
      expect([name, /^[a-z][A-Za-z]+$/.test(one.operationId)]).toEqual([name, true]);
      expect([name, one.summary.length > 5]).toEqual([name, true]);
      expect([name, one.summary.length + one.description.length > 80]).toEqual([name, true]);
    }
  });

  test("has what each answers and refuses with, and is asked for by tag=all too", async () => {
    for (const { name, one } of described()) expectAnswers(document, name, one);
    expectWholeRefs(text, document);
    expect(document.paths["/journey"]?.post?.responses[200]).toHaveProperty("$ref");
    expect((await documentOf("tag=all")).text).toBe(text);
  });

  test("says of an error which fields it may have, for every code", () => {
    const error = document.components.schemas.Error as unknown as ErrorSchema;
    const codes = error.properties.error.anyOf.flatMap((one) => one.enum);
    expect(codes.toSorted()).toEqual(Object.keys(errorStatus).toSorted());
    expect(Object.keys(error.properties)).toContainValues([
      ...["error", "message", "field", "index", "allowed", "reason", "required_scope"],
      ...["limit_bytes", "retry_after_seconds", "suggested_field", "available_properties"],
    ]);
    expect(error.required).toEqual(["error", "message"]);
  });

  test("has an example of each read: what is sent, and what is answered", () => {
    const reads = app.operations.filter(({ name, rule }) => rule.read && !/stream|ws/.test(name));
    expect(reads.length).toBeGreaterThan(20);
    for (const { name } of reads) {
      const { one } = described().find((other) => other.name === name) ?? {};
      const [status = ""] = Object.keys(one?.responses ?? {});
      const { content = {} } = resolved(document, one?.responses[status]) as Component;
      expect([name, content["application/json"]?.example]).toEqual([name, expect.anything()]);
      const { parameters = [] } = resolved(document, one) as { parameters?: Component[] };
      const needed = parameters.filter(({ required }) => required);
      const shown = needed.map((parameter) => [parameter.name, typeof parameter.example]);
      expect([name, shown.filter(([, type]) => type === "undefined")]).toEqual([name, []]);
    }
  });

  test("has the same for the operations of a tag", async () => {
    for (const tag of new Set(described().map(({ one }) => one.tags[0] ?? ""))) {
      const ofTag = await documentOf(`tag=${encodeURIComponent(tag)}`);
      expect((await validator.validate(JSON.parse(ofTag.text))).errors ?? []).toEqual([]);
      expect([tag, ofTag.text.length < tagCharsMax]).toEqual([tag, true]);
      expectWholeRefs(ofTag.text, ofTag.document);
      const own = described().filter(({ one }) => one.tags[0] === tag);
      expect(described(ofTag.document).map(({ name }) => name)).toEqual(
        own.map(({ name }) => name),
      );
      for (const [at, { name, one }] of described(ofTag.document).entries()) {
        expectAnswers(ofTag.document, name, one);
        // Its errors have the codes of these operations alone, and its parameters examples of these.
        const same = (of: Document, shown: Described | undefined) => {
          const { default: _, ...responses } = shown?.responses ?? {};
          const schemas = { ...of.components.schemas, Error: {} };
          const known = { ...of, components: { ...of.components, schemas } };
          const whole = resolved(known, { ...shown, responses }) as Partial<Described>;
          const parameters = whole.parameters?.map((one) => ({ ...one, example: null }));
          return { ...whole, parameters };
        };
        expect<unknown>([name, same(ofTag.document, one)]).toEqual([
          name,
          same(document, own[at]?.one),
        ]);
      }
    }
  });

  test("tells what each refuses with: its own codes in its words, those of its kind once", () => {
    const kinds = document.components.responses.Refusal?.description ?? "";
    const enums = JSON.stringify(document.components.schemas.Error);
    for (const { name, one } of described()) {
      expect<unknown>(one.responses.default).toEqual({ $ref: "#/components/responses/Refusal" });
      const operation = app.operations.find((known) => known.name === name);
      const codes = operation === undefined ? [] : codesOf(operation);
      expect([name, codes.length > 2]).toEqual([name, true]);
      for (const code of codes) {
        const isTold = `${one.description} ${kinds}`.includes(`\`${code}\``);
        expect([name, code, isTold, enums.includes(`"${code}"`)]).toEqual([name, code, true, true]);
      }
      for (const code of operation?.doc.errors ?? []) {
        const isOwn = one.description.includes(`\`${code}\``) || kinds.includes(`\`${code}\``);
        expect([name, code, isOwn]).toEqual([name, code, true]);
      }
    }
    expect(document.paths["/funnel"]?.post?.description).toContain("`INVALID_FUNNEL_STEPS`");
  });

  test("asks for the credentials that the index names", () => {
    for (const { name, one } of described()) {
      const { access }: AccessRule = endpointIndex[name as keyof typeof endpointIndex];
      const needsNothing = access === "none" || access === "token";
      expect([name, one.security?.length === 0]).toEqual([name, needsNothing]);
      if (access.includes(":")) expect(one.description).toContain(`Scope \`${access}\`.`);
    }
  });

  test("refers only to components it has, has none that nothing refers to, and hides our own keywords", () => {
    expectWholeRefs(text, document);
    expect(text).not.toContain("x-clamped");
    expect(text).not.toContain("$id");
  });

  test("says nothing twice, and stays small enough to be read whole", () => {
    expect(Buffer.byteLength(text)).toBeLessThan(wholeBytesMax);
    for (const kind of ["schemas", "parameters", "responses"] as const) {
      const texts = Object.values(document.components[kind]).map((one) => JSON.stringify(one));
      expect(new Set(texts).size).toBe(texts.length);
    }
    expect(text.split('"description":"Name or id of the project."').length - 1).toBeLessThan(4);
  });

  test("calls no text of which nothing but the length is said by the name of some field", () => {
    const plain = /^\{"type":"string",("x-trust":"\w+",)?("minLength":\d+,)?"maxLength":\d+\}$/;
    const { schemas } = document.components;
    const found = Object.keys(schemas).filter((name) => plain.test(JSON.stringify(schemas[name])));
    expect(found).toContain("Text256");
    expect(found.filter((name) => !/^Text\d+(_\d)?$/.test(name))).toEqual([]);
  });

  test("has what belongs to a tag alone, or to several", async () => {
    const reads = await documentOf("tag=Reads");
    expect(Object.keys(reads.document.paths)).toEqual(
      Object.entries(document.paths)
        .filter(([, { parameters: _, ...item }]) =>
          Object.values(item).some(({ tags }) => tags.includes("Reads")),
        )
        .map(([path]) => path),
    );
    const both = await documentOf("tag=reads,Service");
    expect(both.text).toBe((await documentOf("tag=Service&tag=Reads")).text);
    expect(Object.keys(both.document.paths)).toContain("/health");
    expect(Object.keys(both.document.paths)).not.toContain("/track");
    const refused = await app.send("GET", "/openapi.json?tag=Nothing");
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      field: "tag",
      allowed: expect.arrayContaining(["Reads"]),
    });
  });

  test("is asked for again without being sent again", async () => {
    const first = await app.send("GET", "/openapi.json");
    const tag = first.headers.get("etag") ?? "";
    expect(tag).not.toBe("");
    const again = await app.send("GET", "/openapi.json", { headers: { "if-none-match": tag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const other = await app.send("GET", "/openapi.json?tag=Reads", {
      headers: { "if-none-match": tag },
    });
    expect(other.status).toBe(200);
  });

  test("says which parameters an operation takes", () => {
    const names = (path: string, method: string) =>
      [
        ...(document.paths[path]?.parameters ?? []),
        ...(document.paths[path]?.[method]?.parameters ?? []),
      ]
        .map((one) => parameterOf(document, one))
        .map((one) => `${one.in} ${one.name}`);
    expect(names("/stats", "get").sort()).toEqual([
      "query context",
      "query filters",
      "query format",
      "query groupBy",
      "query project",
      "query receipt",
      "query since",
      "query tz",
      "query until",
    ]);
    expect(names("/projects/{id}", "get")).toEqual(["path id"]);
    for (const path of Object.keys(document.paths)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => `path ${part}`);
      const told = names(path, "").filter((one) => one.startsWith("path "));
      expect([path, told]).toEqual([path, inPath]);
    }
    const { schema } =
      document.paths["/query"]?.post?.requestBody?.content["application/json"] ?? {};
    expect(schema).toMatchObject({
      required: ["project"],
      properties: { filters: { $ref: "#/components/schemas/Filters" } },
    });
  });
});

async function documentOf(query: string) {
  const answer = await app.send("GET", `/openapi.json?${query}`);
  const body = await answer.text();
  return { text: body, document: JSON.parse(body) as Document };
}

/** Every reference leads somewhere, and everything that can be referred to is. */
function expectWholeRefs(body: string, { components }: Document): void {
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

const parameterOf = ({ components }: Document, one: Component | Reference): Component =>
  "$ref" in one ? (components.parameters[one.$ref.split("/").at(-1) ?? ""] ?? {}) : one;

/** Each answer has its type, two where there is CSV, and the schema that the operation has for it. */
function expectAnswers(of: Document, name: string, { responses }: Described): void {
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
function resolved(of: Document, value: unknown): Record<string, unknown> {
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
