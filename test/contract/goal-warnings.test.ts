import { afterAll, beforeAll, expect, test } from "bun:test";
import { dayMs, minuteMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";

/** Warnings about the goal of a read: `goal_without_session`, `other_events_carry`, and `text_numbers` of revenue. */

let app: TestApp;

/** Two orders of today in sessions, one of them paid as a text; three without a session; a refund; one of last week. */
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  const event = (name: string, session_id: string | null, properties: Json, daysAgo = 0) => ({
    ...{ event: name, user_id: "ann", properties },
    ...(session_id !== null && { session_id }),
    timestamp: noonMs - daysAgo * dayMs - minuteMs,
  });
  await app.track(
    shop,
    ...[event("buy", "s1", { amount: 40, id: 1 }), event("buy", "s2", { amount: "9", id: 2 })],
    ...[event("buy", null, { amount: 5, id: 3 }), event("buy", null, { amount: 5, id: 4 })],
    // The same order again, which is no event of the goal.
    event("buy", null, { amount: 5, id: 4 }),
    event("refund", "s1", { amount: 40 }),
    ...[event("buy", null, { amount: 5, id: 5 }, 9), event("view", "s3", { amount: "7" })],
  );
  const value = { property: "amount", currency: "EUR" };
  const order = { project: "shop", name: "Order", event: "buy", value, once_per: "id" };
  await app.post("/goals", order);
});
afterAll(() => app.close());

const warned = async (path: string, body: Json): Promise<readonly Json[]> => {
  const { warnings = [] } = await app.post(path, { project: "shop", ...body });
  return warnings as readonly Json[];
};
const query = (more: Json) => warned("/query", { goal: { goal: "Order" }, ...more });
const stray = (events: number) => ({ code: "goal_without_session", events });
const others = { code: "other_events_carry", property: "amount", use: "revenue" };
const texts = (events: number) => ({ code: "text_numbers", property: "amount", events });

test("events of a goal without a session are counted, whatever the filters", async () => {
  const metrics = ["conversions"];
  expect(await query({ metrics })).toMatchObject([stray(2)]);
  const noBuyer = [{ field: "event", op: "eq", value: "view" }];
  expect(await query({ metrics, filters: noBuyer })).toMatchObject([stray(2)]);
  expect(await query({ metrics, date_from: "30d" })).toMatchObject([stray(3)]);
  expect(await query({ metrics, date_from: "30d", date_to: "5d" })).toMatchObject([stray(1)]);
  expect(await query({ metrics, goal: { event: "buy" } })).toMatchObject([stray(3)]);
  expect(await query({ metrics, goal: { event: "refund" } })).toEqual([]);
  expect(await query({ metrics: ["event_count"] })).toEqual([]);
  const [{ message }] = await query({ metrics });
  expect(message).toBe(
    '2 events of the goal "Order" on these dates have no session_id. Conversions and revenue are counted by session ' +
      "and leave them out. Send a session_id with each event.",
  );
});

test("so are they in every read that counts sessions which reach a goal", async () => {
  expect(await warned("/paths", { goal_event: { goal: "Order" } })).toMatchObject([stray(3)]);
  expect(await warned("/query", { goals: true })).toMatchObject([stray(2), texts(1)]);
  const metrics = ["conversions"];
  const dates = { date_from: "7d", compare: "previous" };
  expect(await query({ metrics, ...dates })).toMatchObject([stray(2)]);
  app.setTime(noonMs + dayMs);
  const changes = await app.get("/changes?project=shop&metric=conversion&goal=Order&period=1d");
  app.setTime(noonMs);
  expect(changes.warnings).toMatchObject([stray(2)]);
  const funnel = { steps: ["view", { goal: "Order" }] };
  const all = await warned("/funnel", { ...funnel, count_by: "session_id" });
  expect(all.at(-1)).toMatch(/^3 events of the goal "Order" on these dates have no session_id/);
  expect(String(await warned("/funnel", funnel))).not.toContain("session_id");
});

test("a measure of the goal's value says that other events carry it", async () => {
  const metrics = ["sum:properties.amount"];
  expect(await query({ metrics })).toMatchObject([texts(2), others]);
  expect(await query({ metrics: ["distinct:properties.amount"] })).toEqual([]);
  expect(await query({ metrics: ["sum:properties.id"] })).toEqual([]);
  expect(await warned("/query", { metrics })).toMatchObject([texts(2)]);
  const only = (...values: readonly string[]) => [{ field: "event", op: "in", value: values }];
  // The order that was sent again is an event that is not of the goal.
  expect(await query({ metrics, filters: only("buy") })).toMatchObject([texts(1), others]);
  const once = { once_per: "properties.id" };
  expect(await query({ metrics, filters: only("buy"), ...once })).toMatchObject([texts(1)]);
  const inSession = [{ field: "session_id", op: "not_null" }];
  const filters = [...only("buy", "view"), ...inSession];
  expect(await query({ metrics, filters })).toMatchObject([texts(2)]);
});

test("revenue says how many values of the goal are texts", async () => {
  expect(await query({ metrics: ["revenue"] })).toMatchObject([stray(2), texts(1)]);
  const [, { message }] = await query({ metrics: ["average_value"] });
  expect(message).toBe(
    '1 event of the goal "Order" has "amount" as a text that looks like a number, and revenue leaves texts out. Send ' +
      "the value as a JSON number, without quotes.",
  );
});
