import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { hourMs, minuteMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import { callTool, resultOf, sendMcp } from "../support/app/mcp";
import {
  approvedCode,
  authorizePath,
  bearerOf,
  loopback,
  newPkce,
  oauthBase,
  pageFor,
  readingScopes,
  registered,
  signedIn,
  statusAtMcp,
  token,
  toldBy,
} from "../support/app/oauth";

let app: TestApp;
let clientId: string;
beforeAll(async () => {
  app = await testApp();
  await app.makeProject("shop");
  clientId = await registered(app);
  await signedIn(app, clientId);
});
beforeEach(() => app.setTime(noonMs));
afterAll(() => app.close());

const opens = (access: string) => statusAtMcp(app, access);

describe("a code", () => {
  test("is exchanged once, for tokens that open /mcp for an hour", async () => {
    const answer = await token(app, await approvedCode(app, clientId));
    const tokens = (await answer.json()) as Json;
    expect([answer.status, tokens]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^aas_[0-9a-f]{48}$/),
        token_type: "Bearer",
        expires_in: 3_600,
        refresh_token: expect.stringMatching(/^aar_[0-9a-f]{48}$/),
        scope: readingScopes,
      },
    ]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await opens(String(tokens.access_token))).toBe(200);
    app.setTime(noonMs + hourMs - 1);
    expect(await opens(String(tokens.access_token))).toBe(200);
    app.setTime(noonMs + hourMs);
    expect(await opens(String(tokens.access_token))).toBe(401);
  });

  test("that comes again ends the session that it was exchanged for", async () => {
    const form = await approvedCode(app, clientId);
    const first = (await (await token(app, form)).json()) as { access_token: string };
    expect(await toldBy(await token(app, form))).toBe("400 invalid_grant");
    expect(await opens(first.access_token)).toBe(401);
  });

  test("of several exchanges at once is taken by one at most", async () => {
    const form = await approvedCode(app, clientId);
    const told = await Promise.all([1, 2, 3, 4].map(() => token(app, form)));
    expect(told.filter(({ status }) => status === 200).length).toBe(1);
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["another verifier", { code_verifier: "x".repeat(43) }, "400 invalid_grant"],
    ["a verifier that is too short", { code_verifier: "x" }, "400 invalid_grant"],
    ["no verifier", { code_verifier: "" }, "400 invalid_request"],
    ["another redirect", { redirect_uri: `${loopback}/x` }, "400 invalid_grant"],
    ["an unknown client", { client_id: "occ_0000000000000000" }, "401 invalid_client"],
    ["no client", { client_id: "" }, "400 invalid_request"],
    ["a secret", { client_secret: "x" }, "401 invalid_client"],
    ["an unknown code", { code: `aae_${"0".repeat(48)}` }, "400 invalid_grant"],
    ["no code", { code: "" }, "400 invalid_request"],
    ["another grant", { grant_type: "password" }, "400 unsupported_grant_type"],
    ["no grant", { grant_type: "" }, "400 invalid_request"],
    ["another resource", { resource: "https://other.example.com" }, "400 invalid_target"],
    ["a wider resource", { resource: oauthBase }, "400 invalid_target"],
  ])("with %s is refused, and good afterwards", async (_, more, refusal) => {
    const form = await approvedCode(app, clientId);
    const answer = await token(app, { ...form, ...more });
    expect(await toldBy(answer)).toBe(refusal);
    expect(Object.keys((await answer.json()) as Json)).toEqual(["error", "error_description"]);
    expect((await token(app, form)).status).toBe(200);
  });

  test("of another client is refused, and so is a header with a password", async () => {
    const form = await approvedCode(app, clientId);
    const other = await registered(app);
    expect(await toldBy(await token(app, { ...form, client_id: other }))).toBe("400 invalid_grant");
    const basic = await token(app, form, { authorization: "Basic eDp5" });
    expect([await toldBy(basic), basic.headers.get("www-authenticate")]).toEqual([
      "401 invalid_client",
      "Basic",
    ]);
    const twice = await app.send("POST", "/oauth/token", { body: "grant_type=a&grant_type=b" });
    expect(await toldBy(twice)).toBe("400 invalid_request");
    expect(await toldBy(await app.send("POST", "/oauth/token", { body: "{}" }))).toBe(
      "400 invalid_request",
    );
  });

  test("ends with five wrong verifiers, and after five minutes", async () => {
    const form = await approvedCode(app, clientId);
    for (let count = 0; count < 5; count++) {
      await token(app, { ...form, code_verifier: "x".repeat(43) });
    }
    expect(await toldBy(await token(app, form))).toBe("400 invalid_grant");
    const late = await approvedCode(app, clientId);
    app.setTime(noonMs + 5 * minuteMs);
    expect(await toldBy(await token(app, late))).toBe("400 invalid_grant");
    app.setTime(noonMs);
    const inTime = await approvedCode(app, clientId);
    app.setTime(noonMs + 5 * minuteMs - 1);
    expect((await token(app, inTime)).status).toBe(200);
  });

  test("may leave the redirect out, and name the resource again", async () => {
    const { redirect_uri: _, ...form } = await approvedCode(app, clientId);
    expect((await token(app, { ...form, resource: `${oauthBase}/mcp` })).status).toBe(200);
  });

  test("is not for the endpoint of agent sessions", async () => {
    const page = await pageFor(app, authorizePath(clientId, newPkce()));
    const form = await approvedCode(app, clientId);
    const body = { auth_request_id: page.split("/").at(-1), exchange_code: form.code };
    const answer = await app.send("POST", "/agent-sessions/exchange", { body });
    expect(await toldBy(answer)).toBe("401 INVALID_EXCHANGE_CODE");
    const { requestByCode } = await import("../../src/store/control/oauth-sessions");
    const own = { ...body, auth_request_id: requestByCode(app.deps.control, form.code)?.id };
    const tried = await app.send("POST", "/agent-sessions/exchange", { body: own });
    expect(await toldBy(tried)).toBe("401 INVALID_EXCHANGE_CODE");
  });
});

describe("scopes", () => {
  test("to write are had by who ticked their boxes, and by nobody else", async () => {
    const asked = { scope: "analytics:read projects:write feedback:write" };
    expect((await signedIn(app, clientId, asked)).scope).toBe("analytics:read");
    const ticked = ["projects:write", "replays:write", "account:read"];
    const tokens = await signedIn(app, clientId, asked, ticked);
    expect(tokens.scope).toBe("analytics:read projects:write");
    // The scopes of tools are offered although nobody asked for them.
    expect((await signedIn(app, clientId, {}, ["experiments:write"])).scope).toBe(
      `${readingScopes} experiments:write`,
    );
    expect((await signedIn(app, clientId, { scope: "replays:read x" })).scope).toBe("replays:read");
    expect((await signedIn(app, clientId, { scope: "projects:write" })).scope).toBe(readingScopes);
  });

  test("decide which tools are shown, and a call of another names what it lacks beside what it has", async () => {
    const tokens = await signedIn(app, clientId, { scope: "projects:read analytics:read" });
    const headers = bearerOf(tokens.access_token);
    const { tools } = (await resultOf(app, "tools/list", {}, headers)) as { tools: Json[] };
    const names = tools.map(({ name }) => name);
    expect(names).toContain("overview");
    expect(names).not.toContain("create_project");
    const params = { name: "create_project", arguments: { name: "x", domain: "x.example.com" } };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const refused = await sendMcp(app, call, headers);
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toBe(
      `Bearer resource_metadata="${oauthBase}/.well-known/oauth-protected-resource/mcp", ` +
        'scope="projects:read analytics:read projects:write", error="insufficient_scope"',
    );
    const scope = "projects:read analytics:read projects:write";
    const stepped = await signedIn(app, clientId, { scope }, ["projects:write"]);
    expect(stepped.scope).toBe(scope);
    const made = await callTool(
      app,
      "create_project",
      params.arguments,
      bearerOf(stepped.access_token),
    );
    expect(made.isError).toBe(false);
  });
});

describe("a resource", () => {
  test("of tools opens /mcp alone, that of the server everything", async () => {
    for (const [resource, everywhere] of [
      [null, 403],
      [`${oauthBase}/mcp`, 403],
      [oauthBase, 200],
      [`${oauthBase}/`, 200],
    ] as const) {
      const tokens = await signedIn(app, clientId, { resource });
      expect([resource, await opens(tokens.access_token)]).toEqual([resource, 200]);
      const headers = bearerOf(tokens.access_token);
      const answer = await app.send("GET", "/stats?project=shop", { headers });
      const stream = await app.send("GET", "/live?project=shop", { headers });
      expect([resource, answer.status, stream.status]).toEqual([resource, everywhere, everywhere]);
      if (everywhere === 403) expect(await toldBy(answer)).toBe("403 FORBIDDEN");
      const state = await app.send("GET", "/auth/state", { headers });
      expect(state.status).toBe(200);
    }
  });
});
