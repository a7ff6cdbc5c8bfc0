import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { type AccessRule, endpointIndex } from "../../src/http/operation/endpoint-index";
import { type TestApp, testApp } from "../support/app";

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: unknown }>> };
  readonly responses: Readonly<Record<string, Answered>>;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly responses: Readonly<Record<string, Answered>>;
  };
}
interface Answered {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, { schema: unknown }>>;
}

/** What is left of them compressed is a tenth. */
const wholeCharsMax = 330_000;
const readsCharsMax = 120_000;

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
  "GET /share/{token}",
  "POST /share/{token}",
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
      expect([name, one.description.length > 80]).toEqual([name, true]);
    }
  });

  test("gives each its answers and its errors with their schemas", () => {
    for (const { name, one } of described()) {
      const statuses = Object.keys(one.responses).map(Number);
      expect([name, statuses.some((status) => status < 300)]).toEqual([name, true]);
      expect([name, statuses.includes(500), statuses.includes(503)]).toEqual([name, true, true]);
      for (const [status, answered] of Object.entries(one.responses)) {
        const shared = answered.$ref?.replace("#/components/responses/", "");
        const { content } =
          shared === undefined ? answered : (document.components.responses[shared] ?? {});
        const schemas = Object.values(content ?? {}).map(({ schema }) => schema);
        const bodies = status === "302" ? 0 : 1;
        expect([name, status, schemas.length]).toEqual([name, status, bodies]);
        const error = { $ref: "#/components/schemas/Error" };
        const notReady = { anyOf: [{ $ref: "#/components/schemas/NotReady" }, error] };
        const isReady = name === "GET /health/ready" && status === "503";
        if (Number(status) >= 400) expect(schemas).toEqual([isReady ? notReady : error]);
      }
      const operation: AccessRule = endpointIndex[name as keyof typeof endpointIndex];
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

  test("tells refusals of the same status and codes once, and refers to them", () => {
    const texts = Object.values(document.components.responses).map((one) => JSON.stringify(one));
    expect(new Set(texts).size).toBe(texts.length);
    const inline = described().flatMap(({ name, one }) =>
      Object.entries(one.responses)
        .filter(([status, { $ref }]) => Number(status) >= 400 && $ref === undefined)
        .map(([status]) => `${name} ${status}`),
    );
    expect(inline).toEqual(["GET /health/ready 503"]);
    const { responses } = document.paths["/stats"]?.get ?? { responses: {} };
    const name = responses[401]?.$ref?.replace("#/components/responses/", "") ?? "";
    expect(document.components.responses[name]?.description).toBe(
      "`AUTH_REQUIRED`, `INVALID_TOKEN`, `INVALID_CREDENTIALS`",
    );
  });

  test("has no component that nothing refers to, and stays small", () => {
    for (const kind of ["schemas", "responses"] as const) {
      for (const name of Object.keys(document.components[kind])) {
        expect([name, text.includes(`"#/components/${kind}/${name}"`)]).toEqual([name, true]);
      }
    }
    expect(text.length).toBeLessThan(wholeCharsMax);
  });

  test("has what belongs to a tag alone, or to several", async () => {
    const ofTag = async (query: string) => {
      const answer = await app.send("GET", `/openapi.json?${query}`);
      const body = await answer.text();
      return { body, document: JSON.parse(body) as Document };
    };
    const reads = await ofTag("tag=Reads");
    expect(Object.keys(reads.document.paths)).toEqual(
      Object.entries(document.paths)
        .filter(([, item]) => Object.values(item).some(({ tags }) => tags.includes("Reads")))
        .map(([path]) => path),
    );
    expect(reads.document.components.schemas.Health).toBeUndefined();
    expect(reads.document.components.schemas.StatsResponse).toEqual(
      document.components.schemas.StatsResponse,
    );
    expect((await new Validator().validate(JSON.parse(reads.body))).errors ?? []).toEqual([]);
    expect(reads.body.length).toBeLessThan(readsCharsMax);
    const both = await ofTag("tag=reads,Service");
    expect(both.body).toBe((await ofTag("tag=Service&tag=Reads")).body);
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
      (document.paths[path]?.[method]?.parameters ?? []).map((one) => `${one.in} ${one.name}`);
    expect(names("/stats", "get").sort()).toEqual([
      "query context",
      "query filters",
      "query groupBy",
      "query project",
      "query since",
      "query tz",
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
