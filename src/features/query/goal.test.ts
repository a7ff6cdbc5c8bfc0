import { describe, expect, test } from "bun:test";
import { at as atTime } from "../../../test/support/engine/engine";
import { dayMs, event, noonMs, store, visit } from "../../../test/support/engine/examples";
import { type Asked, inputOf } from "../../../test/support/engine/query-input";
import { ReadTest } from "../../../test/support/engine/read-test";
import { queryRead } from "./read";

const on = new ReadTest();
const { given } = on;

const metrics = ["session_count", "conversions", "conversion_rate"];
const signup = { event: "signup" };
const query = async (asked: Asked) =>
  (await on.engine.read(queryRead, inputOf({ metrics, goal: signup, ...asked }))).rows;
const numbers = async (asked: Asked) => (await query(asked)).map((row) => Object.values(row));

describe("a session is a conversion", () => {
  test("once, however often it reached the goal", async () => {
    given(
      ...visit("ann", "s1", "page_view", "signup", "signup"),
      ...visit("bob", "s2", "page_view"),
    );
    expect(await query({})).toEqual([{ session_count: 2, conversions: 1, conversion_rate: 0.5 }]);
  });
  test("in every group that it has an event in", async () => {
    given(...visit("ann", "s1", "page_view", "signup"), ...visit("bob", "s2", "page_view"));
    expect(await numbers({ group_by: ["event"], order_by: "event", order: "asc" })).toEqual([
      ["page_view", 2, 1, 0.5],
      ["signup", 1, 1, 1],
    ]);
  });
  test("also when it reached the goal outside of the filters", async () => {
    given(...visit("ann", "s1", "page_view", "signup"), ...visit("bob", "s2", "page_view"));
    const filters = [{ field: "event", op: "eq", value: "page_view" }];
    expect(await numbers({ filters })).toEqual([[2, 1, 0.5]]);
    expect(await numbers({ user: "bob" })).toEqual([[1, 0, 0]]);
  });
  test("also when it reached the goal before or after the dates", async () => {
    const at = (days: number, name: string, sessionId: string) =>
      event({ timeMs: noonMs + days * dayMs, name, sessionId });
    given(
      ...[at(-9, "signup", "s1"), at(-7, "page_view", "s1")],
      ...[at(-2, "page_view", "s2"), at(1, "signup", "s2")],
      ...[at(-9, "signup", "s3"), at(-8, "page_view", "s3")], // not of these dates
      ...[at(-2, "page_view", "s4")],
    );
    expect(await numbers({})).toEqual([[3, 2, 0.667]]);
    const byDate = { group_by: ["date"], order: "asc" };
    expect(await numbers(byDate)).toEqual([
      ["2026-01-07", 1, 1, 1],
      ["2026-01-12", 2, 1, 0.5],
    ]);
  });
  test("not for a repeated value whose earliest event is of a session before the dates", async () => {
    const order = (days: number, sessionId: string, source: string) =>
      event({
        ...{ timeMs: noonMs + days * dayMs, name: "order", sessionId },
        properties: { utm_source: source, order_id: 7 },
      });
    given(order(-9, "s1", "news"), order(-10, "s2", "ads"));
    store(on.engine, [order(-1, "s3", "news")]);
    const once = { event: "order", once_per: "order_id" };
    const isOfNews = { field: "session.utm_source", op: "eq", value: "news" };
    expect(await numbers({ goal: { ...once, filters: [isOfNews] } })).toEqual([[1, 0, 0]]);
    const isOfOthers = { session_did_not: "error" };
    expect(await numbers({ goal: { ...once, filters: [isOfOthers] } })).toEqual([[1, 0, 0]]);
    store(
      on.engine,
      ["s1", "s2"].map((sessionId) => ({ ...order(-10, sessionId, ""), name: "error" })),
    );
    expect(await numbers({ goal: { ...once, filters: [isOfOthers] } })).toEqual([[1, 1, 1]]);
    const isOfMail = { ...isOfNews, value: "mail" };
    const isEither = { any: [isOfNews, isOfMail] };
    expect(await numbers({ goal: { ...once, filters: [isEither] } })).toEqual([[1, 0, 0]]);
    store(on.engine, [order(-2, "s4", "mail")]);
    expect(await numbers({ goal: { ...once, filters: [isOfMail] } })).toEqual([[2, 1, 0.5]]);
  });
  test("for an event of which the goal's own filters hold", async () => {
    const of = (sessionId: string, plan: string) =>
      event({ name: "signup", sessionId, properties: { plan } });
    given(of("s1", "pro"), of("s1", "free"), of("s2", "free"));
    const filters = [{ field: "properties.plan", op: "eq", value: "pro" }];
    expect(await numbers({ goal: { ...signup, filters } })).toEqual([[2, 1, 0.5]]);
  });
});

describe("a goal's filters", () => {
  const of = (plan: string, sessionId: string, userId = sessionId) =>
    event({ name: "signup", userId, sessionId, properties: { plan } });
  const with_ = (filters: readonly object[]) => numbers({ goal: { ...signup, filters } });

  test("may be a choice of several", async () => {
    given(of("pro", "s1"), of("team", "s2"), of("free", "s3"));
    const isPlan = (value: string) => ({ field: "properties.plan", op: "eq", value });
    expect(await with_([{ any: [isPlan("pro"), isPlan("team")] }])).toEqual([[3, 2, 0.667]]);
  });
  test("may be about what the user did in the read's window", async () => {
    const invited = event({ name: "invite", userId: "ann", timeMs: noonMs - dayMs });
    const longAgo = event({ name: "invite", userId: "bob", timeMs: noonMs - 30 * dayMs });
    given(invited, longAgo, of("pro", "s1", "ann"), of("pro", "s2", "bob"));
    expect(await with_([{ did: "invite" }])).toEqual([[2, 1, 0.5]]);
    expect(await with_([{ did_not: "invite" }])).toEqual([[2, 1, 0.5]]);
  });
});

test("events without a session reach nothing, and nothing has a rate of 0", async () => {
  given(event({ name: "signup" }), event({ name: "page_view", sessionId: "s1" }));
  expect(await numbers({ group_by: ["session_id"], order_by: "session_id" })).toEqual([
    ["s1", 1, 0, 0],
    [null, 0, 0, 0],
  ]);
  on.engine.close();
  given();
  expect(await numbers({})).toEqual([[0, 0, 0]]);
});

test("groups are ordered by either", async () => {
  given(
    ...[..."ab"].map((path) => event({ name: "signup", sessionId: path, properties: { path } })),
    ...[..."bbc"].map((path, index) =>
      event({ sessionId: `${path}${index}`, properties: { path } }),
    ),
  );
  const paths = async (order_by: string) =>
    (await query({ group_by: ["properties.path"], order_by })).map((row) => row["properties.path"]);
  expect(await paths("conversions")).toEqual(["a", "b", "c"]);
  expect(await paths("conversion_rate")).toEqual(["a", "b", "c"]);
  expect(await paths("session_count")).toEqual(["b", "a", "c"]);
});

test("a goal that nobody reached, and nobody could have, is probably misspelt", async () => {
  given(...visit("ann", "s1", "signup"));
  const warnings = async (goal: string) =>
    (await on.engine.read(queryRead, inputOf({ metrics, goal: { event: goal } }))).warnings;
  expect(await warnings("signup")).toBeUndefined();
  expect(await warnings("sigup")).toEqual([
    {
      ...{ code: "unknown_event", event: "sigup" },
      message:
        'No event is named "sigup" in this period. GET /properties lists the names that exist.',
    },
  ]);
});

test("a share's filters hold for the goal as well", async () => {
  given(
    event({ name: "page_view", sessionId: "s1", country: "DE" }),
    event({ name: "signup", sessionId: "s1", country: "FR" }),
    ...["page_view", "signup"].map((name) => event({ name, sessionId: "s2", country: "DE" })),
  );
  const filters = [{ field: "country", op: "eq", value: "DE" }];
  expect(await numbers({ filters })).toEqual([[2, 2, 1]]);
  const input = inputOf({ metrics, goal: signup, filters });
  const { rows } = await on.engine.read(queryRead, input, input.filters);
  expect(rows.map((row) => Object.values(row))).toEqual([[2, 1, 0.5]]);
});

test("the revenue of a goal is the exact sum of its numbers, in whatever segments they are", async () => {
  const pay = (sessionId: string, days: number, amount: number) =>
    event({ name: "pay", sessionId, timeMs: noonMs + days * dayMs, properties: { amount } });
  // Added one after the other, 0.1 + 0.2 + 0.3 is 0.6000000000000001.
  given(pay("c", 0, 0.1), pay("b", -1, 0.2), pay("a", -2, 0.3));
  const goal = { event: "pay", value: { property: "amount" } };
  const sums = () => query({ goal, metrics: ["revenue", "goal_events"] });
  expect(await sums()).toEqual([{ revenue: 0.6, goal_events: 3 }]);
  // A further segment, of earlier events.
  store(on.engine, [pay("d", -3, 0.7)]);
  expect(await sums()).toEqual([{ revenue: 1.3, goal_events: 4 }]);
  atTime(noonMs, () => on.engine.compact());
  expect(await sums()).toEqual([{ revenue: 1.3, goal_events: 4 }]);
});

test("a session counts once in a group of values that are the same text, or none", async () => {
  given(
    ...[2, "2", undefined, null].map((plan, index) => {
      const properties = plan === undefined ? {} : { plan };
      return event({ timeMs: noonMs + index, sessionId: "s1", userId: "ann", properties });
    }),
  );
  const asked = {
    group_by: ["properties.plan"],
    metrics: ["session_count", "bounce_rate", "conversions", "goal_events"],
    goal: { event: "page_view" },
  };
  expect(await query(asked)).toEqual(
    [null, "2"].map((plan) => ({
      ...{ "properties.plan": plan, session_count: 1, bounce_rate: 1 },
      ...{ conversions: 1, goal_events: 4 },
    })),
  );
});
