import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestApp } from "../support/app/app";
import { invalid, notAmong, openShop, type Shop } from "../support/app/shop";

let app: TestApp;
let refusal: Shop["refusal"];
beforeAll(async () => {
  ({ app, refusal } = await openShop());
});
afterAll(() => app.close());

describe("POST /funnel", () => {
  const funnel = (body: object) => app.post("/funnel", { project: "shop", ...body });
  const refused = (body: object) => refusal("/funnel", { project: "shop", ...body });

  test("answers in whole", async () => {
    const steps = [
      "page_view",
      { event: "buy", filters: [{ property: "plan", op: "in", value: ["pro"] }] },
    ];
    expect(await funnel({ steps, breakdown: "plan" })).toMatchObject({
      period: { from: "2025-12-15", to: "2026-01-14" },
      count_by: "user_id",
      conversion_window_hours: 168,
      steps_source: "request.steps",
      identity_basis: "resolved_user_id_or_user_id",
      steps: [
        { step: 1, event: "page_view", users: 2, conversion_rate: 1, drop_off_rate: 0 },
        {
          step: 2,
          event: "buy",
          users: 1,
          strict_survivors: 1,
          conversion_rate: 0.5,
          conversion_from_previous: 0.5,
          drop_off_rate: 0.5,
          conversion_rates: { from_previous: 0.5, from_start: 0.5 },
          avg_time_to_next_ms: null,
          raw_activity: { event_count: 1, unique_users: 1, sessions: 1 },
          joinable_entities: 1,
        },
      ],
      overall_conversion_rate: 0.5,
      warnings: [],
      breakdowns: [{ value: null, overall_conversion_rate: 0.5 }],
    });
  });
  test("warns of steps that nobody can take", async () => {
    const { warnings } = await funnel({
      steps: ["page_view", "by", "buy"],
      count_by: "session_id",
    });
    expect(warnings).toEqual(["Step 2 (by) has no events in this period."]);
    expect((await funnel({ steps: ["buy", "page_view"] })).warnings).toEqual([
      expect.stringMatching(
        /^Step 2 \(page_view\) has events, but no one who completed the previous step .*/,
      ),
    ]);
  });
  test("refuses bad lists of steps by their own code", async () => {
    const bad = { error: "INVALID_FUNNEL_STEPS" };
    const step = "page_view";
    for (const steps of [
      [],
      [step],
      Array(9).fill(step),
      [step, ""],
      [step, 7],
      [step, {}],
      null,
    ]) {
      expect(await refused({ steps })).toEqual(bad);
    }
    expect(await refused({ from_context: true })).toEqual(bad);
    expect(await refused({ from_context: true, steps: [step, step] })).toEqual(bad);
    expect(await refused({ steps: "visit" })).toMatchObject({ error: "INVALID_BODY" });
    expect((await funnel({ steps: Array(8).fill(step) })).steps).toHaveLength(8);
  });
  test("refuses filters as queries do", async () => {
    const withFilter = (filter: object) => ({
      steps: ["buy", { event: "buy", filters: [filter] }],
    });
    const bare = await refused(withFilter({ field: "plan", op: "eq", value: "pro" }));
    expect(bare).toMatchObject({
      error: "INVALID_FILTER_FIELD",
      suggested_field: "properties.plan",
    });
    expect(bare.available_properties).toMatchObject({ property_keys: ["plan", "path"] });
    const op = await refused(withFilter({ property: "plan", op: "like", value: "pro" }));
    expect(op).toMatchObject({ error: "INVALID_FILTER_OP" });
    const key = await refused(withFilter({ property: "a b", op: "eq", value: "pro" }));
    expect(key).toMatchObject({ error: "INVALID_PROPERTY_KEY" });
  });
  test("keeps to the bounds of its window and its words", async () => {
    const steps = ["page_view", "buy"];
    for (const hours of [0.5, 8_761]) {
      const bad = await refused({ steps, conversion_window_hours: hours });
      expect(bad).toEqual(invalid("conversion_window_hours"));
    }
    expect(await refused({ steps, count_by: "country" })).toEqual(
      notAmong("count_by", ["user_id", "session_id"]),
    );
    const one = { steps, conversion_window_hours: 1, breakdown: "country", breakdown_limit: 500 };
    expect((await funnel(one)).breakdowns).toHaveLength(1);
  });
});

describe("POST /paths", () => {
  const paths = (body: object) =>
    app.post("/paths", { project: "shop", goal_event: "buy", ...body });

  test("answers in whole", async () => {
    expect(await paths({ goal_event: "  buy  ", since: "7d" })).toEqual({
      project: "shop",
      goal_event: "buy",
      period: { from: "2026-01-07", to: "2026-01-14" },
      bounds: { max_steps: 5, entry_limit: 10, path_limit: 5, candidate_session_cap: null },
      entry_paths: [
        {
          entry_page: "/",
          sessions: 2,
          conversions: 1,
          conversion_rate: 0.5,
          exit_pages: [
            expect.objectContaining({ exit_page: "/", drop_offs: 1, drop_off_rate: 1 }),
            expect.objectContaining({ exit_page: "/pricing", conversions: 1, drop_off_rate: 0 }),
          ],
          tree: [
            expect.objectContaining({
              type: "page",
              value: "/pricing",
              children: [expect.objectContaining({ type: "goal", value: "buy", children: [] })],
            }),
            expect.objectContaining({ type: "drop_off", value: "/", exit_page: "/" }),
          ],
        },
      ],
    });
  });
  test("takes any dates", async () => {
    const periodOf = async (body: object) => ((await paths(body)) as { period: object }).period;
    const from = "2026-01-02";
    expect(await periodOf({ since: from, until: "2026-01-09" })).toEqual({
      from,
      to: "2026-01-09",
    });
    expect(await periodOf({ since: "60d" })).toEqual({ from: "2025-11-15", to: "2026-01-14" });
  });
  test("refuses what is out of range", async () => {
    const ask = (body: object) =>
      refusal("/paths", { project: "shop", goal_event: "buy", ...body });
    expect(await ask({ goal_event: "  " })).toEqual(invalid("goal_event"));
    expect(await ask({ goal_event: "a".repeat(257) })).toEqual(invalid("goal_event"));
    expect(await ask({ since: "60 days" })).toEqual(invalid("since"));
    expect(await ask({ since: "2026-01-02", until: "2026-01-01" })).toEqual(invalid("since"));
    const ranges = { max_steps: 6, entry_limit: 21, path_limit: 0, candidate_session_cap: 99 };
    for (const [field, value] of Object.entries(ranges)) {
      expect(await ask({ [field]: value })).toEqual(invalid(field));
    }
  });
});
