import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { minuteMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { callTool } from "../support/app/mcp";

let app: TestApp;
let shop: TestProject;
let experimentId: string;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  const visit = (at: number) => ({ event: "visit", user_id: `u${at}`, session_id: `s${at}` });
  const events = Array.from({ length: 30 }, (_, at) => ({
    ...visit(at),
    timestamp: noonMs - at * minuteMs,
  }));
  await app.track(shop, ...events);
  const variants = { variants: ["control", "b"], goal_event: "visit" };
  const made = await app.post("/experiments", { project: "shop", name: "hero", ...variants });
  experimentId = String(made.id);
});
afterAll(() => app.close());

const project = { project: "shop" };
const answerOf = async (tool: string, args: Json) => {
  const { isError, structuredContent } = await callTool(app, tool, args);
  expect([tool, args, isError, structuredContent.message]).toEqual([tool, args, false, undefined]);
  return structuredContent;
};
const more = (operation: string, args: Json = {}) =>
  answerOf("more_reads", { operation, arguments: args });

describe("more_reads", () => {
  test("takes a project by the name of the field that all tools have for it", async () => {
    for (const operation of ["getProject", "getProjectUsage", "getArrivals"]) {
      const ways = [project, { project: shop.id }, { id: shop.id }, { id: "shop" }, {}];
      const [first, ...others] = await Promise.all(ways.map((args) => more(operation, args)));
      for (const other of others) expect(other).toEqual(first as never);
    }
    expect((await more("getProject", project)).answer.name).toBe("shop");
  });

  test("wants to know which project, where there are several", async () => {
    const other = await testApp();
    await other.makeProject("one");
    await other.makeProject("two");
    const { structuredContent } = await callTool(other, "more_reads", { operation: "getProject" });
    expect(structuredContent).toMatchObject({
      ...{ error: "PROJECT_REQUIRED", next: { tool: "list_projects", arguments: {} } },
    });
    await other.close();
  });

  test("takes a portfolio by id or slug", async () => {
    const made = (await app.post("/portfolios", { name: "All", slug: "all" })) as { id: string };
    for (const args of [{ id: made.id }, { id: "all" }, { slug: "all" }, { idOrSlug: "all" }]) {
      expect((await more("getPortfolio", args)).answer.slug).toBe("all");
    }
    const { structuredContent } = await callTool(app, "more_reads", { operation: "getPortfolio" });
    expect(structuredContent).toMatchObject({ error: "MISSING_FIELDS", field: "id" });
  });

  test("takes numbers and booleans as a query string has them", async () => {
    const trust = (show: unknown, limit: unknown) => more("getTrust", { ...project, show, limit });
    expect(await trust("true", "5")).toEqual(await trust(true, 5));
    expect(await trust("false", "5")).toEqual(await trust(false, 5));
    const asked = { ...project, user_id: "u1" };
    const one = await more("lookUpEvents", { ...asked, limit: "1", context: "false" });
    expect(one.tables.events?.rows).toHaveLength(1);
    const { isError } = await callTool(app, "more_reads", {
      ...{ operation: "getTrust", arguments: { ...project, show: "maybe" } },
    });
    expect(isError).toBe(true);
  });
});

describe("a read", () => {
  test("takes filters as a list and as a JSON text, for GET and for POST operations", async () => {
    const list = [{ session_did: "visit" }, { field: "user_id", op: "in", value: ["u1", "u2"] }];
    for (const tool of ["overview", "query", "funnel", "sessions", "describe_project"]) {
      const steps = tool === "funnel" && { steps: ["visit", "visit"] };
      const ask = (filters: unknown) => answerOf(tool, { ...project, ...steps, filters });
      const answers = [
        await ask(list),
        await ask(JSON.stringify(list)),
        await ask([]),
        await ask("[]"),
      ];
      const [first, second, without, none] = answers.map(({ answer, tables }) => ({
        answer,
        tables,
      }));
      expect([tool, second, none]).toEqual([tool, first, without]);
      expect(first).not.toEqual(without);
    }
  });
  test("takes a list of words with commas, and as a list", async () => {
    const ask = async (dimensions: unknown) =>
      (await answerOf("changes", { ...project, dimensions })).tables;
    expect(await ask(["country", "event"])).toEqual(await ask("country,event"));
    const { structuredContent } = await callTool(app, "query", {
      ...project,
      metrics: "event_count",
    });
    expect(structuredContent).toMatchObject({ error: "INVALID_BODY", field: "metrics" });
  });
});

describe("a tool that asks one of several operations", () => {
  test("takes every field that it shows, whichever it asks", async () => {
    const about = { ...project, context: false, tz: "Asia/Tokyo" };
    expect((await answerOf("experiments", about)).tables.experiments?.rows).toHaveLength(1);
    expect((await answerOf("experiments", { ...about, id: experimentId })).answer.name).toBe(
      "hero",
    );
    await answerOf("bot_traffic", { context: false });
    await answerOf("bot_traffic", { ...project, context: false });
  });

  test("refuses others", async () => {
    for (const tool of ["experiments", "bot_traffic"]) {
      const { structuredContent } = await callTool(app, tool, { ...project, colour: "red" });
      expect(structuredContent).toMatchObject({ error: "INVALID_BODY", field: "colour" });
    }
  });
});

describe("a receipt", () => {
  test("is that of the request that the tool stands for", async () => {
    const body = { ...project, metrics: ["event_count"], group_by: ["event"] };
    for (const [tool, args, http] of [
      ["overview", { since: "3d" }, () => app.get("/stats?project=shop&since=3d&receipt=true")],
      ["query", body, () => app.post("/query?receipt=true", body)],
      [
        "more_reads",
        { operation: "getHeatmap" },
        () => app.get("/heatmap?project=shop&receipt=true"),
      ],
    ] as const) {
      const own = tool === "more_reads" ? { arguments: { ...project, receipt: "true" } } : project;
      const asked =
        tool === "more_reads" ? { ...args, ...own } : { ...args, ...own, receipt: true };
      const { answer, untrusted } = await answerOf(tool, asked);
      const { receipt } = (await http()) as { receipt: Json };
      // Each of the two has read the data at its own time.
      expect(answer.receipt).toEqual({ ...receipt, through: (answer.receipt as Json).through });
      expect(untrusted.filter((path) => path.startsWith("answer.receipt"))).toEqual([]);
    }
  });

  test("is no argument of what has none", async () => {
    const { structuredContent } = await callTool(app, "live", { ...project, receipt: true });
    expect(structuredContent).toMatchObject({ error: "INVALID_BODY", field: "receipt" });
    const wrong = await callTool(app, "overview", { ...project, receipt: "yes" });
    expect(wrong.structuredContent).toMatchObject({ error: "MISSING_FIELDS", field: "receipt" });
  });
});
