import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Scope } from "../../src/domain/scope";
import { clock } from "../../src/lib/clock";
import { type Json, type TestApp, testApp } from "../support/app/app";
import { shortenDemo } from "../support/app/demo";
import { callTool, resultOf, sendMcp } from "../support/app/mcp";
import { ownerOf } from "../support/app/owner";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await app.makeProject("shop");
});
afterAll(() => app.close());

const project = { project: "shop" };

async function agent(...scopes: readonly Scope[]): Promise<Record<string, string>> {
  const accountId = String((await app.get("/account")).id);
  const { accessToken } = app.deps.control.agents.addSession(
    { ...ownerOf(app.deps.control, accountId), scopes, clientType: "mcp" },
    clock.nowMs(),
  );
  return { authorization: `Bearer ${accessToken}` };
}

describe("a refusal", () => {
  const refusal = async (tool: string, args: Json, headers?: Record<string, string>) => {
    const { isError, structuredContent } = await callTool(app, tool, args, headers);
    expect(isError).toBe(true);
    const { error, next, retryable, field } = structuredContent;
    return { error, next, retryable, field };
  };
  const projects = { tool: "list_projects", arguments: {} };

  test("names the call that helps", async () => {
    await app.makeProject("second");
    expect(await refusal("overview", {})).toMatchObject({
      error: "PROJECT_REQUIRED",
      next: projects,
    });
    expect(await refusal("overview", { project: "x" })).toMatchObject({
      error: "NOT_FOUND",
      next: projects,
    });
    expect(await refusal("overview", { ...project, groupBy: "x" })).toEqual({
      ...{ error: "MISSING_FIELDS", field: "groupBy", retryable: false, next: undefined },
    });
    expect(await refusal("overview", { ...project, colour: "x" })).toMatchObject({
      error: "INVALID_BODY",
      field: "colour",
    });
    expect(await refusal("funnel", { ...project, steps: ["one"] })).toMatchObject({
      error: "INVALID_FUNNEL_STEPS",
      next: { tool: "describe_project", arguments: project },
    });
    expect(await refusal("experiments", { id: "exp_none" })).toMatchObject({
      error: "EXPERIMENT_NOT_FOUND",
      next: { tool: "experiments", arguments: {} },
    });
    expect(await refusal("more_reads", { operation: "deleteProject" })).toMatchObject({
      field: "operation",
    });
    expect(await refusal("overview", { ...project, max_rows: "many" })).toMatchObject({
      error: "INVALID_BODY",
      field: "max_rows",
    });
  });

  test("repeats the call with the field that was meant", async () => {
    const filter = { op: "eq", value: "DE" };
    const corrected = { field: "properties.contry", ...filter };
    expect(
      await refusal("query", { ...project, filters: [{ field: "contry", ...filter }] }),
    ).toMatchObject({
      error: "INVALID_FILTER_FIELD",
      next: { tool: "query", arguments: { ...project, filters: [corrected] } },
    });
    const { next } = await refusal("overview", {
      ...project,
      filters: JSON.stringify([{ field: "contry", ...filter }]),
    });
    expect(next).toEqual({
      tool: "overview",
      arguments: { ...project, filters: JSON.stringify([corrected]) },
    });
  });

  test("names the suggestions that anybody may have sent, and words of its own stay readable", async () => {
    const other = await testApp();
    const site = await other.makeProject("site");
    await other.track(site, { event: "visit", user_id: "u", properties: { country_name: "DE" } });
    const filters = [{ field: "country_name", op: "eq", value: "DE" }];
    const { structuredContent, content } = await callTool(other, "query", { filters });
    expect(structuredContent).toMatchObject({ error: "INVALID_FILTER_FIELD" });
    const untrusted = [
      "suggested_field",
      "available_properties.events.event",
      "available_properties.property_keys",
    ];
    expect(structuredContent.untrusted).toEqual(untrusted);
    for (const path of untrusted) expect(content[0]?.text).toContain(path);
    expect(structuredContent.message).toContain("session.{field} or properties.{key}");
    const did = await callTool(other, "query", {
      filters: [{ field: "did", op: "eq", value: "visit" }],
    });
    expect(did.structuredContent.suggested_item).toEqual({ did: "{event}" });
    const own = [
      [{ metrics: ["visitors"] }, "unique_users"],
      [{ group_by: ["contry"] }, "country"],
      [{ metrics: ["unique_users"], order_by: "unique_user" }, "unique_users"],
      [{ metric: ["visitors"] }, "metrics"],
      [{ filters: [{ field: "session.contry", op: "eq", value: "DE" }] }, "session.country"],
      [{ metrics: 1 }, undefined],
    ] as const;
    for (const [args, meant] of own) {
      const refused = (await callTool(other, "query", args)).structuredContent;
      expect([refused.suggested_field, refused.untrusted ?? []]).toEqual([
        ...[meant, "filters" in args ? untrusted.slice(1) : []],
      ]);
    }
    const ofCaller = await callTool(other, "query", { group_by: ["plan"] });
    expect(ofCaller.structuredContent).toMatchObject({
      ...{ suggested_field: "properties.plan", untrusted: ["suggested_field"] },
    });
    await other.close();
  });

  test("keeps the fields of an operation that is named by its id together", async () => {
    const filters = (field: string) => JSON.stringify([{ field, op: "eq", value: "DE" }]);
    const args = (field: string) => ({
      operation: "getInsights",
      arguments: { ...project, filters: filters(field) },
    });
    expect(await refusal("more_reads", args("contry"))).toMatchObject({
      next: { tool: "more_reads", arguments: args("properties.contry") },
    });
    const unknown = { operation: "getInsights", arguments: { project: "x" } };
    expect(await refusal("more_reads", unknown)).toMatchObject({ next: projects });
  });

  test("of a right that is missing is the answer's own, with the scope to ask for", async () => {
    const headers = await agent("projects:read");
    for (const [name, args, scope] of [
      ["overview", project, "analytics:read"],
      ["create_project", { name: "x", domain: "x.example.com" }, "projects:write"],
      ["more_reads", { operation: "getAccount" }, "account:read"],
    ] as const) {
      const body = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      };
      const answer = await sendMcp(app, body, headers);
      expect([name, answer.status]).toEqual([name, 403]);
      expect(answer.headers.get("www-authenticate")).toBe(
        'Bearer resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource/mcp", ' +
          `scope="projects:read ${scope}", error="insufficient_scope"`,
      );
    }
    const { tools: shown } = (await resultOf(app, "tools/list", {}, headers)) as {
      tools: { name: string }[];
    };
    expect(shown.map(({ name }) => name)).toEqual(["list_projects", "more_reads"]);
  });

  test("of the plan opens the page where it is changed", async () => {
    const free = await testApp({ DEFAULT_TIER: "free" });
    free.deps.control.db.run("update account set complimentary = 0");
    await free.makeProject("shop");
    const { structuredContent } = await callTool(free, "query", project);
    expect(structuredContent).toMatchObject({
      error: "PRO_REQUIRED",
      next: { open: "http://localhost:3000/account/billing" },
    });
    await free.close();
  });
});

test("a project may be left out where there is but one, and reads are counted once each", async () => {
  const small = await testApp();
  const only = await small.makeProject("only");
  await small.track(only, { event: "visit", user_id: "u" });
  const reads = async () => Number((await small.get(`/projects/${only.id}`)).total_reads);
  const { structuredContent } = await callTool(small, "overview");
  expect(structuredContent.answer.project).toBe("only");
  expect(await reads()).toBe(1);
  await callTool(small, "describe_project");
  await callTool(small, "list_projects");
  await resultOf(small, "tools/list");
  expect(await reads()).toBe(2);
  await small.close();
});

test("the demo may ask what is open to it, and journeys by id alone", async () => {
  shortenDemo(app);
  const made = await app.send("POST", "/demo/session");
  const { agent_session: session } = (await made.json()) as {
    agent_session: { access_token: string };
  };
  const demo = { authorization: `Bearer ${session.access_token}` };
  const { tools: shown } = (await resultOf(app, "tools/list", {}, demo)) as {
    tools: { name: string; inputSchema: { properties: Json } }[];
  };
  const names = shown.map(({ name }) => name);
  expect(names).toContain("overview");
  expect(names).not.toContain("create_project");
  const journey = shown.find(({ name }) => name === "journey");
  expect(Object.keys(journey?.inputSchema.properties ?? {})).toContain("until");
  expect((await callTool(app, "overview", {}, demo)).isError).toBe(false);
  const refused = await callTool(
    app,
    "create_project",
    { name: "x", domain: "x.example.com" },
    demo,
  );
  expect(refused.structuredContent.error).toBe("DEMO_READ_ONLY");
});

test("changes are made with the rights of the caller", async () => {
  const made = await callTool(app, "create_project", {
    name: "third",
    domain: "third.example.com",
  });
  expect(made.structuredContent.answer).toMatchObject({ name: "third" });
  expect(String(made.structuredContent.answer.snippet)).toContain("<script");
  const context = { project: "third", goals: ["Sell more"] };
  expect((await callTool(app, "set_project_context", context)).isError).toBe(false);
  const experiment = {
    project: "third",
    name: "hero",
    variants: ["control", "b"],
    goal_event: "buy",
  };
  const { structuredContent } = await callTool(app, "create_experiment", experiment);
  const { id } = structuredContent.answer;
  const paused = await callTool(app, "update_experiment", { id, status: "paused" });
  expect(paused.structuredContent.answer.status).toBe("paused");
  expect(
    (await callTool(app, "send_feedback", { message: "good" })).structuredContent.answer,
  ).toEqual({ ok: true });
});
