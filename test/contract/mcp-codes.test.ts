import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AnyElysia, Elysia } from "elysia";
import { ApiError, type ErrorCode, type ErrorExtras, errorStatus } from "../../src/domain/errors";
import { mountOperation } from "../../src/http/operation/mount-operation";
import type { Operation } from "../../src/http/operation/operation";
import { mcpFeature } from "../../src/mcp/routes";
import { type Json, type TestApp, testApp } from "../support/app/app";
import type { Called } from "../support/app/mcp";

/**
 * Every refusal of an operation reaches a client of MCP as a result that says what to call next, with the same body as
 * over HTTP. The operation behind `overview` is made to refuse with each code in turn; the way from there to the client
 * is the server's own.
 */
let app: TestApp;
let thrown: unknown;
let handle: (request: Request) => Promise<Response>;
beforeAll(async () => {
  app = await testApp();
  await app.makeProject("shop");
  const served = app.operations.map((one): Operation => {
    if (one.name !== "GET /stats") return one;
    return { ...one, call: () => Promise.reject(thrown) };
  });
  const [mcp] = mcpFeature(app.deps, () => served).operations;
  if (mcp === undefined) throw new Error("There is no operation for /mcp.");
  const routes: AnyElysia = new Elysia();
  mountOperation(routes, app.deps, mcp);
  handle = (request) => routes.handle(request);
});
afterAll(() => app.close());

const params = { name: "overview", arguments: { project: "shop", since: "8d" } };

async function answerTo(error: unknown): Promise<Response> {
  thrown = error;
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const headers = { "x-api-key": app.key, host: "localhost:3000" };
  const body = JSON.stringify(message);
  return handle(new Request("http://localhost:3000/mcp", { method: "POST", headers, body }));
}

const again = (args: Json = params.arguments, more: Json = {}) => ({
  tool: "overview",
  arguments: args,
  ...more,
});
const projects = { tool: "list_projects", arguments: {} };
const described = { tool: "describe_project", arguments: { project: "shop" } };

/** What is beside the code: the fields of the error, whether to try again, and the call that helps. */
const helps: Partial<Record<ErrorCode, { extras?: ErrorExtras; retryable?: true; next: Json }>> = {
  PROJECT_REQUIRED: { next: projects },
  NOT_FOUND: { next: projects },
  EXPERIMENT_NOT_FOUND: { next: { tool: "experiments", arguments: {} } },
  GOAL_NOT_FOUND: { next: described },
  INVALID_FILTER_FIELD: { next: described },
  INVALID_FUNNEL_STEPS: { next: described },
  INVALID_PROPERTY_KEY: { next: described },
  PRO_REQUIRED: {
    extras: { upgrade_url: "https://x.example/u" },
    next: { open: "https://x.example/u" },
  },
  RATE_LIMITED: {
    extras: { retry_after_seconds: 7 },
    retryable: true,
    next: again(params.arguments, { after_seconds: 7 }),
  },
  UNAVAILABLE: { retryable: true, next: again(params.arguments, { after_seconds: 1 }) },
  QUERY_FAILED: { retryable: true, next: again({ project: "shop", since: "4d" }) },
};

describe("every error code", () => {
  test.each(Object.keys(errorStatus) as ErrorCode[])(
    "%s is a result that says it",
    async (code) => {
      const { extras = {}, retryable = false, next } = helps[code] ?? {};
      const answer = await answerTo(
        new ApiError(code, "What to do.", { field: "since", ...extras }),
      );
      expect(answer.status).toBe(200);
      expect(answer.headers.get("www-authenticate")).toBeNull();
      const { result } = (await answer.json()) as { result: Called };
      expect(result.isError).toBe(true);
      expect(result.structuredContent as Json).toEqual({
        ...{ error: code, message: "What to do.", field: "since", ...extras, retryable },
        ...(next !== undefined && { next }),
      });
      expect(result.content[0]?.text).toBe(
        `overview was refused: ${code}.${next === undefined ? "" : " See next."}`,
      );
      expect(JSON.parse(String(result.content[1]?.text))).toEqual(result.structuredContent);
    },
  );

  test("is told by the status where a right is missing, which signing in again can bring", async () => {
    const missing = { required_scope: "analytics:read" };
    const answer = await answerTo(new ApiError("FORBIDDEN", "Sign in again.", missing));
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
    expect(await answer.json()).toMatchObject({ error: "FORBIDDEN", ...missing });
  });

  test("of a fault of ours has no detail", async () => {
    const answer = await answerTo(new Error("the password is 1234"));
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).not.toContain("is 1234");
    const { result } = JSON.parse(text) as { result: Called };
    expect(result.structuredContent as Json).toMatchObject({
      ...{ error: "INTERNAL_ERROR", retryable: false },
    });
  });

  test("that comes before a tool is looked at has its own status", async () => {
    const seen = async (headers: Record<string, string>, body: string, method = "POST") => {
      const answer = await app.send(method, "/mcp", { headers, body });
      return `${answer.status} ${String(((await answer.json()) as Json).error)}`;
    };
    const own = { "x-api-key": app.key };
    expect(await seen({}, "{}")).toBe("401 AUTH_REQUIRED");
    expect(await seen({ "x-api-key": "aak_none" }, "{}")).toBe("401 INVALID_TOKEN");
    expect(await seen({ ...own, origin: "https://evil.example" }, "{}")).toBe(
      "403 ORIGIN_NOT_ALLOWED",
    );
    expect(await seen(own, "x".repeat(1024 * 1024 + 1))).toBe("413 PAYLOAD_TOO_LARGE");
    expect(await seen(own, "{}", "PUT")).toBe("405 METHOD_NOT_ALLOWED");
    app.setStopping(true);
    expect(await seen(own, "{}")).toBe("503 UNAVAILABLE");
    app.setStopping(false);
  });
});
