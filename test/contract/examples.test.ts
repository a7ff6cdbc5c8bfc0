import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { identifyCaller } from "../../src/http/auth/caller";
import { splitName } from "../../src/http/operation/facts";
import { checkFields, shapeBody, shapeQuery } from "../../src/http/operation/input";
import type { Operation } from "../../src/http/operation/operation";
import type { Example } from "../../src/http/operation/operation-doc";
import { clock } from "../../src/lib/clock";
import { type Json, type TestApp, testApp, visitorAgent } from "../support/app/app";
import { shortenDemo } from "../support/app/demo";
import { takesQuery } from "../support/app/operations";

/** Answers without an end have no example. */
const withoutExample: ReadonlySet<string> = new Set(["GET /stream", "GET /live/ws", "GET /export"]);

let app: TestApp;
let experimentId: string;
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  const of = { user_id: "u1", session_id: "s1" };
  await app.track(
    shop,
    { ...of, event: "page_view", properties: { path: "/", plan: "pro" } },
    { ...of, event: "signup", properties: { path: "/signup", plan: "pro" } },
    { ...of, event: "purchase", properties: { path: "/thanks", plan: "pro" } },
  );
  const experiment = { project: "shop", name: "hero", variants: ["control", "b"] };
  const made = await app.post("/experiments", { ...experiment, goal_event: "signup" });
  experimentId = String(made.id);
});
afterAll(() => app.close());

const reads = () =>
  app.operations.filter(({ name, rule }) => rule.read && !withoutExample.has(name));

/** The id of the example is that of another server. */
const paramsOf = ({ params = {} }: Example) =>
  Object.fromEntries(Object.keys(params).map((name) => [name, experimentId]));

function exampleOf({ name, doc }: Operation): Example {
  if (doc.example === undefined) throw new Error(`${name} has no example.`);
  return doc.example;
}

function urlOf({ name }: Operation, example: Example): string {
  const params = paramsOf(example);
  const path = splitName(name).path.replace(/\{(\w+)\}/g, (_, part: string) => params[part] ?? "");
  return takesQuery(name) ? `${path}?${queryOf(example)}` : path;
}

function queryOf({ input }: Example): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) query.set(name, String(value));
  return query;
}

async function answerOverHttp(operation: Operation): Promise<Json> {
  const example = exampleOf(operation);
  const { method } = splitName(operation.name);
  const body = takesQuery(operation.name) ? {} : { body: example.input };
  const answer = await app.send(method, urlOf(operation, example), { key: app.key, ...body });
  expect([operation.name, answer.status]).toEqual([operation.name, 200]);
  return (await answer.json()) as Json;
}

describe("the example of each read", () => {
  test("is there, as it is for whatever else an agent may GET", () => {
    expect(reads().length).toBeGreaterThan(20);
    const gets = app.operations.filter(
      ({ name, rule }) =>
        name.startsWith("GET ") && rule.access.includes(":") && !withoutExample.has(name),
    );
    expect(gets.length).toBeGreaterThan(35);
    const lacking = [...reads(), ...gets].filter(({ doc }) => doc.example === undefined);
    expect(lacking.map(({ name }) => name)).toEqual([]);
  });

  test("follows the schemas of its operation, as every example does", () => {
    for (const operation of app.operations.filter(({ doc }) => doc.example !== undefined)) {
      const { name, takes, returns } = operation;
      const example = exampleOf(operation);
      const shaped = takesQuery(name)
        ? shapeQuery(takes, queryOf(example))
        : shapeBody(takes, example.input);
      expect(() => checkFields(takes, shaped)).not.toThrow();
      const verdict = returns[200]?.["~standard"].validate(example.answer);
      expect([name, verdict]).toEqual([name, { value: example.answer }]);
    }
  });

  test("is answered, with every field that the answer of the example has", async () => {
    for (const operation of reads()) {
      const answer = await answerOverHttp(operation);
      const { answer: shown } = exampleOf(operation);
      const fields = Object.keys(shown as Json).filter((name) => name !== "next_cursor");
      expect([operation.name, Object.keys(answer)]).toEqual([
        operation.name,
        expect.arrayContaining(fields),
      ]);
    }
  });

  test("stands in the document of all operations, and in that of its tag", async () => {
    for (const operation of reads()) {
      const { name, doc } = operation;
      const { method, path } = splitName(name);
      const { input, answer, params = {} } = exampleOf(operation);
      for (const query of ["", `?tag=${doc.tag}`]) {
        const document = (await (await app.send("GET", `/openapi.json${query}`)).json()) as Shown;
        const shown = document.paths[path]?.[method.toLowerCase()];
        const asked = path.replace(/\{(\w+)\}/g, (_, part: string) => params[part] ?? "");
        if (takesQuery(name)) expect(shown?.description).toContain(`Example: \`${method} ${asked}`);
        else expect(shown?.requestBody?.content["application/json"]?.example).toEqual(input);
        const own = shown?.responses?.[Object.keys(operation.returns)[0] ?? 200];
        const told = document.components.responses[own?.$ref?.split("/").at(-1) ?? ""] ?? own;
        expect(told?.content["application/json"]?.example).toEqual(answer);
      }
    }
  });
});

test("the context of a project is written and read as its examples say", async () => {
  for (const name of ["PUT /project-context", "GET /project-context"]) {
    const operation = app.operations.find((one) => one.name === name)!;
    const example = exampleOf(operation);
    const verdict = operation.returns[200]?.["~standard"].validate(example.answer);
    expect([name, verdict]).toEqual([name, { value: example.answer }]);
    const { project_context: told, ...rest } = await answerOverHttp(operation);
    const { project_context: shown, ...restShown } = example.answer as typeof rest & Contextual;
    expect(Object.keys(rest)).toEqual(Object.keys(restShown));
    const { annotations, updated_at: _, ...said } = told as Contextual["project_context"];
    const { annotations: shownOnes, updated_at: __, ...saidShown } = shown;
    expect(said).toEqual(saidShown);
    expect(annotations).toEqual(shownOnes.map((one) => ({ ...one, id: expect.any(String) })));
  }
});
interface Contextual {
  readonly project_context: {
    readonly annotations: readonly Readonly<Record<string, string>>[];
    readonly updated_at: number;
  };
}

test("lists that are no reads are asked for by their example, too", async () => {
  for (const path of ["/views", "/shares"]) {
    const document = (await (await app.send("GET", "/openapi.json")).json()) as Shown;
    const { description = "" } = document.paths[path]?.get ?? {};
    const [, shown = ""] = /Example: `GET ([^`]+)`/.exec(description) ?? [];
    expect(shown).toBe(`${path}?project=shop`);
    expect((await app.send("GET", shown, { key: app.key })).status).toBe(200);
  }
});

interface Shown {
  readonly components: { readonly responses: Readonly<Record<string, WithContent>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, ShownOperation>>>>;
}
interface ShownOperation {
  readonly description: string;
  readonly requestBody?: WithContent;
  readonly responses?: Readonly<Record<string, WithContent & { readonly $ref?: string }>>;
}
interface WithContent {
  readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
}

describe("a call of an operation, without a request of its own", () => {
  const callBy = async (operation: Operation, headers: Record<string, string>, input: Json) => {
    const request = new Request("http://localhost:3000/tools", {
      headers: { "user-agent": visitorAgent, accept: "text/plain", ...headers },
    });
    const caller = identifyCaller(app.deps, request);
    if (caller === null || operation.call === undefined) throw new Error(operation.name);
    const params = paramsOf(exampleOf(operation));
    return operation.call({
      ...{ deps: app.deps, caller, input, params, request },
      ...{ requestId: "req", arrivedAtMs: clock.nowMs(), setIdle: () => undefined },
      peer: () => app.deps.server.peerOf(request),
    });
  };
  const operationNamed = (name: string): Operation => {
    const found = app.operations.find((one) => one.name === name);
    if (found === undefined) throw new Error(name);
    return found;
  };
  const refusalOf = async (call: Promise<unknown>): Promise<unknown> => {
    try {
      return await call;
    } catch (error) {
      return (error as { code?: unknown }).code;
    }
  };

  test("answers what the request is answered, for every read", async () => {
    for (const operation of reads()) {
      const overHttp = await answerOverHttp(operation);
      const { input } = exampleOf(operation);
      const { status, json } = await callBy(operation, { "x-api-key": app.key }, input);
      expect([operation.name, status, JSON.parse(json)]).toEqual([operation.name, 200, overHttp]);
    }
  });

  test("is checked like a request: scope, demo, shape, fields and project", async () => {
    const stats = operationNamed("GET /stats");
    const key = { "x-api-key": app.key };
    const asked = (input: Json) => refusalOf(callBy(stats, key, input));
    expect(await asked({})).toBe("PROJECT_REQUIRED");
    expect(await asked({ project: "nothing" })).toBe("NOT_FOUND");
    expect(await asked({ project: "shop", colour: "red" })).toBe("INVALID_BODY");
    // CSV is a form of a request's answer.
    expect(await asked({ project: "shop", format: "csv" })).toBe("INVALID_BODY");
    expect(await asked({ project: "shop", groupBy: "year" })).toBe("MISSING_FIELDS");
    shortenDemo(app);
    const made = await app.send("POST", "/demo/session");
    const { agent_session: session } = (await made.json()) as {
      agent_session: { access_token: string };
    };
    const demo = { authorization: `Bearer ${session.access_token}` };
    const lookup = operationNamed("POST /journey/lookup");
    expect(await refusalOf(callBy(lookup, demo, exampleOf(lookup).input))).toBe("DEMO_READ_ONLY");
  });
});
