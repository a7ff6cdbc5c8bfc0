import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Json } from "../support/app/app";
import { openShop, type Shop } from "../support/app/shop";

/** POST /query with several questions at once. */
let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.app.close());

const ask = (body: Json) => shop.app.post("/query", { project: "shop", ...body });
const batch = (...queries: readonly Json[]) => ask({ queries });
const alone = async (query: Json) => {
  const { project: _, ...result } = await ask(query);
  return result;
};
const refused = (body: Json) => shop.refusal("/query", { project: "shop", ...body });
const empty = { metrics: ["event_count"] };

describe("queries", () => {
  test("are answered in their order, each as if it had been asked alone", async () => {
    const queries = [
      { group_by: ["event"], count_mode: "raw" },
      { metrics: ["unique_users", "session_count"], date_from: "0d" },
      { group_by: ["properties.plan"], filters: [{ field: "event", op: "eq", value: "buy" }] },
      { user_id: "bob", metrics: ["unique_users"] },
    ];
    const results = await Promise.all(queries.map(alone));
    expect(await batch(...queries)).toEqual({ project: "shop", results });
    expect(results.map(({ rows }) => rows)).toEqual([
      [
        { event: "page_view", event_count: 4 },
        { event: "buy", event_count: 1 },
      ],
      [{ unique_users: 2, session_count: 2 }],
      [{ "properties.plan": "pro", event_count: 1 }],
      [{ unique_users: 1 }],
    ]);
  });

  test("count as a read each", async () => {
    const reads = async () => Number((await shop.app.get("/projects/shop")).total_reads);
    const before = await reads();
    await batch(empty, empty, empty);
    expect((await reads()) - before).toBe(3);
    await refused({ queries: [empty, { metrics: ["events"] }] });
    expect((await reads()) - before).toBe(3);
  });

  test("are 1 to 20", async () => {
    const many = (length: number) => ({ queries: Array.from({ length }, () => empty) });
    const { results } = await ask(many(20));
    expect(results).toHaveLength(20);
    const code = { error: "MISSING_FIELDS", field: "queries" };
    expect(await refused(many(0))).toEqual(code);
    expect(await refused(many(21))).toEqual(code);
  });

  test("say which of them is wrong, and what was probably meant", async () => {
    const wrong = (query: Json) => refused({ queries: [empty, query] });
    expect(await wrong({ metrics: ["events"] })).toMatchObject({
      ...{ error: "INVALID_METRIC", index: 1 },
    });
    expect(await wrong({ order_by: "date" })).toMatchObject({
      ...{ error: "MISSING_FIELDS", field: "queries[1].order_by", index: 1 },
    });
    expect(await wrong({ filters: [{ field: "plan", op: "eq", value: 1 }] })).toMatchObject({
      ...{ error: "INVALID_FILTER_FIELD", index: 1, suggested_field: "properties.plan" },
      available_properties: { property_keys: ["plan", "path"] },
    });
    expect(await wrong({ date_from: "soon" })).toEqual({
      ...{ error: "MISSING_FIELDS", field: "queries[1].date_from", index: 1 },
    });
    expect(await wrong({ metric: ["event_count"] })).toMatchObject({
      ...{ error: "INVALID_BODY", field: "queries[1].metric" },
    });
  });

  test("stand alone: what is beside them, or would nest them, is refused by name", async () => {
    const field = (body: Json) => refused(body).then((answer) => answer.field);
    expect(await field({ queries: [empty], metrics: ["event_count"] })).toBe("metrics");
    expect(await field({ queries: [empty], limit: 5 })).toBe("limit");
    expect(await field({ queries: [{ queries: [empty] }] })).toBe("queries[0].queries");
    expect(await field({ queries: [{ project: "blog" }] })).toBe("queries[0].project");
  });

  test("carry the context once, of all their dates together", async () => {
    const annotations = ["2026-01-14", "2026-01-07", "2025-12-01"].map((date) => ({
      occurred_at: `${date}T09:00:00Z`,
      title: date,
    }));
    await shop.app.send("PUT", "/project-context", {
      key: shop.app.key,
      body: { project: "shop", annotations },
    });
    const queries = [{ date_from: "0d" }, { date_from: "7d", date_to: "6d" }];
    const { project_context, results } = await batch(...queries);
    const { annotations: near } = project_context as { annotations: readonly { title: string }[] };
    expect(near.map(({ title }) => title).sort()).toEqual(["2026-01-07", "2026-01-14"]);
    expect(JSON.stringify(results)).not.toContain("annotations");
    expect(await ask({ queries, context: false })).not.toHaveProperty("project_context");
  });
});

describe("the limit", () => {
  test("says when it cuts, and how many groups there are", async () => {
    const asked = { group_by: ["event", "date"], count_mode: "raw" };
    expect(await ask({ ...asked, limit: 2 })).toMatchObject({
      ...{ count: 2, truncated: true, groups_total: 3 },
    });
    const whole = await ask({ ...asked, limit: 3 });
    expect(whole).toMatchObject({ count: 3 });
    expect(whole).not.toHaveProperty("truncated");
    expect(whole).not.toHaveProperty("groups_total");
  });
});
