import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Scope } from "../../src/domain/scope";
import { clock, minuteMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import { callTool, resultOf, sendMcp } from "../support/app/mcp";
import { ownerOf } from "../support/app/owner";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ MCP_ORIGINS: "https://agents.example.com" });
  await app.makeProject("shop");
});
afterAll(() => app.close());

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const key = () => ({ "x-api-key": app.key });

async function outcome(body: unknown, headers: Record<string, string> = {}) {
  const answer = await sendMcp(app, body, { ...key(), ...headers });
  const text = await answer.text();
  const json = (text === "" ? {} : JSON.parse(text)) as { error?: { code: number; data?: Json } };
  return { status: answer.status, code: json.error?.code, data: json.error?.data, text };
}

/** A bearer of an agent session with these scopes. */
async function agent(...scopes: readonly Scope[]): Promise<Record<string, string>> {
  const accountId = String((await app.get("/account")).id);
  const made = { ...ownerOf(app.deps.control, accountId), scopes, clientType: "mcp" };
  const { accessToken } = app.deps.control.agents.addSession(made, clock.nowMs());
  return { authorization: `Bearer ${accessToken}` };
}

describe("POST /mcp", () => {
  test("is the only method of its path", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const answer = await app.send(method, "/mcp", { key: app.key });
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "POST"]);
    }
  });

  test.each<[string, unknown, number, number]>([
    ["no JSON", "{", 400, -32_700],
    ["an empty body", "", 400, -32_700],
    ["a list", [ping], 400, -32_600],
    ["no version of JSON-RPC", { id: 1, method: "ping" }, 400, -32_600],
    ["a null id", { ...ping, id: null }, 400, -32_600],
    ["no method", { jsonrpc: "2.0", id: 1 }, 400, -32_600],
    ["params that are a list", { ...ping, params: [] }, 400, -32_600],
    ["an unknown method", { ...ping, method: "tools/delete" }, 200, -32_601],
    ["an unknown tool", { ...ping, method: "tools/call", params: { name: "drop" } }, 200, -32_602],
    ["an unknown prompt", { ...ping, method: "prompts/get", params: { name: "x" } }, 200, -32_602],
    [
      "an unknown resource",
      { ...ping, method: "resources/read", params: { uri: "x" } },
      200,
      -32_602,
    ],
  ])("refuses %s", async (_, body, status, code) => {
    const found = await outcome(body);
    expect([found.status, found.code]).toEqual([status, code]);
  });

  test("answers a notification with 202 and nothing, a message with its own id", async () => {
    const told = await outcome({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect([told.status, told.text]).toEqual([202, ""]);
    expect((await outcome({ ...ping, id: "a" })).text).toBe(
      '{"jsonrpc":"2.0","id":"a","result":{}}',
    );
  });

  test("looks at Origin, size, credential and shape in this order", async () => {
    const evil = { origin: "https://evil.example" };
    const large = "x".repeat(1024 * 1024 + 1);
    const refusal = async (body: unknown, headers: Record<string, string>) => {
      const answer = await app.send("POST", "/mcp", { headers, body });
      return [answer.status, ((await answer.json()) as Json).error];
    };
    expect(await refusal(large, evil)).toEqual([403, "ORIGIN_NOT_ALLOWED"]);
    expect(await refusal(large, {})).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    expect(await refusal("{", {})).toEqual([401, "AUTH_REQUIRED"]);
    for (const origin of [
      "http://localhost:6274",
      "http://127.0.0.1",
      "http://127.255.255.255:65535",
      "http://[::1]:80",
      "http://localhost:3000",
      "https://agents.example.com",
    ]) {
      expect([origin, (await outcome(ping, { origin })).status]).toEqual([origin, 200]);
    }
    for (const origin of [
      "null",
      "https://localhost.evil.example",
      "http://127.0.0.1.evil.example",
      "http://127.999.999.999",
      "http://127.1",
      "http://127.0.0.01",
    ]) {
      expect([origin, (await outcome(ping, { origin })).status]).toEqual([origin, 403]);
    }
  });

  test("takes a credential from its header alone, and says what it wants", async () => {
    const send = async (headers: Record<string, string>, query = "") => {
      const answer = await app.send("POST", `/mcp${query}`, { headers, body: ping });
      return [answer.status, answer.headers.get("www-authenticate")] as const;
    };
    const wanted =
      'Bearer resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource/mcp", ' +
      'scope="account:read projects:read analytics:read live:read experiments:read"';
    expect(await send({})).toEqual([401, wanted]);
    expect(await send({ cookie: app.cookie, origin: "http://localhost:3000" })).toEqual([
      401,
      wanted,
    ]);
    expect(await send({}, `?key=${app.key}`)).toEqual([401, `${wanted}, error="invalid_token"`]);
    expect(await send(key(), `?key=${app.key}`)).toEqual([401, `${wanted}, error="invalid_token"`]);
    expect(await send({ "x-api-key": "aak_none" })).toEqual([
      401,
      `${wanted}, error="invalid_token"`,
    ]);
    expect(await send(key())).toEqual([200, null]);
  });

  test("counts each message as one request, and tells a call that came too often by its result", async () => {
    const limited = await testApp({ RATE_LIMIT_RPM: "3" });
    const body = (method: string, params = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
    limited.setTime(noonMs + minuteMs);
    for (let count = 0; count < 3; count++) {
      expect((await sendMcp(limited, body("ping"))).status).toBe(200);
    }
    expect((await sendMcp(limited, body("ping"))).status).toBe(429);
    const called = await callTool(limited, "list_projects");
    expect(called.isError).toBe(true);
    expect(called.structuredContent).toMatchObject({
      error: "RATE_LIMITED",
      retryable: true,
      next: { tool: "list_projects", arguments: {}, after_seconds: 60 },
    });
    await limited.close();
  });
});

describe("revisions", () => {
  test("with a handshake are answered with the one that was asked for, or the newest", async () => {
    for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
      const { protocolVersion } = await resultOf(app, "initialize", { protocolVersion: version });
      expect(protocolVersion).toBe(version);
    }
    const answer = await resultOf(app, "initialize", { protocolVersion: "2024-11-05" });
    expect(answer).toMatchObject({
      protocolVersion: "2025-11-25",
      serverInfo: { name: "sightline" },
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    });
    expect(String(answer.instructions).length).toBeLessThanOrEqual(1_200);
    expect((await outcome(ping, { "mcp-protocol-version": "2025-06-18" })).status).toBe(200);
  });

  const stateless = (method: string, params: Json = {}, version = "2026-07-28") => ({
    ...{ jsonrpc: "2.0", id: 1, method },
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
  const headers = (method: string, more = {}) => ({
    ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": method },
    ...more,
  });

  test("without one name their version in each message, in its headers too", async () => {
    const discover = stateless("server/discover");
    const found = await outcome(discover, headers("server/discover"));
    expect(JSON.parse(found.text).result).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
      ttlMs: 300_000,
      cacheScope: "private",
    });
    const codes = async (body: unknown, sent: Record<string, string>) => {
      const { status, code } = await outcome(body, sent);
      return [status, code];
    };
    const call = stateless("tools/call", { name: "list_projects" });
    expect(await codes(call, headers("tools/call", { "mcp-name": "list_projects" }))).toEqual([
      200,
      undefined,
    ]);
    const base64 = `=?base64?${btoa("list_projects")}?=`;
    expect(await codes(call, headers("tools/call", { "mcp-name": base64 }))).toEqual([
      200,
      undefined,
    ]);
    expect(await codes(call, headers("tools/call", { "mcp-name": "query" }))).toEqual([
      400, -32_020,
    ]);
    expect(await codes(call, headers("tools/call"))).toEqual([400, -32_020]);
    expect(await codes(discover, headers("tools/list"))).toEqual([400, -32_020]);
    expect(await codes(discover, { "mcp-protocol-version": "2025-11-25" })).toEqual([400, -32_020]);
    expect(await codes(ping, { "mcp-protocol-version": "2026-07-28" })).toEqual([400, -32_020]);
    expect(await codes(stateless("ping"), headers("ping"))).toEqual([404, -32_601]);
  });

  test("that nobody speaks are refused with those that are spoken", async () => {
    const supported = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"];
    for (const sent of [
      await outcome(stateless("tools/list", {}, "2027-01-01"), headers("tools/list")),
      await outcome(ping, { "mcp-protocol-version": "2024-11-05" }),
    ]) {
      expect([sent.status, sent.code, sent.data?.supported]).toEqual([400, -32_022, supported]);
    }
  });
});

describe("resources, prompts and completions", () => {
  test("of each project there is its context and its schema", async () => {
    const { resources } = (await resultOf(app, "resources/list")) as { resources: Json[] };
    const [skill, ...ofProjects] = resources;
    expect(skill?.uri).toBe("sightline://skill");
    expect(ofProjects.map(({ name }) => name)).toEqual(["shop context", "shop schema"]);
    const templates = await resultOf(app, "resources/templates/list");
    expect(templates.resourceTemplates).toHaveLength(2);
    for (const { uri } of ofProjects) {
      const { contents } = (await resultOf(app, "resources/read", { uri })) as { contents: Json[] };
      expect(JSON.parse(String(contents[0]?.text)).answer.project).toBe("shop");
    }
    const other = await agent("analytics:read");
    expect((await resultOf(app, "resources/list", {}, other)).resources).toEqual([skill]);
    const uri = ofProjects[0]?.uri;
    const body = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } };
    const refused = await sendMcp(app, body, other);
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      403,
      'Bearer resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource/mcp", ' +
        'scope="analytics:read projects:read", error="insufficient_scope"',
    ]);
  });

  test("a prompt is server text with its arguments quoted", async () => {
    const { prompts } = (await resultOf(app, "prompts/list")) as {
      prompts: { name: string; arguments: { name: string }[] }[];
    };
    expect(prompts.map(({ name }) => name)).toEqual([
      "weekly_review",
      "explain_change",
      "check_tracking",
      "plan_experiment",
    ]);
    for (const { name, arguments: taken } of prompts) {
      const args = Object.fromEntries(taken.map((one) => [one.name, 'a" <b> \u202e']));
      const { messages } = (await resultOf(app, "prompts/get", { name, arguments: args })) as {
        messages: { content: { text: string } }[];
      };
      expect(messages[0]?.content.text).toContain('"a\\" \\\\u{3C}b> \\\\u{202E}"');
      const missing = await outcome({
        jsonrpc: "2.0",
        id: 1,
        method: "prompts/get",
        params: { name },
      });
      expect([name, missing.code]).toEqual([name, -32_602]);
    }
  });

  test("a project's name is completed", async () => {
    const complete = async (name: string, value: string) =>
      (await resultOf(app, "completion/complete", { ref: {}, argument: { name, value } }))
        .completion;
    expect(await complete("project", "sh")).toEqual({ values: ["shop"], total: 1, hasMore: false });
    expect(await complete("project", "x")).toEqual({ values: [], total: 0, hasMore: false });
    expect(await complete("metric", "")).toEqual({ values: [], total: 0, hasMore: false });
  });
});
