import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorStatus } from "../../src/domain/errors";
import { codesOf } from "../../src/http/operation/openapi";
import { type TestApp, testApp } from "../support/app/app";
import {
  type Component,
  type Document,
  described,
  documentOf,
  type ErrorSchema,
  expectAnswers,
  expectWholeRefs,
  resolved,
} from "../support/app/openapi";

let app: TestApp;
let text: string;
let document: Document;
beforeAll(async () => {
  app = await testApp();
  ({ text, document } = await documentOf(app));
});
afterAll(() => app.close());

describe("/openapi.json by itself", () => {
  test("has what each answers and refuses with, and is asked for by tag=all too", async () => {
    for (const { name, one } of described(document)) expectAnswers(app, document, name, one);
    expectWholeRefs(text, document);
    expect(document.paths["/journey"]?.post?.responses[200]).toHaveProperty("$ref");
    expect((await documentOf(app, "tag=all")).text).toBe(text);
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
      const { one } = described(document).find((other) => other.name === name) ?? {};
      const [status = ""] = Object.keys(one?.responses ?? {});
      const { content = {} } = resolved(document, one?.responses[status]) as Component;
      expect([name, content["application/json"]?.example]).toEqual([name, expect.anything()]);
      const { parameters = [] } = resolved(document, one) as { parameters?: Component[] };
      const needed = parameters.filter(({ required }) => required);
      const shown = needed.map((parameter) => [parameter.name, typeof parameter.example]);
      expect([name, shown.filter(([, type]) => type === "undefined")]).toEqual([name, []]);
    }
  });

  test("tells what each refuses with: its own codes in its words, those of its kind once", () => {
    const kinds = document.components.responses.Refusal?.description ?? "";
    const enums = JSON.stringify(document.components.schemas.Error);
    for (const { name, one } of described(document)) {
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
});
