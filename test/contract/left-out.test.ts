import { afterAll, beforeAll, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../support/app/app";

/** Warnings of filters that leave out more than their words say, or that are of what nobody sends. */
let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  const dayMs = 24 * 60 * 60 * 1000;
  // A compared period is cut at noon, the moment itself excluded.
  const of = (plan: string | null, path: string, timestamp = noonMs - 1) => ({
    ...{ event: "page_view", user_id: "ann", session_id: "s1", timestamp },
    properties: { path, ...(plan !== null && { plan }) },
  });
  await app.track(shop, of("pro", "/"), of("free", "/"), of(null, "/"), of(null, "/b"));
  await app.track(shop, of(null, "/", noonMs - 20 * dayMs), of("old", "/", noonMs - 3 * dayMs));
});
afterAll(() => app.close());

interface Warning {
  readonly code: string;
  readonly message: string;
}
const get = (path: string) => async (filters: readonly object[]) => {
  const text = encodeURIComponent(JSON.stringify(filters));
  const answer = await app.get(`/${path}project=shop&since=7d&filters=${text}`);
  return (answer.warnings ?? []) as readonly Warning[];
};
const post =
  (path: string, body: object = {}) =>
  async (filters: readonly object[]) => {
    const answer = await app.post(`/${path}`, { project: "shop", ...body, filters });
    return (answer.warnings ?? []) as readonly Warning[];
  };
const reads = {
  "/stats": get("stats?"),
  "/breakdown": get("breakdown?property=path&"),
  "/pages": get("pages?"),
  "/sessions": get("sessions?"),
  "/sessions/distribution": get("sessions/distribution?"),
  "/heatmap": get("heatmap?"),
  "/events": get("events?"),
  "/properties": get("properties?"),
  "/query": post("query"),
  "/query, compared": post("query", { compare: "previous" }),
  "/paths": post("paths", { goal_event: "page_view", since: "7d" }),
};
const notPro = { field: "properties.plan", op: "neq", value: "pro" };
const missing = (events: number, field = notPro.field) => ({
  ...{ code: "missing_left_out", field, events },
  message:
    `The filter "${field} neq" left out ${events} events that have no ${field}. ` +
    "To include them, use not_in instead of neq.",
});

for (const [name, ask] of Object.entries(reads)) {
  test(`${name} says how many events a neq left out for want of its field`, async () => {
    expect(await ask([notPro])).toEqual([missing(2)]);
    // Those alone for which the other filters hold.
    expect(await ask([notPro, { field: "properties.path", op: "eq", value: "/b" }])).toEqual([
      missing(1),
    ]);
    const elsewhere = { field: "properties.path", op: "eq", value: "/c" };
    expect(await ask([notPro, elsewhere])).toEqual([]);
    expect(await ask([{ ...notPro, op: "not_in", value: ["pro"] }])).toEqual([]);
    expect(await ask([{ any: [notPro, elsewhere] }])).toEqual([]);
    expect(await ask([{ ...notPro, op: "eq" }])).toEqual([]);
    expect(await ask([{ field: "country", op: "neq", value: "DE" }])).toEqual([
      missing(5, "country"),
    ]);
  });

  test(`${name} says which properties of its filters nobody sends`, async () => {
    const unknown = { code: "unknown_property", property: "plann" };
    for (const op of ["eq", "neq", "contains"]) {
      const [warning] = await ask([{ field: "properties.plann", op, value: "pro" }]);
      expect(warning).toMatchObject(unknown);
    }
    const within = {
      any: [
        { ...notPro, field: "properties.plann" },
        { ...notPro, op: "eq" },
      ],
    };
    expect(await ask([within])).toMatchObject([unknown]);
    // A property that was sent on the first date alone is known.
    expect(await ask([{ ...notPro, op: "eq", value: "old" }])).toEqual([]);
  });
}

test("a funnel says the same in words", async () => {
  const steps = [
    { event: "page_view" },
    { event: "page_view", filters: [{ property: "plann", op: "eq", value: "x" }] },
  ];
  const asked = { project: "shop", since: "7d", steps, filters: [notPro] };
  const { warnings } = await app.post("/funnel", asked);
  expect(warnings).toContain(missing(2).message);
  expect(warnings).toContain(
    'No event has the property "plann" in this period. GET /properties lists the keys that exist.',
  );
});

test("a query about a person counts what that person did", async () => {
  const warnings = await post("query", { user_id: "bob" })([notPro]);
  expect(warnings).toEqual([]);
  expect(await post("query", { user_id: "ann" })([notPro])).toEqual([missing(2)]);
});

test("a field that all events have, and a field of sessions, count likewise", async () => {
  const neq = (field: string, value: string) => [{ field, op: "neq", value }];
  expect(await reads["/query"](neq("event", "page_view"))).toEqual([]);
  expect(await reads["/query"](neq("session.source", "Google"))).toEqual([]);
  expect(await reads["/query"](neq("session.utm_source", "google"))).toEqual([
    missing(5, "session.utm_source"),
  ]);
});
