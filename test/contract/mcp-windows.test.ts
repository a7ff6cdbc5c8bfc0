import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AnyElysia, Elysia } from "elysia";
import { ApiError } from "../../src/domain/errors";
import { mountOperation } from "../../src/http/operation/mount-operation";
import type { Operation } from "../../src/http/operation/operation";
import { mcpFeature } from "../../src/mcp/routes";
import { type Json, type TestApp, testApp } from "../support/app/app";
import { type Called, callTool } from "../support/app/mcp";

/**
 * What a read refuses with QUERY_FAILED is to be asked again over half of its window. Every operation is made to refuse
 * so; the call that the refusal names then goes to the server as it is, which must take it.
 */
let app: TestApp;
let handle: (request: Request) => Promise<Response>;
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  await app.track(shop, { event: "a", user_id: "u" });
  const refuse = () => Promise.reject(new ApiError("QUERY_FAILED", "It took too long."));
  const served = app.operations.map(
    (one): Operation => (one.call === undefined ? one : { ...one, call: refuse }),
  );
  const [mcp] = mcpFeature(app.deps, () => served).operations;
  if (mcp === undefined) throw new Error("There is no operation for /mcp.");
  const routes: AnyElysia = new Elysia();
  mountOperation(routes, app.deps, mcp);
  handle = (request) => routes.handle(request);
});
afterAll(() => app.close());

async function refusalOf(tool: string, args: Json): Promise<Called["structuredContent"]> {
  const params = { name: tool, arguments: args };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = { "x-api-key": app.key, host: "localhost:3000" };
  const answer = await handle(
    new Request("http://localhost:3000/mcp", { method: "POST", headers, body }),
  );
  const { result } = (await answer.json()) as { result: Called };
  expect([tool, result.isError]).toEqual([tool, true]);
  return result.structuredContent;
}

const steps = ["a", "b"];
const fromTo = (since: string, until: string): Json => ({ since, until });
const asks: readonly (readonly [tool: string, sent: Json, changed: Json])[] = [
  ["overview", {}, { since: "3d" }],
  ["overview", { since: "1d" }, { since: "0d" }],
  ["overview", { since: "0d" }, {}],
  ["overview", { date_from: "9d" }, { date_from: "4d" }],
  ["overview", fromTo("30d", "20d"), { since: "25d" }],
  ["overview", fromTo("2025-01-01", "2025-02-01"), { since: "2025-01-17" }],
  ["overview", fromTo("2025-12-31T12:00:00Z", "4d"), { since: "2026-01-05" }],
  ["overview", { since: "2026-01-14" }, {}],
  // In that zone it is one day later than in UTC.
  ["overview", { since: "2026-01-15", tz: "Pacific/Kiritimati" }, {}],
  ["describe_project", {}, { since: "3d" }],
  ["changes", {}, { period: "1d" }],
  ["changes", { period: "90d" }, { period: "30d" }],
  ["changes", { period: "1d" }, {}],
  ["changes", fromTo("2026-01-01", "2026-01-10"), { since: "2026-01-06" }],
  ["query", {}, { date_from: "3d" }],
  ["query", { date_from: "30d", date_to: "20d" }, { date_from: "25d" }],
  [
    "query",
    { queries: [{ date_from: "30d" }, {}] },
    { queries: [{ date_from: "15d" }, { date_from: "3d" }] },
  ],
  ["funnel", { steps }, { since: "15d" }],
  ["paths", { goal_event: "a" }, { since: "15d" }],
  ["paths", { goal_event: "a", since: "1d" }, { since: "0d" }],
  ["breakdown", { property: "a" }, { since: "3d" }],
  ["pages", {}, { since: "3d" }],
  ["retention", {}, { cohorts: 4 }],
  ["retention", { period: "month", cohorts: 1 }, {}],
  ["retention", { since: "40d" }, { since: "20d" }],
  ["sessions", {}, { since: "3d" }],
  ["events", {}, { since: "3d" }],
  ["journey", { user_id: "u" }, { since: "15d" }],
  ["live", {}, {}],
  ["bot_traffic", { period: "30d" }, { period: "14d" }],
  ["bot_traffic", fromTo("2025-12-01", "2025-12-31"), { since: "2025-12-16" }],
  ["experiments", {}, {}],
];

async function expectTaken(tool: string, next: Called["structuredContent"]["next"], args: Json) {
  expect(next).toEqual({ tool, arguments: args });
  const again = await callTool(app, tool, args);
  expect([tool, args, again.isError]).toEqual([tool, args, false]);
}

test.each(asks)("%s with %j is asked again with %j", async (tool, sent, changed) => {
  const args = { project: "shop", ...sent };
  const { next, retryable } = await refusalOf(tool, args);
  expect(retryable).toBe(true);
  await expectTaken(tool, next, { ...args, ...changed });
});

test("what is about all projects, or named by its operation, is too", async () => {
  for (const tool of ["all_sites", "bot_traffic"]) {
    await expectTaken(tool, (await refusalOf(tool, {})).next, { period: "1d" });
  }
  await expectTaken("list_projects", (await refusalOf("list_projects", {})).next, {});
  for (const [operation, changed] of [
    ["getInsights", { period: "1d" }],
    ["getHeatmap", { since: "3d" }],
    ["listReceivedProperties", { since: "3d" }],
  ] as const) {
    const { next } = await refusalOf("more_reads", { operation, arguments: { project: "shop" } });
    const args = { operation, arguments: { project: "shop", ...changed } };
    await expectTaken("more_reads", next, args);
  }
});

test("a further page is asked for again as it was: its cursor has its window", async () => {
  const { token } = await app.makeProject("pages");
  for (const user_id of ["u", "v"]) await app.post("/track", { token, event: "a", user_id });
  const args = { project: "pages", limit: 1 };
  const { next_cursor: cursor } = await app.get("/events?project=pages&limit=1");
  expect(typeof cursor).toBe("string");
  const { next } = await refusalOf("events", { ...args, cursor });
  await expectTaken("events", next, { ...args, cursor });
});
