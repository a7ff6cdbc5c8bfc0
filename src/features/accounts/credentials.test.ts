import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Call, type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";

const origin = "http://localhost:3000";
const password = "correct horse battery";

let app: TestApp;
/** Prepares tests that begin with nothing. */
const eachWithOwnApp = () => {
  beforeEach(async () => {
    app = await testApp();
  });
  afterEach(() => app.close());
};
/** Prepares tests that leave nothing behind which affects the others. */
const allWithOneApp = () => {
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app.close());
};

const body = async (response: Response): Promise<Json> => (await response.json()) as Json;
/** Makes a call as a page of ours does, logged in. */
const fromPage = (call: Call = {}): Call => ({
  ...call,
  headers: { cookie: app.cookie, origin, ...call.headers },
});
describe("the first credential present decides", () => {
  allWithOneApp();

  const cases: readonly (readonly [string, Call, number])[] = [
    ["a bearer, whatever else is right", { headers: { authorization: "Bearer aas_0" } }, 401],
    ["an API key as a bearer", { headers: { authorization: "Bearer KEY" } }, 401],
    ["a wrong key before a right cookie", { key: `aak_${"0".repeat(48)}` }, 401],
    ["an empty key before a right cookie", { key: "" }, 401],
  ];
  test.each(cases)("%s", async (_, call, status) => {
    const headers = Object.fromEntries(
      Object.entries(call.headers ?? {}).map(([name, value]) => [
        name,
        value.replace("KEY", app.key),
      ]),
    );
    const answer = await app.send("GET", "/account", fromPage({ ...call, headers }));
    expect(answer.status).toBe(status);
    expect((await body(answer)).error).toBe("INVALID_TOKEN");
  });

  test("the key may stand in the query string; the header comes before it", async () => {
    expect((await app.send("GET", `/account?key=${app.key}`)).status).toBe(200);
    expect((await app.send("GET", "/account?key=aak_wrong", fromPage())).status).toBe(401);
    expect((await app.send("GET", "/account?key=aak_wrong", { key: app.key })).status).toBe(200);
  });

  test("none at all is told apart from a wrong one", async () => {
    const answer = await app.send("GET", "/account");
    expect(answer.status).toBe(401);
    expect((await body(answer)).error).toBe("AUTH_REQUIRED");
  });
});

describe("the API key", () => {
  eachWithOwnApp();

  test("is one, shown once, known by its beginning", async () => {
    const state = () => app.send("GET", "/account/api-key", fromPage()).then(body);
    expect(await state()).toEqual({
      has_api_key: true,
      prefix: app.key.slice(0, 12),
      created_at: new Date(noonMs).toISOString(),
      last_used_at: null,
    });
    const second = await app.send("POST", "/account/api-key", fromPage());
    expect(second.status).toBe(409);
    expect((await body(second)).error).toBe("API_KEY_EXISTS");

    app.setTime(noonMs + 5000);
    await app.get("/account");
    app.deps.usage.flush();
    expect((await state()).last_used_at).toBe(new Date(noonMs + 5000).toISOString());
  });

  test("replaced, the old one is dead at once", async () => {
    const { api_key: next } = await app.post("/account/revoke-key", {});
    expect(next).toMatch(/^aak_[0-9a-f]{48}$/);
    expect((await app.send("GET", "/account", { key: app.key })).status).toBe(401);
    expect((await app.send("GET", "/account", { key: String(next) })).status).toBe(200);
  });

  test("deleted, it is gone until one is made; replacing makes one too", async () => {
    const call = (method: string, path: string) => app.send(method, path, fromPage());
    expect(await body(await call("DELETE", "/account/api-key"))).toEqual({ ok: true });
    expect((await app.send("GET", "/account", { key: app.key })).status).toBe(401);
    expect(await body(await call("GET", "/account/api-key"))).toEqual({
      has_api_key: false,
      prefix: null,
      created_at: null,
      last_used_at: null,
    });
    expect((await call("DELETE", "/account/api-key")).status).toBe(200);
    expect((await call("POST", "/account/revoke-key")).status).toBe(200);
    await call("DELETE", "/account/api-key");
    expect((await call("POST", "/account/api-key")).status).toBe(201);
  });

  test("of two made at once there is one", async () => {
    await app.send("DELETE", "/account/api-key", fromPage());
    const make = () => app.send("POST", "/account/api-key", fromPage());
    const answers = await Promise.all([make(), make(), make()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

describe("what is for browsers", () => {
  allWithOneApp();

  test.each([
    ["GET", "/account/api-key"],
    ["POST", "/account/api-key"],
    ["DELETE", "/account/api-key"],
    ["POST", "/auth/password"],
  ])("%s %s is refused to a key", async (method, path) => {
    const change = { current_password: password, new_password: password };
    const call = { key: app.key, ...(method === "POST" ? { body: change } : {}) };
    expect((await app.send(method, path, call)).status).toBe(403);
  });
});
