import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";

/** A goal by its name wherever a read takes an event. */

let app: TestApp;
let id: string;
let share: Readonly<Record<string, string>>;

const order = {
  ...{ name: "Order", event: "buy", once_per: "order_id" },
  filters: [{ field: "properties.plan", op: "neq", value: "test" }],
};

beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  const buy = (session: string, user: string, minute: number, properties: Json) => ({
    ...{ event: "buy", user_id: user, session_id: session, properties },
    timestamp: noonMs - 3_600_000 + minute * 60_000,
  });
  const view = (session: string, user: string, minute: number, path: string) => ({
    ...buy(session, user, minute, { path }),
    event: "page_view",
  });
  await app.track(
    shop,
    ...[view("s1", "u1", 0, "/"), view("s2", "u2", 0, "/"), view("s3", "u3", 0, "/")],
    ...[view("s1", "u1", 1, "/cart"), view("s2", "u2", 1, "/thanks")],
    buy("s1", "u1", 2, { order_id: 7, plan: "pro" }),
    // The page of thanks was loaded again, in another session: 7 and "7" are one order.
    buy("s2", "u2", 3, { order_id: "7", plan: "pro" }),
    buy("s3", "u3", 4, { order_id: "8", plan: "test" }),
  );
  const made = await app.post("/goals", { project: "shop", ...order });
  id = String(made.id);
  // Goals of one moment are in order of their ids, which are drawn.
  app.setTime(noonMs + 1);
  await app.post("/goals", { project: "shop", name: "Thanks", page: "/tha*" });
  const { url } = await app.post("/shares", { project: "shop", name: "for Bo" });
  share = { authorization: `Bearer ${String(url).split("/").at(-1)}` };
});
afterAll(() => app.close());

const post = async (path: string, body: Json, headers?: Readonly<Record<string, string>>) => {
  const credential = headers === undefined ? { key: app.key } : { headers };
  const answer = await app.send("POST", path, {
    ...credential,
    body: { project: "shop", ...body },
  });
  return (await answer.json()) as Json;
};
const named = { id: expect.any(String), name: "Order" };
const names = ["Order", " oRDER "];

describe("/query", () => {
  const metrics = ["conversions", "session_count"];

  test("counts sessions with an event of the goal", async () => {
    for (const goal of [...names, id]) {
      const { goal: told, rows } = await post("/query", { metrics, goal: { goal } });
      expect([told, rows]).toEqual([named, [{ conversions: 1, session_count: 3 }]]);
    }
    const { rows } = await post("/query", { metrics, goal: { goal: "thanks" } });
    expect(rows).toEqual([{ conversions: 1, session_count: 3 }]);
  });

  test("takes the definition itself, and tells no name", async () => {
    const { name: _, ...definition } = order;
    const answer = await post("/query", { metrics, goal: definition });
    expect([answer.goal, answer.rows]).toEqual([undefined, [{ conversions: 1, session_count: 3 }]]);
    const page = await post("/query", { metrics, goal: { page: "/tha*" } });
    expect(page.rows).toEqual([{ conversions: 1, session_count: 3 }]);
  });

  test("refuses a name that no goal has, and tells those there are", async () => {
    const answer = await post("/query", { metrics, goal: { goal: "Ordr" } });
    expect([answer.error, answer.goals]).toEqual(["GOAL_NOT_FOUND", ["Order", "Thanks"]]);
  });

  test.each<readonly [Json, string]>([
    [{}, "goal.event"],
    [{ event: "buy", page: "/" }, "goal.page"],
    [{ goal: "Order", event: "buy" }, "goal"],
    [{ goal: "Order", filters: [] }, "goal"],
  ])("refuses %j", async (goal, field) => {
    const answer = await post("/query", { metrics, goal });
    expect([answer.error, answer.field]).toEqual(["MISSING_FIELDS", field]);
  });
});

test("/paths ends at an event of the goal, under the goal's name", async () => {
  for (const goal of names) {
    const answer = await post("/paths", { goal_event: { goal }, since: "7d" });
    expect(answer).toMatchObject({ goal: named, goal_event: "buy" });
    const [{ tree, conversions }] = answer.entry_paths as [{ tree: Json[]; conversions: number }];
    expect(conversions).toBe(1);
    expect(JSON.stringify(tree)).toContain('{"type":"goal","value":"Order","sessions":1');
    expect(JSON.stringify(tree)).toContain('{"type":"event","value":"buy"');
  }
  const page = await post("/paths", { goal_event: { goal: "Thanks" }, since: "7d" });
  expect(page.goal_event).toBe("page_view");
});

test("/funnel has it as a step", async () => {
  const { steps } = await post("/funnel", { steps: ["page_view", { goal: "order" }] });
  expect((steps as Json[]).map(({ event, goal, users }) => [event, goal, users])).toEqual([
    ["page_view", undefined, 3],
    ["buy", named, 1],
  ]);
  const other = await post("/funnel", { steps: ["page_view", { goal: "order", event: "x" }] });
  expect([other.error, other.field]).toEqual(["INVALID_BODY", "steps[1].event"]);
});

test("/changes counts its events", async () => {
  const path = "/changes?project=shop&since=0d&until=0d&goal=";
  const answer = await app.get(`${path}Order`);
  expect([answer.goal, answer.event, (answer.current as Json).value]).toEqual([named, "buy", 1]);
  const all = await app.get("/changes?project=shop&since=0d&until=0d&event=buy");
  expect((all.current as Json).value).toBe(3);
  const rate = await app.get(`${path}Order&metric=conversion`);
  expect((rate.current as Json).value).toBe(0.3333);
  const refused = await app.send("GET", `${path}Order&event=buy`, { key: app.key });
  expect(await refused.json()).toMatchObject({ error: "MISSING_FIELDS", field: "goal" });
});

test("an experiment keeps the goal as it was", async () => {
  const asked = { name: "hero", variants: ["a", "b"], goal_event: { goal: "Thanks" } };
  const made = await post("/experiments", asked);
  const definition = { event: null, page: "/tha*", filters: [], value: null, once_per: null };
  const goal = { id: expect.any(String), name: "Thanks", ...definition };
  expect([made.goal_event, made.goal]).toEqual(["page_view", goal]);
  const { goals } = (await app.get("/goals?project=shop")) as { goals: Json[] };
  const { id: own } = goals[1] ?? {};
  await app.send("PATCH", `/goals/${own}`, { key: app.key, body: { page: "/other" } });
  expect((await app.get(`/experiments/${made.id}`)).goal).toEqual(goal);
  await app.send("PATCH", `/goals/${own}`, { key: app.key, body: { page: "/tha*" } });
  const seen = await app.send("GET", `/experiments/${made.id}`, { headers: share });
  expect(((await seen.json()) as Json).goal).toEqual({ id: own, name: "Thanks" });
});

describe("a receipt", () => {
  const ask = { metrics: ["conversions"], goal: { goal: "order" }, receipt: true };

  test("names the goal by its id, and tells its definition", async () => {
    const { receipt } = (await post("/query", ask)) as { receipt: Json };
    expect((receipt.request as { body: Json }).body.goal).toEqual({ goal: id });
    const { name, ...definition } = order;
    expect(receipt.goals).toEqual([{ id, name, page: null, value: null, ...definition }]);
    const path = "/changes?project=shop&goal=order&receipt=true";
    const changes = (await app.get(path)) as {
      receipt: { request: { query: Json }; goals: Json[] };
    };
    expect([changes.receipt.request.query.goal, changes.receipt.goals.length]).toEqual([id, 1]);
  });

  test("tells a share the name alone", async () => {
    const { receipt } = (await post("/query", ask, share)) as { receipt: Json };
    expect(receipt.goals).toEqual([{ id, name: "Order" }]);
  });

  test("tells a long definition by its digest", async () => {
    const value = "x".repeat(1_500);
    const filters = [{ field: "country", op: "neq", value }];
    await post("/goals", { name: "Long", event: "buy", filters });
    const { receipt } = (await post("/query", { ...ask, goal: { goal: "long" } })) as {
      receipt: Json;
    };
    expect(receipt.goals).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});
