import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../support/app/app";
import { openShop, type Shop } from "../support/app/shop";

/** The goal of POST /query: what of it is refused, and how it stands among several questions. */
let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.app.close());

const metrics = ["session_count", "conversions", "conversion_rate"];
const asked = { project: "shop", metrics };
const refused = (body: Json) => shop.refusal("/query", { ...asked, ...body });

test("is needed by the metrics that are of it, and by no others", async () => {
  expect(await refused({})).toEqual({ error: "MISSING_FIELDS", field: "goal" });
  expect(await refused({ goal: null })).toEqual({ error: "MISSING_FIELDS", field: "goal" });
  const answer = await shop.app.send("POST", "/query", { key: shop.app.key, body: asked });
  const { message } = (await answer.json()) as Json;
  expect(message).toBe('"conversions" needs a goal, such as "goal": {"event": "signup"}.');
  const counted = { project: "shop", metrics: ["event_count"] };
  const beside = await shop.app.post("/query", { ...counted, goal: { event: "buy" } });
  expect(beside).toEqual(await shop.app.post("/query", counted));
});

test.each<[unknown, string, string]>([
  ["buy", "INVALID_BODY", "goal"],
  [{}, "MISSING_FIELDS", "goal.event"],
  [{ event: "" }, "MISSING_FIELDS", "goal.event"],
  [{ event: "x".repeat(257) }, "MISSING_FIELDS", "goal.event"],
  [{ event: "buy", filter: [] }, "INVALID_BODY", "goal.filter"],
  [{ event: "buy", filters: [{ any: [] }] }, "MISSING_FIELDS", "goal.filters[0].any"],
  [{ event: "buy", filters: [{ did: "" }] }, "MISSING_FIELDS", "goal.filters[0].did"],
  [{ event: "buy", filters: [{ did: "a", any: [] }] }, "INVALID_BODY", "goal.filters[0].did"],
])("%j is refused by name", async (goal, error, field) => {
  expect(await refused({ goal })).toMatchObject({ error, field });
});

test("its filters are refused with what was probably meant", async () => {
  const goal = { event: "buy", filters: [{ field: "plan", op: "eq", value: "pro" }] };
  expect(await refused({ goal })).toMatchObject({
    ...{ error: "INVALID_FILTER_FIELD", suggested_field: "properties.plan" },
    available_properties: { property_keys: ["plan", "path"] },
  });
  expect(await refused({ goal: { ...goal, filters: [{ op: "eq" }] } })).toMatchObject({
    error: "INVALID_FILTER_FIELD",
  });
});

test("each of several questions has its own", async () => {
  const queries = ["buy", "page_view"].map((event) => ({ metrics, goal: { event } }));
  const { results } = await shop.app.post("/query", { project: "shop", queries });
  const rows = (results as { rows: Json[] }[]).map((result) => result.rows[0]);
  expect(rows.map((row) => row?.conversions)).toEqual([1, 3]);
  const without = { queries: [queries[0], { metrics }] };
  expect(await shop.refusal("/query", { project: "shop", ...without })).toMatchObject({
    ...{ error: "MISSING_FIELDS", field: "queries[1].goal", index: 1 },
  });
});
