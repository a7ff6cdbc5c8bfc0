import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { minuteMs } from "../../src/lib/clock";
import { inertText } from "../../src/lib/inert-text";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import { type Called, callTool } from "../support/app/mcp";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  for (let batch = 0; batch < 3; batch++) {
    await app.track(
      shop,
      ...Array.from({ length: 60 }, (_, at) => ({
        ...{ event: `e${batch}-${at}`, user_id: `u${at}`, session_id: `s${at}` },
        ...{ timestamp: noonMs - (200 + batch * 60 + at) * minuteMs },
        properties: { path: `/${at}`, long: "y".repeat(300) },
      })),
    );
  }
});
afterAll(() => app.close());

const project = { project: "shop" };

describe("a result", () => {
  test("has 50 rows of all tables together, unless it is asked for more", async () => {
    const rows = async (args: Json) => {
      const { structuredContent: result } = await callTool(app, "overview", {
        ...project,
        groupBy: "hour",
        since: "30d",
        ...args,
      });
      return Object.values(result.tables).reduce((all, table) => all + table.rows.length, 0);
    };
    expect(await rows({ max_rows: 1 })).toBe(1);
    expect(await rows({ max_rows: 7 })).toBe(7);
    const { structuredContent: described } = await callTool(app, "describe_project", project);
    expect(described.tables.events?.rows).toHaveLength(50);
    expect(described.cut).toEqual({ events: { shown: 50, total: 180 } });
    expect(described.next).toEqual({
      tool: "describe_project",
      arguments: { ...project, after_row: 50 },
    });
  });

  test("goes on with what next says, until every row was shown once", async () => {
    const seen: unknown[] = [];
    let next: Called["structuredContent"]["next"] = {
      tool: "events",
      arguments: { ...project, max_rows: 30 },
    };
    let calls = 0;
    while (next !== undefined && calls < 20) {
      const called: Called = await callTool(app, next.tool, next.arguments);
      const { columns = [], rows = [] } = called.structuredContent.tables.events ?? {};
      seen.push(...rows.map((row) => row[columns.indexOf("id")]));
      next = called.structuredContent.next;
      calls += 1;
    }
    const all = (await app.get("/events?project=shop&limit=1000")).events as Json[];
    expect(seen).toEqual(all.map(({ id }) => id));
  });

  test("asks its operation for the rows that are skipped", async () => {
    const wanted = (await app.get("/breakdown?project=shop&property=path&limit=60"))
      .values as Json[];
    const { structuredContent: result } = await callTool(app, "breakdown", {
      ...{ ...project, property: "path", after_row: 50, max_rows: 10 },
    });
    const { columns = [], rows = [] } = result.tables.values ?? {};
    const shown = rows.map((row) => row[columns.indexOf("value")]);
    expect(shown).toEqual(wanted.slice(50, 60).map(({ value }) => inertText(String(value))));
  });

  test("fits into 32,768 characters, whatever was sent", async () => {
    const big = await app.makeProject("big");
    const text = "\u202e".repeat(190);
    const properties = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`k${at}`, text]));
    await app.track(
      big,
      ...Array.from({ length: 60 }, () => ({ event: "e", user_id: "u", properties })),
    );
    const called = await callTool(app, "events", { project: "big", max_rows: 500 });
    const { structuredContent: result, content } = called;
    expect(content[1]?.text.length).toBeLessThanOrEqual(32_768);
    const shown = result.tables.events?.rows.length ?? 0;
    expect(result.cut).toEqual({ events: { shown, total: 60 } });
    expect(result.next?.arguments.after_row).toBe(shown);
  });

  test("notes that there are warnings, and nothing where there are none", async () => {
    const note =
      "See answer.warnings: the request may contain a mistake, or the numbers may be incomplete.";
    const notesOf = async (tool: string, args: Json) =>
      (await callTool(app, tool, { ...project, ...args })).structuredContent.notes;
    const filters = [{ field: "country", op: "eq", value: "Germany" }];
    const steps = ["e1-1", "e0-1"];
    expect(await notesOf("funnel", { steps })).not.toContain(note);
    expect(await notesOf("funnel", { steps, filters })).toContain(note);
    expect(await notesOf("overview", {})).not.toContain(note);
    expect(await notesOf("overview", { filters: JSON.stringify(filters) })).toContain(note);
  });

  test("cuts a long text after 200 code points and says how many follow", async () => {
    const { structuredContent: result } = await callTool(app, "events", {
      ...project,
      event: "e0-0",
    });
    const { columns = [], rows = [] } = result.tables.events ?? {};
    expect(rows[0]?.[columns.indexOf("properties.long")]).toBe(`${"y".repeat(200)}…+100`);
  });
});
