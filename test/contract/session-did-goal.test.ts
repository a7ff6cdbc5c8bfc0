import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { minuteMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import { callTool } from "../support/app/mcp";

/** `session_did` and `session_did_not` with a goal: what matches them, in which reads, and what is refused. */

let app: TestApp;
let id: string;

const order = {
  ...{ name: "Order", event: "buy", page: undefined, once_per: "order_id" },
  filters: [{ field: "properties.plan", op: "neq", value: "test" }],
};

/** Today four sessions with an order each: a real one, the same order again, a test; and one with none. */
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  const event = (session: string, name: string, minute: number, more: Json = {}) => ({
    ...{ event: name, user_id: `of ${session}`, session_id: session },
    timestamp: noonMs - 60 * minuteMs + minute * minuteMs,
    properties: { path: `/${session}`, ...more },
  });
  await app.track(
    shop,
    ...["first", "again", "tested", "none"].map((session) => event(session, "page_view", 0)),
    event("first", "buy", 1, { order_id: 7, plan: "pro", country: "DE" }),
    event("again", "buy", 2, { order_id: "7", plan: "pro" }),
    event("tested", "buy", 3, { order_id: "8", plan: "test" }),
  );
  id = String((await app.post("/goals", { project: "shop", ...order })).id);
  await app.makeProject("blog");
});
beforeEach(async () => {
  await app.send("PATCH", `/goals/${id}`, { key: app.key, body: order });
});
afterAll(() => app.close());

const did = (goal: string, more: Json = {}): Json => ({ session_did: { goal }, ...more });
const body = async (answer: Response) => (await answer.json()) as Json;
const query = async (filters: readonly Json[], more: Json = {}) =>
  body(
    await app.send("POST", "/query", {
      key: app.key,
      body: { project: "shop", group_by: ["session.entry_page"], filters, ...more },
    }),
  );
const pagesOf = ({ rows }: Json): readonly unknown[] =>
  (rows as Json[]).map((row) => row["session.entry_page"]).sort();
const pages = async (filters: readonly Json[]) => pagesOf(await query(filters));

describe("session_did with a goal", () => {
  test("keeps all events of the sessions with an event of the goal", async () => {
    for (const goal of ["Order", " oRDER ", id]) {
      expect(await pages([did(goal)])).toEqual(["/first"]);
    }
    expect(await pages([{ session_did_not: { goal: "Order" } }])).toEqual([
      ...["/again", "/none", "/tested"],
    ]);
  });
  test("takes filters beside the goal, which choose among its events", async () => {
    const inCountry = (value: string) => [{ field: "properties.country", op: "eq", value }];
    expect(await pages([did("Order", { filters: inCountry("DE") })])).toEqual(["/first"]);
    expect(await pages([did("Order", { filters: inCountry("AT") })])).toEqual([]);
  });
  test("is one of several, and a condition of a goal in a query", async () => {
    const onNone = { field: "properties.path", op: "eq", value: "/none" };
    expect(await pages([{ any: [did("Order"), onNone] }])).toEqual(["/first", "/none"]);
    const goal = { event: "page_view", filters: [did("Order")] };
    const asked = { project: "shop", metrics: ["conversions"], goal };
    expect((await app.post("/query", asked)).rows).toEqual([{ conversions: 1 }]);
  });
  test("works in reads by GET, in a funnel, and in tools", async () => {
    const filters = JSON.stringify([did("Order")]);
    const of = (path: string) => app.get(`/${path}&filters=${encodeURIComponent(filters)}`);
    expect(await of("stats?project=shop")).toMatchObject({ totals: { total_events: 2 } });
    expect((await of("events?project=shop")).count).toBe(2);
    expect((await of("sessions?project=shop")).sessions).toHaveLength(1);
    const funnel = { project: "shop", steps: ["page_view", "buy"], filters: [did("Order")] };
    expect(await app.post("/funnel", funnel)).toMatchObject({
      steps: [{ users: 1 }, { users: 1 }],
    });
    const { structuredContent } = await callTool(app, "overview", { project: "shop", filters });
    expect(structuredContent.answer).toMatchObject({ totals: { unique_users: 1 } });
  });
  test("holds in both periods of a comparison", async () => {
    const dates = { compare: "previous", date_from: "0d" };
    const { rows } = await query([did("Order")], { ...dates, metrics: ["session_count"] });
    expect(rows).toMatchObject([{ session_count: 1, previous: { session_count: 0 } }]);
  });
  test("counts by the definition that the goal has now", async () => {
    await app.send("PATCH", `/goals/${id}`, { key: app.key, body: { once_per: null } });
    expect(await pages([did("Order")])).toEqual(["/again", "/first"]);
    await app.send("PATCH", `/goals/${id}`, { key: app.key, body: { page: "/n*", filters: [] } });
    expect(await pages([did("Order")])).toEqual(["/none"]);
  });
  test("stands in a receipt by its id, with its definition", async () => {
    const asked = { project: "shop", filters: [did("order")] };
    const { receipt } = (await app.post("/query?receipt=true", asked)) as { receipt: Json };
    expect(receipt).toMatchObject({
      filters: [did(id)],
      request: { body: { filters: [did(id)] } },
      goals: [{ id, name: "Order", event: "buy", once_per: "order_id" }],
    });
    const filters = encodeURIComponent(JSON.stringify([did("order")]));
    const url = `/stats?project=shop&receipt=true&filters=${filters}`;
    expect((await app.get(url)).receipt).toMatchObject({
      request: { query: { filters: JSON.stringify([did(id)]) } },
      goals: [{ id }],
    });
  });
  test("names no goal where a filter compares with an object", async () => {
    const value = { goal: "Order" };
    const asked = { project: "shop", filters: [{ field: "properties.x", op: "eq", value }] };
    const { receipt } = (await app.post("/query?receipt=true", asked)) as { receipt: Json };
    expect(receipt).toMatchObject({ request: { body: { filters: [{ value }] } } });
    expect(receipt.goals).toBeUndefined();
  });
});

describe("is refused", () => {
  const filters = JSON.stringify([did("Ordr")]);
  test.each<[string, string, Json?]>([
    ["GET", `/stats?project=shop&filters=${encodeURIComponent(filters)}`],
    ["GET", `/events?project=shop&filters=${encodeURIComponent(filters)}`],
    ["GET", `/sessions?project=shop&filters=${encodeURIComponent(filters)}`],
    ["GET", `/replays?project=shop&filters=${encodeURIComponent(filters)}`],
    ["GET", `/retention?project=shop&filters=${encodeURIComponent(filters)}`],
    ["POST", "/query", {}],
    ["POST", "/query", { goals: true }],
    ["POST", "/funnel", { steps: ["page_view", "buy"] }],
    ["POST", "/paths", { goal_event: "buy" }],
    ["POST", "/shares", { name: "S" }],
    ["POST", "/reports", { every: "week", to: ["somebody"] }],
    ["POST", "/alerts", { name: "A", kind: "change", to: ["somebody"] }],
  ])(
    "%s %s with a name that no goal has, and the answer lists those there are",
    async (...call) => {
      const [method, path, more] = call;
      const sent = more && { body: { project: "shop", ...more, filters: [did("Ordr")] } };
      const answer = await app.send(method, path, { key: app.key, ...sent });
      expect([answer.status, await answer.json()]).toMatchObject([
        404,
        { error: "GOAL_NOT_FOUND", goals: ["Order"] },
      ]);
    },
  );
  test.each<[Json, string, string]>([
    [{ session_did: { goal: 7 } }, "MISSING_FIELDS", "filters[0].session_did.goal"],
    [{ session_did: {} }, "MISSING_FIELDS", "filters[0].session_did.goal"],
    [
      { session_did: { goal: "Order", event: "buy" } },
      "INVALID_BODY",
      "filters[0].session_did.event",
    ],
    [{ did: { goal: "Order" } }, "MISSING_FIELDS", "filters[0].did"],
  ])("%j by its field", async (item, error, field) => {
    const encoded = encodeURIComponent(JSON.stringify([item]));
    const url = `/stats?project=shop&filters=${encoded}`;
    const answer = await app.send("GET", url, { key: app.key });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error, field }]);
  });
  test("as a goal of another project", async () => {
    const answer = await query([did(id)], { project: "blog" });
    expect([answer.error, answer.goals]).toEqual(["GOAL_NOT_FOUND", []]);
  });
});
