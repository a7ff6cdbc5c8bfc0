import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { filterOps } from "../../src/domain/filter";
import { noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";

const dayMs = 86_400_000;
let app: TestApp;
let shop: TestProject;

beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  await app.track(
    shop,
    { event: "page_view", user_id: "ann", session_id: "s1", properties: { path: "/" } },
    { event: "buy", user_id: "ann", session_id: "s1", properties: { plan: "pro", n: 7 } },
    { event: "page_view", user_id: "bob", session_id: "s2", timestamp: noonMs - 3 * dayMs },
    { event: "page_view", timestamp: noonMs - 20 * dayMs, properties: { plan: "free" } },
  );
});
afterAll(() => app.close());

/** What was refused: the code and what came with it. */
async function refusal(path: string, body?: unknown): Promise<Record<string, unknown>> {
  const call = { key: app.key, ...(body === undefined ? {} : { body }) };
  const answer = await app.send(body === undefined ? "GET" : "POST", path, call);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  const { message: _, ...rest } = (await answer.json()) as Record<string, unknown>;
  return rest;
}
const query = (body: object) => app.post("/query", { project: "shop", ...body });

describe("every read of a project", () => {
  const gets = ["/stats", "/events", "/properties", "/properties/received", "/breakdown"];
  const withProperty = (path: string) => (path === "/breakdown" ? "&property=plan" : "");

  test.each(gets)("%s needs a project of this account, named or by id", async (path) => {
    expect(await refusal(`${path}?since=nonsense`)).toEqual({ error: "PROJECT_REQUIRED" });
    expect(await refusal(`${path}?project=`)).toEqual({ error: "PROJECT_REQUIRED" });
    expect(await refusal(`${path}?project=SHOP`)).toEqual({ error: "NOT_FOUND" });
    for (const selector of ["shop", shop.id]) {
      const { project } = await app.get(`${path}?project=${selector}${withProperty(path)}`);
      expect(project).toBe("shop");
    }
  });
  test.each(gets)("%s refuses windows that it cannot read", async (path) => {
    const ask = (window: string) => refusal(`${path}?project=shop${withProperty(path)}&${window}`);
    const field = (name: string) => ({ error: "MISSING_FIELDS", field: name });
    expect(await ask("since=yesterday")).toEqual(field("since"));
    expect(await ask("since=")).toEqual(field("since"));
    expect(await ask("since=2026-02-30")).toEqual(field("since"));
    expect(await ask("until=3651d")).toEqual(field("until"));
    expect(await ask("since=1d&until=2d")).toEqual(field("since"));
  });
  test("POST /query too, under the names of its fields", async () => {
    expect(await refusal("/query", { date_from: "x" })).toEqual({ error: "PROJECT_REQUIRED" });
    expect(await refusal("/query", { project: "nobody" })).toEqual({ error: "NOT_FOUND" });
    const ask = (window: object) => refusal("/query", { project: "shop", ...window });
    expect(await ask({ date_from: "x" })).toEqual({ error: "MISSING_FIELDS", field: "date_from" });
    expect(await ask({ date_to: "x" })).toEqual({ error: "MISSING_FIELDS", field: "date_to" });
    expect(await ask({ date_from: "1d", date_to: "2d" })).toMatchObject({ field: "date_from" });
    expect(await ask({ date_from: 7 })).toEqual({ error: "INVALID_BODY", field: "date_from" });
  });
  test("needs a credential before anything else", async () => {
    for (const path of gets) expect((await app.send("GET", path)).status).toBe(401);
    expect((await app.send("POST", "/query", { body: "not json" })).status).toBe(401);
  });
});

describe("GET /stats", () => {
  test("answers in whole", async () => {
    expect(await app.get("/stats?project=shop&groupBy=week")).toEqual({
      project: "shop",
      period: { from: "2026-01-07", to: "2026-01-14", groupBy: "week" },
      totals: { unique_users: 2, total_events: 3, visitors: 2 },
      timeSeries: [
        { bucket: "2026-01-05", unique_users: 1, total_events: 1 },
        { bucket: "2026-01-12", unique_users: 1, total_events: 2 },
      ],
      events: [
        { event: "page_view", count: 2, unique_users: 2 },
        { event: "buy", count: 1, unique_users: 1 },
      ],
      sessions: {
        total_sessions: 2,
        bounce_rate: 0.5,
        avg_duration: 0,
        pages_per_session: 1,
        sessions_per_user: 1,
      },
    });
  });
  test("until ends the window early, and a window may lie in the past", async () => {
    const { totals, period } = await app.get("/stats?project=shop&since=30d&until=10d");
    expect(totals).toEqual({ unique_users: 0, total_events: 1, visitors: 0 });
    expect(period).toMatchObject({ from: "2025-12-15", to: "2026-01-04" });
  });
  test("an unknown granularity is refused, a very long window is not", async () => {
    const allowed = ["hour", "day", "week", "month"];
    const bad = { error: "MISSING_FIELDS", field: "groupBy", allowed };
    expect(await refusal("/stats?project=shop&groupBy=year")).toEqual(bad);
    const { timeSeries } = await app.get("/stats?project=shop&since=0001-01-01&groupBy=hour");
    expect(timeSeries).toHaveLength(3);
  });
});

describe("GET /events", () => {
  const events = async (parameters: string) =>
    (await app.get(`/events?project=shop&since=30d${parameters}`)) as {
      events: { event: string; id: string }[];
      count: number;
      next_cursor: string | null;
    };

  test("pages through with a cursor", async () => {
    const first = await events("&limit=3");
    const second = await events(`&limit=3&cursor=${first.next_cursor}`);
    const names = [...first.events, ...second.events].map(({ event }) => event);
    expect(names).toEqual(["buy", "page_view", "page_view", "page_view"]);
    expect([first.count, second.count, second.next_cursor]).toEqual([3, 1, null]);
  });
  test("a cursor keeps the window of its first page when midnight passes", async () => {
    const last30 = await events("&limit=1");
    app.setTime(noonMs + 12 * dayMs);
    const rest = await events(`&limit=10&cursor=${last30.next_cursor}`);
    app.setTime(noonMs);
    expect(rest.count).toBe(3);
  });
  test("a cursor is good for its own parameters only, page sizes aside", async () => {
    const { next_cursor: cursor } = await events("&limit=1&event=page_view");
    const bad = { error: "MISSING_FIELDS", field: "cursor" };
    expect(await refusal(`/events?project=shop&since=30d&cursor=${cursor}`)).toEqual(bad);
    expect(
      await refusal(`/events?project=shop&since=29d&event=page_view&cursor=${cursor}`),
    ).toEqual(bad);
    expect(await refusal("/events?project=shop&cursor=1.2")).toEqual(bad);
    expect((await events(`&limit=2&event=page_view&cursor=${cursor}`)).count).toBe(2);
  });
  test("limits are clamped; what is no integer counts as absent", async () => {
    const counts = [];
    for (const limit of ["0", "-5", "2", "100000", "abc", "1.5", ""]) {
      counts.push((await events(`&limit=${limit}`)).count);
    }
    expect(counts).toEqual([1, 1, 2, 4, 4, 4, 4]);
  });
  test("an address is refused, and names have bounds", async () => {
    const field = (name: string) => ({ error: "MISSING_FIELDS", field: name });
    expect(await refusal("/events?project=shop&email=a@example.com")).toEqual(field("email"));
    expect(await refusal(`/events?project=shop&event=${"a".repeat(257)}`)).toEqual(field("event"));
    expect(await refusal("/events?project=shop&user_id=")).toEqual(field("user_id"));
    expect((await events(`&session_id=${"a".repeat(256)}`)).count).toBe(0);
  });
});

describe("GET /properties and GET /properties/received", () => {
  test("list what came in the window", async () => {
    const { property_keys: keys } = await app.get("/properties?project=shop");
    expect(keys).toEqual(["n", "path", "plan"]);
    const received = await app.get("/properties/received?project=shop&since=1d");
    expect(received).toEqual({
      project: "shop",
      since: "2026-01-13",
      sample_size: 5_000,
      properties: [
        { key: "n", event: "buy" },
        { key: "path", event: "page_view" },
        { key: "plan", event: "buy" },
      ],
    });
  });
  test("the sample is clamped", async () => {
    const sizes = [];
    for (const sample of ["1", "100", "99999", "x"]) {
      const path = `/properties/received?project=shop&sample=${sample}`;
      sizes.push((await app.get(path)).sample_size);
    }
    expect(sizes).toEqual([100, 100, 10_000, 5_000]);
  });
});

describe("GET /breakdown", () => {
  test("answers in whole", async () => {
    expect(await app.get("/breakdown?project=shop&property=plan&since=30d&limit=1")).toEqual({
      project: "shop",
      property: "plan",
      event: null,
      values: [{ value: "free", count: 1, unique_users: 0 }],
      truncated: true,
      groups_total: 2,
      total_events: 4,
      total_with_property: 2,
    });
  });
  test("needs a property that is a key", async () => {
    const missing = { error: "MISSING_FIELDS", field: "property" };
    expect(await refusal("/breakdown?project=shop")).toEqual(missing);
    expect(await refusal("/breakdown?project=shop&property=")).toEqual(missing);
    const noKey = { error: "INVALID_PROPERTY_KEY", field: "property" };
    expect(await refusal("/breakdown?project=shop&property=a%20b")).toEqual(noKey);
    expect(await refusal(`/breakdown?project=shop&property=${"a".repeat(129)}`)).toEqual(noKey);
    expect((await app.get(`/breakdown?project=shop&property=${"a".repeat(128)}`)).values).toEqual(
      [],
    );
  });
});

describe("POST /query", () => {
  const refused = (body: object) => refusal("/query", { project: "shop", ...body });
  const filter = (field: unknown, op: unknown, value: unknown) => ({
    filters: [{ field, op, value }],
  });

  test("answers in whole; null means absent everywhere", async () => {
    const nulls = { metrics: null, filters: null, date_to: null, order_by: null, limit: null };
    expect(await query({ ...nulls, group_by: ["event"], user_id: null, email: null })).toEqual({
      project: "shop",
      period: { from: "2026-01-07", to: "2026-01-14" },
      metrics: ["event_count"],
      group_by: ["event"],
      rows: [
        { event: "page_view", event_count: 2 },
        { event: "buy", event_count: 1 },
      ],
      count: 2,
      count_mode: "session_then_user",
    });
  });
  test("refuses words it does not know, with those it knows", async () => {
    expect(await refused({ metrics: ["visits"] })).toMatchObject({ error: "INVALID_METRIC" });
    expect(await refused({ group_by: ["url"] })).toMatchObject({ error: "INVALID_GROUP_BY" });
    const mode = { metrics: ["unique_users"], count_mode: "all" };
    expect(await refused(mode)).toEqual({
      error: "INVALID_COUNT_MODE",
      allowed: ["session_then_user", "raw"],
    });
    expect(await refused(filter("event", "like", "a"))).toMatchObject({
      error: "INVALID_FILTER_OP",
      allowed: [...filterOps],
    });
    expect(await refused(filter("properties.a b", "eq", "a"))).toMatchObject({
      error: "INVALID_PROPERTY_KEY",
    });
    expect(await refused(filter("timestamp", "gt", "noon"))).toMatchObject({
      error: "INVALID_BODY",
    });
    expect(await refused({ order_by: "country" })).toMatchObject({ field: "order_by" });
    expect(await refused({ group_by: ["plan"] })).toMatchObject({
      suggested_field: "properties.plan",
    });
    const byKey = { project: "shop", group_by: ["plan"] };
    const answer = await app.send("POST", "/query", { body: byKey, key: app.key });
    const { message } = (await answer.json()) as { message: string };
    expect(message).toContain("Use the name in `suggested_field`");
    expect(message).toContain("GET /breakdown");
    expect(await refused({ order: "down" })).toMatchObject({ field: "order" });
  });
  test("answers an unknown filter field with what the project has, the most similar first", async () => {
    const { events } = await app.get("/properties?project=shop");
    expect(await refused(filter("plan", "eq", "pro"))).toEqual({
      error: "INVALID_FILTER_FIELD",
      suggested_field: "properties.plan",
      available_properties: { events, property_keys: ["plan", "n", "path"] },
    });
    expect(await refused({ filters: [{ field: "event", op: "eq" }] })).toMatchObject({
      error: "INVALID_FILTER_FIELD",
      suggested_field: null,
    });
  });
  test("refuses wrong JSON types as the shape, and long lists by their bound", async () => {
    const shape = (field: string) => ({ error: "INVALID_BODY", field });
    expect(await refused({ metrics: "event_count" })).toEqual(shape("metrics"));
    expect(await refused({ metrics: [1] })).toEqual(shape("metrics[0]"));
    expect(await refused({ filters: {} })).toEqual(shape("filters"));
    expect(await refused({ filters: ["event"] })).toEqual(shape("filters[0]"));
    expect(await refused({ limit: 1.5 })).toEqual(shape("limit"));
    expect(await refused({ limit: "10" })).toEqual(shape("limit"));
    expect(await refused({ user_id: 7 })).toEqual(shape("user_id"));
    const one = { field: "event", op: "eq", value: "buy" };
    expect(await refused({ filters: Array(21).fill(one) })).toMatchObject({
      error: "MISSING_FIELDS",
      field: "filters",
    });
    expect((await query({ filters: Array(20).fill(one) })).count).toBe(1);
  });
  test("clamps its limit", async () => {
    const rows = async (limit: number) => (await query({ group_by: ["event"], limit })).count;
    expect([await rows(0), await rows(-1), await rows(1e6)]).toEqual([1, 1, 2]);
  });
  test("limits itself to a user, and to nobody while no address is known", async () => {
    const count = async (who: object) => {
      const { rows } = (await query({ ...who, count_mode: "raw" })) as { rows: object[] };
      return rows;
    };
    expect(await count({ user_id: "ann" })).toEqual([{ event_count: 2 }]);
    expect(await count({ user_id: "nobody" })).toEqual([{ event_count: 0 }]);
    expect(await count({ email: "ann@example.com" })).toEqual([{ event_count: 0 }]);
    expect(await count({ email: "ann@example.com", user_id: "bob" })).toEqual([{ event_count: 1 }]);
  });
});
