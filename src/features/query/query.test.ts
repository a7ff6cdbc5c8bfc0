import { describe, expect, test } from "bun:test";
import {
  dayMs,
  event,
  minuteMs,
  noonMs,
  projectId,
  store,
  storeOfColumns,
  visit,
} from "../../../test/support/engine/examples";
import { type Asked, inputOf } from "../../../test/support/engine/query-input";
import { ReadTest } from "../../../test/support/engine/read-test";
import type { FilterRequest } from "../../domain/filter";
import { queryRead } from "./read";

const on = new ReadTest();
const { given } = on;

const query = async (asked: Asked) => (await on.engine.read(queryRead, inputOf(asked))).rows;
const count = async (...filters: FilterRequest[]) =>
  (await query({ filters, count_mode: "raw" }))[0]?.event_count;

test("without groups there is exactly one row, also of nothing", async () => {
  given();
  const metrics = ["event_count", "unique_users", "session_count", "bounce_rate", "avg_duration"];
  expect(await query({ metrics })).toEqual([
    { event_count: 0, unique_users: 0, session_count: 0, bounce_rate: 0, avg_duration: 0 },
  ]);
  expect(await query({ metrics, group_by: ["event"] })).toEqual([]);
});

describe("event_count", () => {
  test("session_then_user finds events without a session that come after others", async () => {
    const byName = { group_by: ["event"], order_by: "event", order: "asc" } as const;
    given(
      ...visit("ann", "s1", "a", "a", "b"),
      ...visit("bob", "s2", "b"),
      ...visit("ann", "s3", "a"),
    );
    expect(await query(byName)).toEqual([
      { event: "a", event_count: 2 },
      { event: "b", event_count: 2 },
    ]);
    expect(await query({ ...byName, metrics: ["event_count", "unique_users"] })).toEqual([
      { event: "a", event_count: 2, unique_users: 1 },
      { event: "b", event_count: 2, unique_users: 2 },
    ]);
    store(on.engine, [
      ...visit("ann", null, "a"),
      ...visit("bob", null, "a"),
      ...visit(null, null, "b"),
    ]);
    expect(await query(byName)).toEqual([
      { event: "a", event_count: 2 + 1 }, // ann has a session with such an event, bob has none
      { event: "b", event_count: 2 + 1 },
    ]);
  });
  test("raw counts rows", async () => {
    given(...visit("ann", "s1", "a", "a"), event());
    expect(await query({ count_mode: "raw" })).toEqual([{ event_count: 3 }]);
  });
  test("session_then_user counts sessions, then users without one, then events of nobody", async () => {
    given(
      ...visit("ann", "s1", "a", "a"),
      ...visit("ann", null, "a", "a"), // ann has a session already
      ...visit("bob", null, "a", "a"),
      ...visit(null, "s2", "a"),
      ...visit(null, null, "a", "a"),
    );
    expect(await query({})).toEqual([{ event_count: 2 + 1 + 2 }]);
  });
  test("session_then_user looks at each group by itself", async () => {
    given(...visit("ann", "s1", "a"), ...visit("ann", null, "b"));
    expect(await query({ group_by: ["event"], order_by: "event", order: "asc" })).toEqual([
      { event: "a", event_count: 1 },
      { event: "b", event_count: 1 },
    ]);
  });
});

test("session metrics judge whole sessions, whatever the filter leaves of them", async () => {
  given(...visit("ann", "s1", "page_view", "click"), ...visit("bob", "s2", "page_view"));
  const filters = [{ field: "event", op: "eq", value: "page_view" }];
  expect(
    await query({ metrics: ["session_count", "bounce_rate", "avg_duration"], filters }),
  ).toEqual([{ session_count: 2, bounce_rate: 0.5, avg_duration: minuteMs / 2 }]);
});

describe("groups", () => {
  test("of null are groups of their own", async () => {
    given(event({ country: "DE" }), event());
    expect(await query({ group_by: ["country"], order: "asc", count_mode: "raw" })).toEqual([
      { country: null, event_count: 1 },
      { country: "DE", event_count: 1 },
    ]);
  });
  test("stand in front of the metrics, in the order asked for", async () => {
    given(...visit("ann", "s1", "a"));
    const [row = {}] = await query({
      group_by: ["session_id", "date", "event"],
      metrics: ["unique_users", "event_count"],
    });
    expect(Object.entries(row)).toEqual([
      ["session_id", "s1"],
      ["date", "2026-01-14"],
      ["event", "a"],
      ["unique_users", 1],
      ["event_count", 1],
    ]);
  });
  test("by date come newest first by default", async () => {
    given(event(), event({ timeMs: noonMs - dayMs }), event({ timeMs: noonMs - dayMs }));
    expect(await query({ group_by: ["date"], count_mode: "raw" })).toEqual([
      { date: "2026-01-14", event_count: 1 },
      { date: "2026-01-13", event_count: 2 },
    ]);
  });
  test("tie by their labels, ascending whatever the order", async () => {
    given(...["b", "a", "c", "c"].map((name) => event({ name })));
    const order = async (order: string) =>
      (await query({ group_by: ["event"], count_mode: "raw", order })).map((row) => row.event);
    expect(await order("desc")).toEqual(["c", "a", "b"]);
    expect(await order("asc")).toEqual(["a", "b", "c"]);
  });
  test("of a property are of equal texts, and of nothing", async () => {
    given(...[2, "2", null, "x"].map((n) => event({ properties: { n } })), event());
    const asked = { group_by: ["properties.n"], count_mode: "raw", order_by: "properties.n" };
    expect(await query({ ...asked, order: "asc" })).toEqual([
      { "properties.n": null, event_count: 2 },
      { "properties.n": "2", event_count: 2 },
      { "properties.n": "x", event_count: 1 },
    ]);
  });
  test("are cut at the limit, over all dates together", async () => {
    given(
      ...["a", "b", "b"].map((name) => event({ name })),
      ...["a", "a", "a"].map((name) => event({ name, timeMs: noonMs - dayMs })),
    );
    const asked = { group_by: ["event", "date"], count_mode: "raw", order_by: "event_count" };
    expect(await query({ ...asked, limit: 2 })).toEqual([
      { event: "a", date: "2026-01-13", event_count: 3 },
      { event: "b", date: "2026-01-14", event_count: 2 },
    ]);
  });
  test("by user rank thousands of equal ones by name", async () => {
    const users = Array.from({ length: 5_000 }, (_, index) => `u${index}`);
    given(...users.map((userId) => event({ userId })), event(), event({ userId: "u7" }));
    const found = await query({ group_by: ["user_id"], count_mode: "raw", limit: 4 });
    expect(found.map((row) => row.user_id)).toEqual(["u7", null, "u0", "u1"]);
  });
});

describe("filters", () => {
  const values = ["7", 7, 7.5, "abc", "ABD", true, null, { b: 1 }, [1], "", "1e999", "～", "😀"];
  const withValues = () => {
    given(...values.map((v) => event({ properties: { v } })), event());
  };
  const v = (op: string, value: unknown) => count({ field: "properties.v", op, value });

  test("eq and neq compare texts; null and missing never match", async () => {
    withValues();
    expect([
      await v("eq", 7),
      await v("eq", "7"),
      await v("eq", "true"),
      await v("eq", '{"b":1}'),
    ]).toEqual([2, 2, 1, 1]);
    expect([await v("eq", ""), await v("eq", { b: 1 }), await v("eq", [1])]).toEqual([1, 1, 1]);
    expect(await v("neq", "7")).toBe(values.length - 1 - 2);
  });
  test("comparisons are numeric when both sides are numbers", async () => {
    given(...[9, "10", "1e1", "x"].map((n) => event({ properties: { n } })));
    const n = (op: string, value: unknown) => count({ field: "properties.n", op, value });
    expect([await n("gt", 9), await n("gte", "9"), await n("lt", 10), await n("lte", 10)]).toEqual([
      3, 4, 1, 3,
    ]);
  });
  test("else they are by code points", async () => {
    withValues();
    expect(await v("gte", "～")).toBe(2);
    expect(await v("gt", "～")).toBe(1);
    // No number is that large, so it is a text like any other.
    expect(await v("gte", "1e999")).toBeGreaterThan((await v("gt", "1e999")) as number);
  });
  test("contains finds a part and takes ASCII letters of either case", async () => {
    withValues();
    expect([await v("contains", "AB"), await v("contains", "b"), await v("contains", "%")]).toEqual(
      [2, 3, 0],
    );
    expect(await v("contains", "")).toBe(values.length - 1);
  });
  test("by date, country, session, user and time", async () => {
    given(
      event({ country: "DE", userId: "ann", sessionId: "s1" }),
      event({ country: "FR", timeMs: noonMs - dayMs }),
    );
    expect(await count({ field: "date", op: "lt", value: "2026-01-14" })).toBe(1);
    expect(await count({ field: "country", op: "neq", value: "DE" })).toBe(1);
    expect(await count({ field: "session_id", op: "contains", value: "S" })).toBe(1);
    expect(await count({ field: "user_id", op: "neq", value: "bob" })).toBe(1);
    expect(await count({ field: "timestamp", op: "gte", value: "2026-01-14T12:00:00Z" })).toBe(1);
    expect(await count({ field: "timestamp", op: "lt", value: noonMs })).toBe(1);
  });
  test("must all hold", async () => {
    given(event({ name: "a", country: "DE" }), event({ name: "a", country: "FR" }), event());
    const isA = { field: "event", op: "eq", value: "a" };
    expect(await count(isA, { field: "country", op: "eq", value: "FR" })).toBe(1);
  });
});

test("a person is whom the id was linked to; one who was never seen did nothing", async () => {
  given(...visit("anon", "s1", "a"), ...visit("ann", "s2", "a"), ...visit("bob", "s3", "a"));
  on.engine.append([
    {
      kind: "identity",
      projectId,
      receivedAtMs: noonMs,
      previousId: "anon",
      userId: "ann",
      traits: null,
    },
  ]);
  const sessions = async (user: string) =>
    (await query({ user, metrics: ["session_count"] }))[0]?.session_count;
  expect([await sessions("anon"), await sessions("ann"), await sessions("bob")]).toEqual([2, 2, 1]);
  expect(await sessions("nobody")).toBe(0);
});

describe("a misspelt event", () => {
  const warnings = async (asked: Asked) =>
    (await on.engine.read(queryRead, inputOf(asked))).warnings ?? [];
  const filter = (op: string, value: string | string[]) => ({ field: "event", op, value });
  const wanted = [
    {
      ...{ code: "unknown_event" as const, event: "sigup" },
      message:
        'No event is named "sigup" in this period. GET /properties lists the names that exist.',
    },
  ];

  test("is warned of when it keeps nothing, and when it keeps everything", async () => {
    given(...visit("ann", "s1", "signup", "pay"));
    for (const group_by of [[], ["event"], ["date"]]) {
      expect(await warnings({ group_by, filters: [filter("eq", "sigup")] })).toEqual(wanted);
      expect(await warnings({ group_by, filters: [filter("neq", "sigup")] })).toEqual(wanted);
      expect(await warnings({ group_by, filters: [filter("eq", "signup")] })).toEqual([]);
      expect(await warnings({ group_by, filters: [filter("neq", "signup")] })).toEqual([]);
    }
  });

  test("is warned of beside others that there are, twenty at most", async () => {
    given(...visit("ann", "s1", "signup", "pay"));
    for (const op of ["in", "not_in"]) {
      expect(await warnings({ filters: [filter(op, ["signup", "sigup"])] })).toEqual(wanted);
      expect(await warnings({ filters: [filter(op, ["signup", "pay"])] })).toEqual([]);
      const many = Array.from({ length: 30 }, (_, index) => `none${index}`);
      expect(await warnings({ filters: [filter(op, many)] })).toHaveLength(20);
    }
  });

  test("is none when another filter keeps its events out", async () => {
    given(...visit("ann", "s1", "signup"));
    const none = { field: "country", op: "eq", value: "DE" };
    expect(await warnings({ filters: [filter("eq", "signup"), none] })).toEqual([]);
    expect(await warnings({ filters: [filter("eq", "sigup"), none] })).toEqual(wanted);
    expect(await warnings({})).toEqual([]);
  });

  test("is one that the window does not have", async () => {
    given(event({ name: "sigup", timeMs: noonMs - 9 * dayMs }), event());
    expect(await warnings({ filters: [filter("eq", "sigup")] })).toEqual(wanted);
  });
});

test("an answer names how it counted", async () => {
  given();
  expect((await on.engine.read(queryRead, inputOf({}))).count_mode).toBe("session_then_user");
  expect((await on.engine.read(queryRead, inputOf({ count_mode: "raw" }))).count_mode).toBe("raw");
});

test("grouping by user opens nothing but columns of visits", async () => {
  on.engine = storeOfColumns((index) =>
    event({ timeMs: noonMs + index, userId: `u${index % 9}`, sessionId: `s${index % 50}` }),
  );
  const asked = { group_by: ["user_id"], metrics: ["event_count", "session_count"] };
  expect(await on.engine.columnsTouched(queryRead, inputOf(asked))).toEqual([
    "visit.events",
    "visit.session_high",
    "visit.session_low",
    "visit.user",
  ]);
});
