import { afterAll, beforeAll, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { dialectDocuments } from "../../src/ingest/dialects/documents";
import { dialects } from "../../src/ingest/dialects/list";
import { endpointAt } from "../../src/ingest/dialects/paths";
import type { TestApp } from "../support/app/app";
import { documentOf, foreignIn } from "../support/app/openapi";
import { openApp, sourceOf } from "./world";

/** What the OpenAPI document says of other products' clients is what the server does. */
let app: TestApp;
beforeAll(async () => {
  app = await openApp();
});
afterAll(() => app.close());

const headers = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
};
const below = (path: string): string => path.replace("/in/{source}", "");
const typeOf = (answer: Response): string =>
  (answer.headers.get("content-type") ?? "").split(";")[0] ?? "";

test("each dialect has one operation with all of its paths, in the whole document and that of its tag", async () => {
  const { document } = await documentOf(app);
  const names = dialectDocuments.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(foreignIn(document).map(({ name }) => name)).toEqual(names);
  const ofTag = await documentOf(app, "tag=Other%20clients");
  expect(foreignIn(ofTag.document)).toEqual(foreignIn(document));
  expect((await new Validator().validate(JSON.parse(ofTag.text))).errors ?? []).toEqual([]);
  expect(foreignIn((await documentOf(app, "tag=Reads")).document)).toEqual([]);
  for (const [at, { kind, endpoints }] of dialects.entries()) {
    const { description, method, path } = dialectDocuments[at]!;
    const found = endpointAt(below(path), kind)?.endpoint;
    expect([kind, found?.methods.includes(method === "get" ? "GET" : "POST")]).toEqual([
      kind,
      true,
    ]);
    for (const one of endpoints) expect(description).toContain(`\`${one.path}\``);
  }
});

test.each(dialects.map((dialect, at) => [dialect.kind, dialectDocuments[at]!] as const))(
  "the request that is shown of %s is answered as shown, and stores an event",
  async (kind, { path, method, query, body, answer: shown, refused }) => {
    const world = await sourceOf(app, kind);
    const place = `${below(path)}?${new URLSearchParams(query)}`;
    const call = { headers, ...(body !== undefined && { body }) };
    const answer = await world.send(method.toUpperCase(), place, call);
    const text = await answer.text();
    expect([answer.status, typeOf(answer)]).toEqual([shown.status, shown.type]);
    if (shown.example !== undefined) {
      expect<unknown>(shown.type === "text/plain" ? text : JSON.parse(text)).toEqual(shown.example);
    }
    expect((await world.events()).length).toBe(1);
    const empty = method === "get" ? below(path) : place;
    const wrong = await world.send(method.toUpperCase(), empty, {
      headers,
      ...(body !== undefined && { body: {} }),
    });
    expect([wrong.status, typeOf(wrong)]).toEqual([400, refused.type]);
  },
);
