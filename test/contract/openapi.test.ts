import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { AccessRule } from "../../src/http/operation/facts";
import { type TestApp, testApp } from "../support/app/app";
import {
  type Described,
  type Document,
  described,
  documentOf,
  expectAnswers,
  expectWholeRefs,
  parameterOf,
  resolved,
} from "../support/app/openapi";
import { endpointIndex } from "../support/app/operations";

/** It compiles the schema of OpenAPI, which takes a second, when it is first used. */
const validator = new Validator();
const wholeBytesMax = 400_000;
/** What counts for its readers is what is sent to them. */
const wholeGzipBytesMax = 80_000;
/** A part that an agent reads at once has what the whole had before its answers were in it. */
const tagCharsMax = 120_000;

let app: TestApp;
let text: string;
let document: Document;
beforeAll(async () => {
  app = await testApp();
  ({ text, document } = await documentOf(app));
});
afterAll(() => app.close());

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
      described(document)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(mounted.sort());
  });

  test("gives each an id of its own and a description that an agent can act on", () => {
    const ids = described(document).map(({ one }) => one.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, one } of described(document)) {
      expect([name, /^[a-z][A-Za-z]+$/.test(one.operationId)]).toEqual([name, true]);
      expect([name, one.summary.length > 5]).toEqual([name, true]);
      expect([name, one.summary.length + one.description.length > 80]).toEqual([name, true]);
    }
  });

  test("has the same for the operations of a tag", async () => {
    for (const tag of new Set(described(document).map(({ one }) => one.tags[0] ?? ""))) {
      const ofTag = await documentOf(app, `tag=${encodeURIComponent(tag)}`);
      expect((await validator.validate(JSON.parse(ofTag.text))).errors ?? []).toEqual([]);
      expect([tag, ofTag.text.length < tagCharsMax]).toEqual([tag, true]);
      expectWholeRefs(ofTag.text, ofTag.document);
      const own = described(document).filter(({ one }) => one.tags[0] === tag);
      expect(described(ofTag.document).map(({ name }) => name)).toEqual(
        own.map(({ name }) => name),
      );
      for (const [at, { name, one }] of described(ofTag.document).entries()) {
        expectAnswers(app, ofTag.document, name, one);
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

  test("asks for the credentials that the index names", () => {
    for (const { name, one } of described(document)) {
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
    expect(gzipSync(text).length).toBeLessThan(wholeGzipBytesMax);
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
    const reads = await documentOf(app, "tag=Reads");
    expect(Object.keys(reads.document.paths)).toEqual(
      Object.entries(document.paths)
        .filter(([, { parameters: _, ...item }]) =>
          Object.values(item).some(({ tags }) => tags.includes("Reads")),
        )
        .map(([path]) => path),
    );
    const both = await documentOf(app, "tag=reads,Service");
    expect(both.text).toBe((await documentOf(app, "tag=Service&tag=Reads")).text);
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
