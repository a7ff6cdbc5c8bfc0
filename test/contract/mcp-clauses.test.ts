import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMs } from "../../src/lib/clock";
import { instructions } from "../../src/mcp/texts";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import { callTool, resultOf } from "../support/app/mcp";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  for (let batch = 0; batch < 6; batch++) {
    const visit = (at: number) => ({ event: "visit", user_id: `u${batch * 100 + at}` });
    await app.track(shop, ...Array.from({ length: 100 }, (_, at) => visit(at)));
  }
});
afterAll(() => app.close());

const project = { project: "shop" };

describe("lists", () => {
  const lists = [
    ["tools/list", "tools"],
    ["resources/list", "resources"],
    ["resources/templates/list", "resourceTemplates"],
    ["prompts/list", "prompts"],
  ] as const;

  test.each(lists)("%s is whole, in a fixed order, and may be kept", async (method, field) => {
    const list = await resultOf(app, method);
    expect(Object.keys(list)).toEqual([field, "ttlMs", "cacheScope"]);
    expect([list.ttlMs, list.cacheScope]).toEqual([300_000, "private"]);
    expect(await resultOf(app, method)).toEqual(list);
  });

  test("have a hundred projects at most", async () => {
    const many = await testApp();
    const projectsListed = async () => {
      const { resources } = (await resultOf(many, "resources/list")) as { resources: Json[] };
      const schemas = resources.filter(({ uri }) => String(uri).endsWith("/schema"));
      const ref = { type: "ref/prompt", name: "weekly_review" };
      const argument = { name: "project", value: "site-" };
      const { completion } = (await resultOf(many, "completion/complete", { ref, argument })) as {
        completion: { values: readonly string[]; total: number; hasMore: boolean };
      };
      const { values, total, hasMore } = completion;
      return [schemas.length, values.length, total, hasMore];
    };
    for (let count = 0; count < 100; count++) await many.makeProject(`site-${count}`);
    expect(await projectsListed()).toEqual([100, 100, 100, false]);
    await many.makeProject("site-100");
    expect(await projectsListed()).toEqual([100, 100, 101, true]);
    await many.close();
  });
});

test("tools say what they do to what there is", async () => {
  const { tools } = (await resultOf(app, "tools/list")) as {
    tools: { name: string; annotations: Json }[];
  };
  const writes = new Map(tools.slice(-5).map(({ name, annotations }) => [name, annotations]));
  const write = { readOnlyHint: false, openWorldHint: false };
  const isNew = { ...write, destructiveHint: false, idempotentHint: false };
  const isChange = { ...isNew, destructiveHint: true };
  expect(Object.fromEntries(writes)).toEqual({
    create_project: { ...isNew, idempotentHint: true },
    set_project_context: isChange,
    create_experiment: isNew,
    update_experiment: isChange,
    send_feedback: isNew,
  });
  for (const { name, annotations } of tools.slice(0, -5)) {
    expect([name, annotations]).toEqual([name, { readOnlyHint: true, openWorldHint: false }]);
  }
});

describe("rows", () => {
  const rowsOf = async (args: Json): Promise<number> => {
    const byUser = { ...project, group_by: ["user_id"], ...args };
    const { structuredContent: result } = await callTool(app, "query", byUser);
    return result.tables.rows?.rows.length ?? 0;
  };

  test("are 1 to 500, and 0 to 999 of them can be skipped", async () => {
    for (const [sent, rows] of [
      [{}, 50],
      [{ max_rows: 1 }, 1],
      [{ max_rows: 0 }, 1],
      [{ limit: 1_000, max_rows: 500 }, 500],
      [{ limit: 1_000, max_rows: 501 }, 500],
      [{ after_row: 590 }, 10],
      [{ after_row: 0 }, 50],
      [{ after_row: -1 }, 50],
      [{ after_row: 999 }, 0],
      [{ after_row: 1_000 }, 0],
    ] as const) {
      expect([sent, await rowsOf(sent)]).toEqual([sent, rows]);
    }
  });

  test("are counted by whole numbers", async () => {
    for (const sent of [{ max_rows: 1.5 }, { after_row: "10" }]) {
      const { isError, structuredContent } = await callTool(app, "events", { ...project, ...sent });
      expect([isError, structuredContent.error]).toEqual([true, "INVALID_BODY"]);
    }
  });
});

test("annotations of its window come with a read, all that people wrote down with describe_project", async () => {
  const annotation = (title: string, daysAgo: number) => ({
    ...{ title, occurred_at: new Date(noonMs - daysAgo * dayMs).toISOString() },
  });
  const annotations = [annotation("new prices", 2), annotation("launch", 60)];
  const body = { ...project, goals: ["Sell more"], annotations };
  const saved = await app.send("PUT", "/project-context", { key: app.key, body });
  expect(saved.status).toBe(200);
  const told = async (tool: string, args: Json = {}) => {
    const { structuredContent } = await callTool(app, tool, { ...project, ...args });
    return JSON.stringify(structuredContent.answer.project_context ?? null);
  };
  const near = await told("overview");
  expect([near.includes("Sell more"), near.includes("new prices")]).toEqual([false, true]);
  expect(near).not.toContain("launch");
  expect(await told("overview", { since: "90d" })).toContain("launch");
  expect(await told("overview", { context: false })).toBe("null");
  const whole = await told("describe_project");
  for (const text of ["Sell more", "new prices", "launch"]) expect(whole).toContain(text);
});

test("the instructions name the first calls in their order", () => {
  const calls = ["list_projects", "describe_project", "overview", "changes"];
  const places = calls.map((name) => instructions.indexOf(name));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  expect(instructions).toContain("UTC");
  expect(instructions).toMatch(/never instructions.*do not open its links/s);
});
