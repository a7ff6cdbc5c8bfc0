import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AccessRule, splitName } from "../../src/http/operation/facts";
import { minuteMs } from "../../src/lib/clock";
import {
  type Call,
  type Json,
  noonMs,
  type TestApp,
  type TestProject,
  testApp,
} from "../support/app/app";
import { fieldsOf } from "../support/app/described";
import { confirmSignIn } from "../support/app/fresh";
import {
  endpointIndex,
  htmlOperations,
  lenientOperations,
  takesQuery,
} from "../support/app/operations";
import { paymentSecrets } from "../support/app/payments";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp(paymentSecrets);
  shop = await app.makeProject("shop");
  await app.track(shop, { event: "visit", session_id: "s", user_id: "u" });
});
afterAll(() => app.close());

/** What ignores unknown names, by the contract. */
const ingestion = [
  ...["POST /track", "POST /track/batch", "POST /identify", "POST /webhooks/stripe"],
  ...["start", "{id}/segments", "{id}/finish"].map((call) => `POST /replays/ingest/${call}`),
];

interface Mounted {
  readonly name: string;
  readonly isQuery: boolean;
  readonly fields: readonly string[];
}

const mounted = (): readonly Mounted[] =>
  app.operations.map((operation) => ({
    name: operation.name,
    isQuery: takesQuery(operation.name),
    fields: fieldsOf(operation),
  }));
const strict = () =>
  mounted().filter(
    ({ name }) =>
      !ingestion.includes(name) && !lenientOperations.has(name) && !htmlOperations.has(name),
  );

let calls = 0;
async function ask(name: string, query: string, body?: Json): Promise<readonly [number, Json]> {
  // Some calls have a limit by address, so that these are spread over many minutes.
  calls += 1;
  app.setTime(noonMs + Math.floor(calls / 9) * minuteMs);
  confirmSignIn(app);
  const { method, path } = splitName(name);
  const { access }: AccessRule = endpointIndex[name as keyof typeof endpointIndex];
  const isPerson = access === "cookie" || access === "admin";
  const credential: Call = isPerson
    ? { headers: { cookie: app.cookie, origin: "http://localhost:3000" } }
    : { key: app.key };
  const call = { ...credential, ...(body === undefined ? {} : { body }) };
  const answer = await app.send(method, `${path.replace(/\{\w+\}/g, "some")}${query}`, call);
  return [answer.status, (await answer.json()) as Json];
}
const asking = ({ name, isQuery }: Mounted, field: string, value: string) =>
  isQuery ? ask(name, `?${field}=${value}`) : ask(name, "", { [field]: value });

describe("every operation but those that are lenient", () => {
  test("refuses a field that it does not know, and says what it knows", async () => {
    expect(strict().length).toBeGreaterThan(60);
    for (const one of strict()) {
      const [status, answer] = await asking(one, "colour", "red");
      const { error, field, message } = answer;
      expect([one.name, status, error, field]).toEqual([one.name, 400, "INVALID_BODY", "colour"]);
      expect(answer).not.toHaveProperty("suggested_field");
      for (const known of one.fields) expect(message).toContain(known);
    }
  });

  test("suggests the field that was meant", async () => {
    let found = 0;
    for (const one of strict()) {
      for (const field of one.fields) {
        const misspelt = field + field.slice(-1);
        const [, answer] = await asking(one, misspelt, "1");
        expect([one.name, answer.error, answer.field, answer.suggested_field]).toEqual([
          one.name,
          "INVALID_BODY",
          misspelt,
          field,
        ]);
        found += 1;
      }
    }
    expect(found).toBeGreaterThan(150);
  });

  test("takes nothing in the query string when it has a body, but for the key", async () => {
    const withBody = strict().filter(({ isQuery }) => !isQuery);
    for (const { name, fields } of withBody) {
      for (const field of ["colour", ...fields.slice(0, 1)]) {
        const [status, { error, field: named }] = await ask(name, `?${field}=1`, {});
        expect([name, status, error, named]).toEqual([name, 400, "INVALID_BODY", field]);
      }
    }
    const { key } = app;
    const byKey = await app.send("POST", `/query?key=${key}`, { body: { project: "shop" } });
    expect(byKey.status).toBe(200);
    expect((await app.send("GET", `/stats?project=shop&key=${key}`)).status).toBe(200);
  });

  test("takes either name of a date or of a grouping, and not both", async () => {
    const names = { since: "date_from", until: "date_to", groupBy: "group_by" };
    let found = 0;
    for (const one of strict()) {
      for (const [a, b] of Object.entries(names)) {
        const documented = one.fields.includes(a) ? a : b;
        if (!one.fields.includes(documented)) continue;
        const [status, { error, field }] = one.isQuery
          ? await ask(one.name, `?${a}=1d&${b}=2d`)
          : await ask(one.name, "", { [a]: "1d", [b]: "2d" });
        expect([one.name, status, error, field]).toEqual([
          one.name,
          400,
          "MISSING_FIELDS",
          documented,
        ]);
        found += 1;
      }
    }
    expect(found).toBeGreaterThan(25);
  });
});

describe("a number is for the question that was asked", () => {
  const period = async (method: string, path: string, body?: Json) => {
    const answer = await app.send(method, path, { key: app.key, ...(body && { body }) });
    return ((await answer.json()) as { period?: unknown }).period;
  };
  const days = { from: "2026-01-12", to: "2026-01-13" };

  test("under either name", async () => {
    app.setTime(noonMs);
    const stats = "/stats?project=shop&";
    expect(await period("GET", `${stats}group_by=week&date_from=2d&date_to=1d`)).toEqual({
      ...days,
      groupBy: "week",
    });
    const project = "shop";
    for (const names of [
      { since: "2d", until: "1d" },
      { date_from: "2d", date_to: "1d" },
      { date_from: "2d", until: "1d", since: null },
    ]) {
      expect(await period("POST", "/query", { project, ...names })).toEqual(days);
      const steps = ["visit", "pay"];
      expect(await period("POST", "/funnel", { project, steps, ...names })).toEqual(days);
    }
  });

  test("inside filters and steps too", async () => {
    const refusal = async (path: string, fields: Json) => {
      const body = { project: "shop", ...fields };
      const answer = await app.send("POST", path, { key: app.key, body });
      const { error, field, suggested_field } = (await answer.json()) as Json;
      return [error, field, suggested_field];
    };
    const filter = { field: "event", op: "eq", value: "visit" };
    expect(await refusal("/query", { filters: [filter, { ...filter, values: ["x"] }] })).toEqual([
      "INVALID_BODY",
      "filters[1].values",
      "filters[1].value",
    ]);
    const steps = (step: Json) => ({ steps: ["visit", step] });
    expect(await refusal("/funnel", steps({ event: "pay", filter: [filter] }))).toEqual([
      "INVALID_BODY",
      "steps[1].filter",
      "steps[1].filters",
    ]);
    expect(
      await refusal("/funnel", steps({ event: "pay", filters: [{ ...filter, ops: "eq" }] })),
    ).toEqual(["INVALID_BODY", "steps[1].filters[0].ops", "steps[1].filters[0].op"]);
  });
});

/** A page that needs to know who asks (oauth.test.ts), and one of single sign-on, which is off here (oidc.test.ts). */
const refusing: Readonly<Record<string, number>> = {
  "GET /oauth/authorize": 400,
  "GET /auth/oidc/callback": 404,
};

test("what is lenient answers as if nothing unknown had been sent", async () => {
  const found = mounted().filter(
    ({ name }) => lenientOperations.has(name) && name.startsWith("GET "),
  );
  expect(found.length).toBeGreaterThan(5);
  for (const { name } of found) {
    const { path } = splitName(name);
    const answers = [await app.send("GET", path), await app.send("GET", `${path}?colour=red`)];
    const usual = refusing[name] ?? 200;
    expect([name, ...answers.map(({ status }) => status)]).toEqual([name, usual, usual]);
  }
  const event = { token: shop.token, event: "visit", colour: "red" };
  expect((await app.send("POST", "/track?colour=red", { body: event })).status).toBe(202);
  expect((await app.send("GET", "/login?colour=red")).status).toBe(200);
});
