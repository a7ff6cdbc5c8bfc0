import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";

/** The metrics of a goal, and once_per of a query. */

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  const sent = (event: string, session: string | null, user: string | null, properties: Json) => ({
    ...{ event, session_id: session, user_id: user, properties, timestamp: noonMs - 60_000 },
  });
  await app.track(
    shop,
    ...[sent("page_view", "s1", "u1", { utm_source: "news", path: "/" })],
    sent("buy", "s1", "u1", { order_id: 7, amount: 10 }),
    sent("buy", "s1", "u9", { order_id: 8, amount: 0.1 }),
    sent("buy", "s1", "u1", { order_id: "7", amount: 10 }),
    ...[sent("page_view", "s2", "u2", { utm_source: "news", path: "/a" })],
    sent("buy", "s2", "u2", { amount: "12" }),
    ...[sent("page_view", "s3", null, { path: "/" })],
    sent("buy", "s3", null, { order_id: "7", amount: 10 }),
    sent("buy", null, "u4", { order_id: 9, amount: 99 }),
    sent("look", "s3", null, { amount: 5 }),
  );
  const order = { name: "Order", event: "buy", once_per: "order_id" };
  const value = { property: "amount", currency: "EUR" };
  await app.post("/goals", { project: "shop", ...order, value });
  // Goals of one moment are in order of their ids, which are drawn.
  app.setTime(noonMs + 1);
  await app.post("/goals", { project: "shop", name: "Start", page: "/" });
});
afterAll(() => app.close());

const query = async (asked: Json): Promise<Json> => {
  const body = { project: "shop", date_from: "1d", ...asked };
  const answer = await app.send("POST", "/query", { key: app.key, body });
  return (await answer.json()) as Json;
};
const all = ["conversions", "goal_events", "goal_users", "revenue", "average_value"];
const money = [...all, "revenue_per_session", "session_count"];

test("of each group of sessions: events, users, money", async () => {
  const goal = { goal: "Order" };
  const answer = await query({ metrics: money, goal, group_by: ["session.utm_source"] });
  expect(answer.currency).toBe("EUR");
  // Order 7 is that of s1, its first event. An order whose amount is a text has no number.
  expect(answer.rows).toEqual([
    {
      ...{ "session.utm_source": "news", conversions: 2, goal_events: 3, goal_users: 3 },
      ...{ revenue: 10.1, average_value: 5.05, revenue_per_session: 5.05, session_count: 2 },
    },
    {
      ...{ "session.utm_source": null, conversions: 0, goal_events: 0, goal_users: 0, revenue: 0 },
      ...{ average_value: null, revenue_per_session: 0, session_count: 1 },
    },
  ]);
});

test("a session with rows in two groups counts in both, whole and outside of the filters", async () => {
  const filters = [{ field: "event", op: "neq", value: "look" }];
  const goal = { event: "buy", value: { property: "amount" } };
  const { rows, currency } = await query({ metrics: money, goal, filters, group_by: ["event"] });
  const both = { conversions: 3, goal_events: 5, goal_users: 3, revenue: 30.1 };
  const shared = { ...both, average_value: 7.525, session_count: 3 };
  expect(currency).toBeNull();
  expect((rows as Json[]).map(({ revenue_per_session: _, ...row }) => row)).toEqual([
    { event: "buy", ...shared },
    { event: "page_view", ...shared },
  ]);
});

test("a user counts under the name at the end of its links, even if that name has no events", async () => {
  const linked = await app.makeProject("linked");
  const event = { event: "buy", session_id: "s1", user_id: "phone", timestamp: noonMs - 60_000 };
  await app.track(linked, event);
  for (const [previous_id, user_id] of [
    ["phone", "laptop"],
    ["laptop", "ann"],
  ]) {
    await app.post("/identify", { token: linked.token, previous_id, user_id });
  }
  const metrics = ["goal_users", "unique_users"];
  const { rows } = await query({ project: "linked", metrics, goal: { event: "buy" } });
  expect(rows).toEqual([{ goal_users: 1, unique_users: 1 }]);
});

test("a sum that no number can hold is null, and has the place of null in the order", async () => {
  const large = await app.makeProject("large");
  const numbers = { a: [1e308, 1e308], b: [5], c: [null], d: [-1e308, -1e308] };
  const events = Object.entries(numbers).flatMap(([event, values]) =>
    values.map((v) => ({ event, session_id: event, user_id: "u", properties: { v } })),
  );
  await app.track(large, ...events.map((one) => ({ ...one, timestamp: noonMs - 60_000 })));
  const value = { property: "v" };
  const goal = { event: "a", value };
  for (const metric of ["sum:properties.v", "avg:properties.v"]) {
    const asked = { project: "large", metrics: [metric], group_by: ["event"], order_by: metric };
    const inOrder = async (order: string) =>
      ((await query({ ...asked, order })).rows as Json[]).map((row) => [row.event, row[metric]]);
    const nulls = ["a", "c", "d"].map((event) => [event, null]);
    expect(await inOrder("desc")).toEqual([["b", 5], ...nulls]);
    expect(await inOrder("asc")).toEqual([...nulls, ["b", 5]]);
  }
  const asked = { project: "large", goal, group_by: ["event"], order_by: "revenue" };
  const { rows } = await query({ ...asked, metrics: ["revenue"] });
  expect((rows as Json[]).map(({ event, revenue }) => [event, revenue])).toEqual([
    ...["b", "c", "d"].map((event) => [event, 0]),
    ["a", null],
  ]);
});

test("money is null for a goal without a value, and there is no goal without a goal", async () => {
  const { rows } = await query({ metrics: money, goal: { event: "buy" } });
  expect(rows).toEqual([
    {
      ...{ conversions: 3, goal_events: 5, goal_users: 3, session_count: 3 },
      ...{ revenue: null, average_value: null, revenue_per_session: null },
    },
  ]);
  expect(await query({ metrics: ["revenue"] })).toMatchObject({
    ...{ error: "MISSING_FIELDS", field: "goal" },
  });
});

test("two periods have their own, and an empty one has none", async () => {
  const asked = { metrics: money, goal: { goal: "Order" }, compare: "week" };
  const answer = await query(asked);
  expect(answer.currency).toBe("EUR");
  expect(answer.rows).toMatchObject([
    {
      ...{ revenue: 10.1, goal_events: 3 },
      previous: { revenue: 0, average_value: null, goal_events: 0, revenue_per_session: 0 },
      change_pct: { revenue: null, average_value: null, goal_events: null },
    },
  ]);
});

test("nothing stored is no revenue, and sales are revenue", async () => {
  const nowhere = { date_from: "2020-01-01", date_to: "2020-01-02" };
  const { rows } = await query({ metrics: money, goal: { goal: "Order" }, ...nowhere });
  expect(rows).toMatchObject([{ revenue: 0, average_value: null, revenue_per_session: 0 }]);
  const { suggested_field: meant } = await query({ metrics: ["sales"], goal: { event: "buy" } });
  expect(meant).toBe("revenue");
});

describe("once_per", () => {
  const once = { once_per: "properties.order_id", count_mode: "raw" };
  const metrics = ["event_count", "sum:properties.amount", "session_count"];

  test("keeps the earliest event of each value, and all events without it", async () => {
    const filters = [{ field: "event", op: "eq", value: "buy" }];
    const { rows } = await query({ ...once, metrics, filters });
    // Orders 7, 8 and 9, and one without a number. The later events of order 7 are no rows.
    expect(rows).toEqual([{ event_count: 4, "sum:properties.amount": 109.1, session_count: 2 }]);
  });

  test("is of the rows after the filters, in each period", async () => {
    const filters = [{ field: "session_id", op: "eq", value: "s3" }];
    const { rows } = await query({ ...once, metrics, filters, compare: "week" });
    expect(rows).toMatchObject([{ event_count: 3, previous: { event_count: 0 } }]);
  });

  test("must name a property", async () => {
    const bare = await query({ once_per: "order_id" });
    expect([bare.error, bare.field]).toEqual(["MISSING_FIELDS", "once_per"]);
    const key = await query({ once_per: "properties.order id" });
    expect([key.error, key.field]).toEqual(["INVALID_PROPERTY_KEY", "once_per"]);
  });
});

describe("goals", () => {
  const numbers = ["conversions", "conversion_rate", "goal_events", "goal_users", "revenue"];
  const each = async (more: Json) =>
    Promise.all(
      ["Order", "Start"].map(async (goal) => {
        const { rows, currency } = await query({ metrics: numbers, goal: { goal }, ...more });
        const [row] = rows as [Json];
        return { goal: { id: expect.any(String), name: goal }, ...row, currency };
      }),
    );

  test.each<Json>([
    {},
    { filters: [{ field: "session.utm_source", op: "eq", value: "news" }] },
    { user_id: "u2", compare: "week" },
    { compare: "previous" },
  ])("with %j has in each row what the goal has by itself", async (more) => {
    const { rows, count, period } = await query({ goals: true, ...more });
    expect([rows, count]).toEqual([await each(more), 2]);
    const { results } = await query({
      ...{ date_from: undefined },
      queries: [{ goals: true, date_from: "1d", ...more }, { date_from: "1d" }],
    });
    expect((results as Json[])[0]).toMatchObject({ rows, count, period });
  });

  test("as CSV has a column for each number", async () => {
    const body = { project: "shop", goals: true, date_from: "1d" };
    const headers = { accept: "text/csv", "x-api-key": app.key };
    const answer = await app.send("POST", "/query", { headers, body });
    const [head] = (await answer.text()).split("\r\n");
    expect(head).toBe(`goal,${numbers.join(",")},currency`);
  });

  test("tells a receipt all definitions", async () => {
    const { receipt } = (await query({ goals: true, receipt: true })) as { receipt: Json };
    expect((receipt.goals as Json[]).map(({ name }) => name)).toEqual(["Order", "Start"]);
  });

  test("has the first goals up to the limit, and says how many there are", async () => {
    const { rows, count, truncated, groups_total } = await query({ goals: true, limit: 1 });
    expect([rows, count]).toEqual([[expect.objectContaining({ goal: expect.anything() })], 1]);
    expect((rows as Json[])[0].goal).toMatchObject({ name: "Order" });
    expect([truncated, groups_total]).toEqual([true, 2]);
    const whole = await query({ goals: true, limit: 2 });
    expect([whole.count, whole.truncated]).toEqual([2, undefined]);
  });

  test.each(["metrics", "goal", "group_by", "once_per", "order_by", "count_mode"])(
    "refuses %s",
    async (field) => {
      const sent: Json = {
        ...{ metrics: ["revenue"], goal: { goal: "Order" }, group_by: ["event"] },
        ...{ once_per: "properties.a", order_by: "revenue", count_mode: "raw" },
      };
      const answer = await query({ goals: true, [field]: sent[field] });
      expect([answer.error, answer.field]).toEqual(["MISSING_FIELDS", field]);
    },
  );
});
