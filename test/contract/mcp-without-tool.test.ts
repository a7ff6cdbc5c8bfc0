import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { destinations, pageWords } from "../../src/dashboard/frame/destinations";
import { oauthScopesDefault } from "../../src/domain/scope";
import { clock } from "../../src/lib/clock";
import { type Json, type TestApp, testApp } from "../support/app/app";
import { shortenDemo } from "../support/app/demo";
import { callTool, sendMcp } from "../support/app/mcp";
import { ownerOf } from "../support/app/owner";

let app: TestApp;
let id = "";
beforeAll(async () => {
  app = await testApp();
  id = String((await app.makeProject("shop")).id);
});
afterAll(() => app.close());

const base = () => `${app.deps.config.publicUrl}/app/p/${id}`;
const wanted = async (operation: string, args: Json = {}) => {
  const sent = { operation, arguments: { project: "shop", ...args } };
  const { isError, structuredContent } = await callTool(app, "more_reads", sent);
  expect(isError).toBe(true);
  const { error, message, next }: Json = structuredContent;
  return { error, message: String(message), next };
};

describe("an operation that no tool has", () => {
  test("is refused, and the answer has the page of the dashboard and the request that do it", async () => {
    const goal = await wanted("createGoal", { name: "Order" });
    expect(goal).toEqual({
      error: "FORBIDDEN",
      message:
        "No tool does this: Create a goal. Ask your human to do it in the dashboard, on the page that `next` names. " +
        "A program with the API key sends POST /goals (project, name, event?, page?, filters?, value?, once_per?).",
      next: { open: `${base()}/project/goals` },
    });
    expect((await wanted("deleteAccount")).message).toEndWith(
      "No program can do it, only a person who is logged in.",
    );
    expect((await wanted("erasePerson")).next).toEqual({ open: `${base()}/people` });
    expect((await wanted("createReport")).next).toEqual({ open: `${base()}/project/sharing` });
    expect((await wanted("createShare")).next).toEqual({ open: `${base()}/project/sharing` });
    expect(await wanted("putExclusions")).toMatchObject({
      message: expect.stringContaining("sends PUT /projects/{id}/exclusions (ips?, countries?,"),
      next: { open: `${base()}/project/tracking` },
    });
  });

  test("is refused in the same way where it is called as a tool", async () => {
    const called = async (name: string) => {
      const params = { name, arguments: { project: id } };
      const sent = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const { error } = (await (await sendMcp(app, sent)).json()) as { error: Json };
      return error;
    };
    expect(await called("create_goal")).toMatchObject({
      code: -32602,
      message: expect.stringContaining("No tool does this: Create a goal."),
      data: { next: { open: `${base()}/project/goals` } },
    });
    expect((await called("create_castle")).message).toBe(
      "This tool does not exist. tools/list returns all tools.",
    );
  });

  test("has no page if it is not about a project", async () => {
    const { message, next } = await wanted("createPortfolio");
    expect(next).toBeUndefined();
    expect(message).toContain("A program with the API key sends POST /portfolios (");
  });

  test("has a page that exists in the dashboard", () => {
    const places = new Set([
      ...Object.keys(pageWords),
      ...destinations.map(({ page, tab }) => (tab === undefined ? page : `${page}/${tab}`)),
    ]);
    const pages = app.operations.flatMap(({ doc }) => (doc.page === undefined ? [] : [doc.page]));
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.filter((page) => !places.has(page))).toEqual([]);
  });
});

test("the refusal of an operation that a tool has names the tool", async () => {
  const text = { ...{ project: "shop" }, steps: ["a", "https://evil.example"] };
  const { message, next } = await wanted("getFunnel", text);
  expect(message).toBe("The tool funnel does this: Run a funnel.");
  expect(next).toEqual({
    tool: "funnel",
    arguments: { project: "shop", steps: ["a", "https:\\u{2F}/evil.example"] },
  });
  expect(await wanted("list_goals")).toMatchObject({
    next: { tool: "more_reads", arguments: { operation: "listGoals" } },
  });
  expect((await wanted("track")).error).toBe("MISSING_FIELDS");
});

test("describe_project lists operations that need a person or another scope, but not in the demo", async () => {
  const notesFor = async (headers?: Record<string, string>) =>
    (await callTool(app, "describe_project", {}, headers)).structuredContent.notes;
  const [note = "", ...others] = await notesFor();
  expect(others).toEqual([]);
  expect(note).toStartWith(
    "No tool does the following. A person does it in the dashboard of this server, on a page below " +
      `/app/p/${id}/. `,
  );
  expect(note).toContain("project/goals: createGoal, updateGoal, deleteGoal");
  expect(note).toContain("people: exportPerson, erasePerson");
  expect(note.length).toBeLessThanOrEqual(1_200);

  const owner = ownerOf(app.deps.control, String((await app.get("/account")).id));
  const session = { ...owner, scopes: oauthScopesDefault, clientType: "mcp" };
  const { accessToken } = app.deps.control.agents.addSession(session, clock.nowMs());
  expect(await notesFor({ authorization: `Bearer ${accessToken}` })).toEqual([
    note,
    expect.stringMatching(
      /^more_reads has more reads with other scopes.* replays:read: .*listReplays, getReplay,/,
    ),
  ]);

  shortenDemo(app);
  const made = (await (await app.send("POST", "/demo/session")).json()) as DemoSession;
  const demo = { authorization: `Bearer ${made.agent_session.access_token}` };
  expect(await notesFor(demo)).toEqual([]);
  const other = await callTool(app, "more_reads", { operation: "createGoal" }, demo);
  expect(other.structuredContent.message).toStartWith('"operation" must be one of ');
});

interface DemoSession {
  readonly agent_session: { readonly access_token: string };
}

test("a tool refuses the format CSV and says where to get it", async () => {
  const asked = { project: "shop", property: "path", format: "csv" };
  const { structuredContent } = await callTool(app, "breakdown", asked);
  expect(structuredContent).toMatchObject({
    error: "MISSING_FIELDS",
    field: "format",
    message:
      "Tools answer with tables. For a CSV file, a program with the API key sends GET /breakdown with the same " +
      "fields and Accept: text/csv, and a person uses the link below a table in the dashboard.",
  });
});
