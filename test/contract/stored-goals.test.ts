import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { minuteMs } from "../../src/lib/clock";
import { type Json, noonMs } from "../support/app/app";
import {
  app,
  call,
  closeReports,
  fresh,
  json,
  make,
  me,
  openReports,
  shop,
} from "../support/app/reports";

/** The filters of shares, alerts and reports keep a goal as it was when they were saved. */

beforeAll(openReports);
afterAll(closeReports);

let id: string;
const order = { name: "Order", event: "buy", filters: [], once_per: "order_id" };
/** Other events than those of the goal as it was. */
const wider = { event: "page_view", once_per: null };
const did = { session_did: { goal: "order" } };
const kept = { name: "Order", event: "buy", page: null, value: null, once_per: "order_id" };

/** A session with an order, one with the same order again, and one with none. */
beforeEach(async () => {
  await fresh();
  app.setTime(noonMs);
  const event = (session: string, name: string, minute: number, properties: Json = {}) => ({
    ...{ event: name, user_id: session, session_id: session, properties },
    timestamp: noonMs - 60 * minuteMs + minute * minuteMs,
  });
  await app.track(
    shop,
    ...["first", "again", "none"].map((one) => event(one, "page_view", 0, { path: `/${one}` })),
    ...[event("first", "buy", 1, { order_id: 7 }), event("again", "buy", 2, { order_id: "7" })],
  );
  ({ id } = await json(call("POST", "/goals", { project: shop.name, ...order })));
});

test("a share shows no more when the goal is changed or deleted", async () => {
  const made = await json(
    call("POST", "/shares", { project: shop.name, name: "S", filters: [did] }),
  );
  expect(made).toMatchObject({
    filters: [{ session_did: { goal: id } }],
    goals: [{ id, ...kept }],
  });
  const headers = { authorization: `Bearer ${String(made.url).split("/").at(-1)}` };
  const asked = { project: shop.name, group_by: ["session.entry_page"] };
  const shown = async () => {
    const { rows } = await json(call("POST", "/query", asked, { headers }));
    return (rows as Json[]).map((row) => row["session.entry_page"]);
  };
  expect(await shown()).toEqual(["/first"]);
  await call("PATCH", `/goals/${id}`, wider);
  expect(await shown()).toEqual(["/first"]);
  const { receipt } = await json(call("POST", "/query?receipt=true", asked, { headers }));
  expect(receipt).toMatchObject({
    filters: [{ session_did: { goal: id } }],
    goals: [{ id, name: "Order" }],
  });
  await call("DELETE", `/goals/${id}`);
  expect(await shown()).toEqual(["/first"]);
  const { shares } = await json(call("GET", `/shares?project=${shop.name}`));
  expect(shares).toMatchObject([{ goals: [kept] }]);
  const page = await app.send("GET", new URL(String(made.url)).pathname);
  // The page shows the filters in words, and nothing of what the goal is.
  const text = (await page.text()).replaceAll("&quot;", '"');
  expect(text).toContain('{"session_did":{"goal":"Order"}}');
  expect(text).not.toContain("order_id");
});

test("a share has each of its filters, also one with a field that is null", async () => {
  const filter = { field: "properties.path", op: "eq", value: "/none", goals: null };
  const made = await json(
    call("POST", "/shares", { project: shop.name, name: "S", filters: [filter] }),
  );
  expect(made).toMatchObject({ filters: [filter] });
  const headers = { authorization: `Bearer ${String(made.url).split("/").at(-1)}` };
  const asked = { project: shop.name, metrics: ["event_count"], count_mode: "raw" };
  const { rows } = await json(call("POST", "/query", asked, { headers }));
  expect(rows).toEqual([{ event_count: 1 }]);
  const list = [{ ...filter, goals: [] }];
  const refused = await json(
    call("POST", "/shares", { project: shop.name, name: "S", filters: list }),
  );
  expect([refused.error, refused.field]).toEqual(["INVALID_BODY", "filters[0].goals"]);
});

test("an alert keeps it until its filters are sent again", async () => {
  const alert = { project: shop.name, name: "A", kind: "change", to: [me], filters: [did] };
  const made = await json(call("POST", "/alerts", alert));
  const { filters } = made;
  expect(made).toMatchObject({
    filters: [{ session_did: { goal: id } }],
    goals: [{ id, ...kept }],
  });
  const events = async () => {
    const at = new Date(noonMs + 24 * 60 * minuteMs).toISOString();
    app.setTime(noonMs + 24 * 60 * minuteMs);
    return (await json(call("POST", `/alerts/${made.id}/evaluate`, { at }))).observed;
  };
  expect(await events()).toBe(2);
  await call("PATCH", `/goals/${id}`, { once_per: null });
  expect(await json(call("PATCH", `/alerts/${made.id}`, { hour: 7 }))).toMatchObject({
    goals: [kept],
  });
  expect(await events()).toBe(2);
  const again = await json(call("PATCH", `/alerts/${made.id}`, { filters }));
  expect(again).toMatchObject({ filters, goals: [{ once_per: null }] });
  expect(await events()).toBe(4);
  await call("DELETE", `/goals/${id}`);
  expect(await events()).toBe(4);
  const unchanged = await json(call("PATCH", `/alerts/${made.id}`, { filters }));
  expect(unchanged).toMatchObject({ filters, goals: [{ once_per: null }] });
  expect(await events()).toBe(4);
  const other = await json(call("POST", "/alerts", { ...alert, name: "B", filters }));
  expect(other).toMatchObject({ error: "GOAL_NOT_FOUND", goals: [] });
  const without = await json(call("PATCH", `/alerts/${made.id}`, { filters: [] }));
  expect([without.filters, without.goals]).toEqual([[], undefined]);
});

test("a report keeps it too", async () => {
  app.setTime(noonMs - 30 * 24 * 60 * minuteMs);
  const made = await make({ filters: [did] });
  expect(made).toMatchObject({
    filters: [{ session_did: { goal: id } }],
    goals: [{ id, ...kept }],
  });
  app.setTime(noonMs + 7 * 24 * 60 * minuteMs);
  const numbers = async () => {
    const { data } = await json(call("GET", `/reports/${made.id}/preview`));
    return (data as { numbers: Json }).numbers;
  };
  expect(await numbers()).toMatchObject({ visitors: { current: 1 } });
  await call("PATCH", `/goals/${id}`, wider);
  await call("PATCH", `/reports/${made.id}`, { hour: 9 });
  expect(await numbers()).toMatchObject({ visitors: { current: 1 } });
  await call("DELETE", `/goals/${id}`);
  expect(await numbers()).toMatchObject({ visitors: { current: 1 } });
});
