import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { type Operation, operations } from "../../src/http/operation/endpoint-index";
import { type TestApp, testApp } from "../support/app";

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: unknown }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: unknown }>> }>
  >;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

let app: TestApp;
let text: string;
let document: Document;
beforeAll(async () => {
  app = await testApp();
  text = await (await app.send("GET", "/openapi.json")).text();
  document = JSON.parse(text) as Document;
});
afterAll(() => app.close());

/** Operations for everybody that still refuse with 401. */
const withSecretsOfTheirOwn: ReadonlySet<string> = new Set([
  "GET /metrics",
  "POST /auth/login",
  "POST /agent-sessions/poll",
  "POST /agent-sessions/exchange",
  "POST /agent-sessions/refresh",
]);

const described = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => ({ name: `${method.toUpperCase()} ${path}`, one })),
  );

describe("/openapi.json", () => {
  test("is valid OpenAPI 3.1 of version 1.0.0 of the interface", async () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.0.0");
    const verdict = await new Validator().validate(JSON.parse(text));
    expect(verdict.errors ?? []).toEqual([]);
    expect(verdict.valid).toBe(true);
  });

  test("describes every mounted operation, and no page", () => {
    const mounted = app.routes
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
      .filter((name) => Object.hasOwn(operations, name));
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
      expect([name, one.description.length > 80]).toEqual([name, true]);
    }
  });

  test("gives each its answers and its errors with their schemas", () => {
    for (const { name, one } of described()) {
      const statuses = Object.keys(one.responses).map(Number);
      expect([name, statuses.some((status) => status < 300)]).toEqual([name, true]);
      expect([name, statuses.includes(500), statuses.includes(503)]).toEqual([name, true, true]);
      for (const [status, { content }] of Object.entries(one.responses)) {
        const schemas = Object.values(content ?? {}).map(({ schema }) => schema);
        const bodies = status === "302" ? 0 : 1;
        expect([name, status, schemas.length]).toEqual([name, status, bodies]);
        const error = { $ref: "#/components/schemas/Error" };
        const notReady = { anyOf: [{ $ref: "#/components/schemas/NotReady" }, error] };
        const isReady = name === "GET /health/ready" && status === "503";
        if (Number(status) >= 400) expect(schemas).toEqual([isReady ? notReady : error]);
      }
      const operation: Operation = operations[name as keyof typeof operations];
      const needsNothing = operation.access === "none" || operation.access === "token";
      expect([name, statuses.includes(401)]).toEqual([
        name,
        !needsNothing || withSecretsOfTheirOwn.has(name) || operation.access === "token",
      ]);
      expect([name, (one.security ?? []).length === 0]).toEqual([name, needsNothing]);
    }
  });

  test("refers only to schemas it has, and hides our own keywords", () => {
    const names = new Set(Object.keys(document.components.schemas));
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      expect([name, names.has(name)]).toEqual([name, true]);
    }
    expect(text).not.toContain("#/components/parameters");
    expect(text).not.toContain("x-clamped");
    expect(text).not.toContain("$id");
  });

  test("says which parameters an operation takes", () => {
    const names = (path: string, method: string) =>
      (document.paths[path]?.[method]?.parameters ?? []).map((one) => `${one.in} ${one.name}`);
    expect(names("/stats", "get").sort()).toEqual([
      "query filters",
      "query groupBy",
      "query project",
      "query since",
      "query until",
    ]);
    expect(names("/projects/{id}", "get")).toEqual(["path id"]);
    expect(
      document.paths["/query"]?.post?.requestBody?.content["application/json"]?.schema,
    ).toEqual({
      $ref: "#/components/schemas/QueryRequest",
    });
  });
});

describe("/docs", () => {
  test("is a page that loads nothing from elsewhere", async () => {
    const page = await app.send("GET", "/docs");
    const html = await page.text();
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*/);
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = ""]) => url);
    for (const url of loaded.filter((one) => one !== "data:,")) {
      expect(url.startsWith("/docs/")).toBe(true);
      const file = await app.send("GET", url);
      expect([url, file.status]).toEqual([url, 200]);
      expect((await file.text()).length).toBeGreaterThan(50);
    }
    expect(await (await app.send("GET", "/docs/start.js")).text()).toContain(
      'url: "/openapi.json"',
    );
  });
});
