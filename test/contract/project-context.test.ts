import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";

const dayMs = 86_400_000;
let app: TestApp;
let shop: TestProject;
let experimentId: string;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  await app.track(shop, { event: "page_view", user_id: "ann", properties: { path: "/" } });
  app.setTime(noonMs - 3 * dayMs);
  const variants = ["control", "b"];
  const made = { project: "shop", name: "cta", variants, goal_event: "buy" };
  experimentId = String((await app.post("/experiments", made)).id);
  app.setTime(noonMs);
});
afterAll(() => app.close());

const put = async (context: Json) => {
  const body = { project: "shop", ...context };
  const answer = await app.send("PUT", "/project-context", { key: app.key, body });
  expect(answer.status).toBe(200);
};
/** One annotation at the last and at the first moment of the given number of days ago, called by the number. */
const annotations = (...daysAgo: readonly number[]) =>
  daysAgo.map((days) => ({
    occurred_at: new Date(Math.floor(noonMs / dayMs) * dayMs - days * dayMs).toISOString(),
    title: String(days),
  }));
const titles = (answer: Json): number[] => {
  const { annotations: found = [] } = (answer.project_context ?? {}) as {
    annotations?: readonly { readonly title: string }[];
  };
  return found.map(({ title }) => Number(title));
};

type Ask = readonly [name: string, from: number, to: number, path: string, body?: Json];
/** Every read of a project with the dates it is asked for, in days ago. */
const reads: readonly Ask[] = [
  ["GET /stats", 7, 0, "/stats?project=shop"],
  ["GET /stats with a window", 9, 5, "/stats?project=shop&since=9d&until=5d"],
  ["GET /events", 7, 0, "/events?project=shop"],
  ["GET /properties", 3, 0, "/properties?project=shop&since=3d"],
  ["GET /properties/received", 3, 0, "/properties/received?project=shop&since=3d"],
  ["GET /breakdown", 0, 0, "/breakdown?project=shop&property=path&since=0d"],
  ["GET /bot-traffic", 6, 0, "/bot-traffic?project=shop"],
  ["GET /history", 6, 0, "/history?project=shop&since=6d"],
  ["GET /insights", 6, 0, "/insights?project=shop"],
  ["GET /changes", 7, 1, "/changes?project=shop"],
  ["GET /pages", 7, 0, "/pages?project=shop"],
  ["GET /sessions", 7, 0, "/sessions?project=shop"],
  ["GET /sessions/distribution", 7, 0, "/sessions/distribution?project=shop"],
  ["GET /heatmap", 7, 0, "/heatmap?project=shop"],
  // Today is a Wednesday: two weeks began nine days ago.
  ["GET /retention", 9, 0, "/retention?project=shop&cohorts=2"],
  ["GET /journey", 30, 0, "/journey?project=shop&user_id=ann"],
  ["POST /journey/lookup", 30, 0, "/journey/lookup", { user_id: "ann" }],
  ["POST /journey", 30, 0, "/journey", { user_id: "ann" }],
  ["POST /events/lookup", 7, 0, "/events/lookup", { user_id: "ann" }],
  ["POST /events", 7, 0, "/events", { user_id: "ann" }],
  ["POST /query", 4, 2, "/query", { date_from: "4d", date_to: "2d" }],
  ["POST /paths", 30, 0, "/paths", { goal_event: "buy" }],
  ["POST /funnel", 30, 0, "/funnel", { steps: ["a", "b"] }],
  ["GET /live", 0, 0, "/live?project=shop"],
  // The experiment was made three days ago.
  ["GET /experiments/{id}", 3, 0, "/experiments/EXPERIMENT"],
];
const ask = ([, , , path, body]: Ask, choice: { readonly context?: boolean } = {}) => {
  if (body !== undefined) return app.post(path, { project: "shop", ...body, ...choice });
  const address = path.replace("EXPERIMENT", experimentId);
  const { context } = choice;
  if (context === undefined) return app.get(address);
  return app.get(`${address}${address.includes("?") ? "&" : "?"}context=${context}`);
};

describe("project_context", () => {
  test("is in no answer while there is none", async () => {
    for (const read of reads) {
      expect([read[0], "project_context" in (await ask(read))]).toEqual([read[0], false]);
    }
  });

  const named = reads.map((read) => [read[0], read] as const);
  test.each(named)("%s has annotations of its dates and a day around them", async (_, read) => {
    const [, from, to] = read;
    const goals = ["Grow"];
    const days = [from + 2, from + 1, from, to, to - 1, to - 2];
    await put({ goals, annotations: annotations(...new Set(days)) });
    const answer = await ask(read);
    expect(answer.project_context).toMatchObject({ goals, activation_events: [], glossary: [] });
    expect(titles(answer)).toEqual([...new Set([from + 1, from, to, to - 1])]);
  });

  test("comes right behind the project's name, where an answer begins with that", async () => {
    await put({ goals: ["Grow"] });
    for (const read of reads.filter(([name]) => name !== "GET /experiments/{id}")) {
      const keys = Object.keys(await ask(read)).slice(0, 2);
      expect([read[0], ...keys]).toEqual([read[0], "project", "project_context"]);
    }
  });

  test.each(named)(
    "%s leaves it out when context is false, and changes nothing else",
    async (_, read) => {
      await put({ goals: ["Grow"], annotations: annotations(read[2]) });
      // What this moment's answer says of other moments is the same, as the clock stands still.
      const { project_context: found, ...rest } = await ask(read, { context: true });
      expect(found).toMatchObject({ goals: ["Grow"] });
      expect(await ask(read, { context: false })).toEqual(rest);
    },
  );

  test("is left out when nothing is left of it, and there is nothing else in it", async () => {
    await put({ annotations: annotations(40) });
    expect(await app.get("/stats?project=shop")).not.toHaveProperty("project_context");
    expect(titles(await app.get("/stats?project=shop&since=39d"))).toEqual([40]);
    await put({ annotations: annotations(40), activation_events: ["a"] });
    expect(await app.get("/stats?project=shop")).toMatchObject({
      project_context: { goals: [], activation_events: ["a"], glossary: [], annotations: [] },
    });
    const { project_context: whole } = await app.get("/project-context?project=shop");
    expect(whole).toMatchObject({ annotations: annotations(40) });
  });

  test("counts the whole first and last day", async () => {
    const at = (occurred_at: string) => ({ occurred_at, title: "t" });
    const near = [at("2026-01-11T00:00:00.000Z"), at("2026-01-15T23:59:59.999Z")];
    await put({
      annotations: [at("2026-01-10T23:59:59.999Z"), ...near, at("2026-01-16T00:00:00.000Z")],
    });
    const { project_context: context } = await app.get("/stats?project=shop&since=2026-01-12");
    expect(context).toMatchObject({ annotations: near });
  });

  test("follows a page to the next, with the first one's window", async () => {
    await app.track(shop, { event: "a" }, { event: "b" });
    await put({ annotations: annotations(8) });
    const first = await app.get("/events?project=shop&limit=1");
    app.setTime(noonMs + dayMs);
    const next = await app.get(`/events?project=shop&limit=1&cursor=${first.next_cursor}`);
    app.setTime(noonMs);
    expect(titles(next)).toEqual([8]);
  });

  test("may be in the first page and not in the next", async () => {
    await put({ goals: ["Grow"] });
    const first = await app.get("/events?project=shop&limit=1");
    expect(first).toHaveProperty("project_context");
    const next = `/events?project=shop&limit=1&cursor=${first.next_cursor}&context=false`;
    expect(await app.get(next)).not.toHaveProperty("project_context");
  });

  test("is a project's own and goes with it", async () => {
    await put({ goals: ["Grow"] });
    await app.makeProject("blog");
    expect(await app.get("/stats?project=blog")).not.toHaveProperty("project_context");
    await app.send("DELETE", "/projects/blog", { key: app.key });
    await app.makeProject("blog");
    expect(await app.get("/stats?project=blog")).not.toHaveProperty("project_context");
  });

  test("is in no answer about an account", async () => {
    await put({ goals: ["Grow"] });
    for (const path of ["/account/all-sites", "/account/bot-traffic"]) {
      expect(await app.get(path)).not.toHaveProperty("project_context");
    }
  });
});

describe("a funnel of the context", () => {
  const funnel = (body: Json) =>
    app.send("POST", "/funnel", { key: app.key, body: { project: "shop", ...body } });
  const steps = async (body: Json) => {
    const answer = (await (await funnel(body)).json()) as {
      readonly steps_source: string;
      readonly steps: readonly { readonly event: string }[];
    };
    return [answer.steps_source, ...answer.steps.map(({ event }) => event)];
  };
  const code = async (body: Json) => {
    const answer = await funnel(body);
    return [answer.status, ((await answer.json()) as Json).error];
  };

  test("has the activation events as steps, asked for or by default", async () => {
    const source = "project_context.activation_events";
    await put({ activation_events: ["page_view", "signup", "pay"] });
    expect(await steps({ from_context: true })).toEqual([source, "page_view", "signup", "pay"]);
    expect(await steps({})).toEqual([source, "page_view", "signup", "pay"]);
    expect(await steps({ from_context: false, steps: null })).toEqual([
      source,
      "page_view",
      "signup",
      "pay",
    ]);
    expect(await steps({ steps: ["a", "b"], from_context: false })).toEqual([
      "request.steps",
      "a",
      "b",
    ]);
    const most = ["a", "b", "c", "d", "e", "f", "g", "h"];
    await put({ activation_events: most });
    expect(await steps({ from_context: true })).toEqual([source, ...most]);
  });

  test("needs two of them, and no steps beside", async () => {
    const invalid = [400, "INVALID_FUNNEL_STEPS"];
    await put({ activation_events: ["page_view"] });
    expect(await code({})).toEqual(invalid);
    expect(await code({ from_context: true })).toEqual(invalid);
    await put({ activation_events: ["page_view", "pay"] });
    expect(await code({})).toEqual([200, undefined]);
    expect(await code({ from_context: true, steps: ["a", "b"] })).toEqual(invalid);
    expect(await code({ steps: [] })).toEqual(invalid);
  });
});
