import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { comparedPeriods } from "../../src/domain/period";
import { noonMs, type TestApp, type TestProject } from "../support/app/app";
import { invalid, notAmong, openShop, type Shop } from "../support/app/shop";

let app: TestApp;
let shop: TestProject;
let blog: TestProject;
let refusal: Shop["refusal"];
beforeAll(async () => {
  ({ app, shop, blog, refusal } = await openShop());
  const link = { token: shop.token, previous_id: "anon", user_id: "ann", traits: { name: "Ann" } };
  await app.post("/identify", link);
  for (const agent of ["Googlebot/2.1", "Googlebot/2.1", "GPTBot/1.0"]) {
    const body = { token: shop.token, event: "page_view" };
    await app.send("POST", "/track", { headers: { "user-agent": agent }, body });
  }
});
afterAll(() => app.close());

interface Rows {
  readonly events: readonly { readonly event: string }[];
}
const names = ({ events }: Rows) => events.map(({ event }) => event);
const ask = async (path: string, body: object) =>
  (await app.post(path, { project: "shop", ...body })) as unknown as Rows;

describe.each(["/events/lookup", "/events"])("POST %s", (path) => {
  test("finds the newest events of whom an id stands for", async () => {
    const found = await ask(path, { user_id: "anon" });
    expect(found).toMatchObject({
      project: "shop",
      user_id: "anon",
      matched_user_ids: ["ann"],
      count: 4,
    });
    expect(names(found)).toEqual(["buy", "page_view", "page_view", "page_view"]);
    expect(names(await ask(path, { user_id: "ann", event: "buy", limit: 5 }))).toEqual(["buy"]);
    expect(await ask(path, { user_id: "ann", since: "1d", limit: 1 })).toMatchObject({ count: 1 });
  });
  test("knows no address yet, and needs to be told who", async () => {
    const nobody = { user_id: null, matched_user_ids: [], events: [], count: 0 };
    expect(await ask(path, { email: "ann@example.com" })).toMatchObject(nobody);
    expect(await refusal(path, { project: "shop" })).toEqual(invalid("user_id"));
    expect(await refusal(path, { project: "shop", user_id: "" })).toEqual(invalid("user_id"));
  });
});

describe("journeys", () => {
  test.each(["/journey/lookup", "/journey"])("POST %s", async (path) => {
    const found = await ask(path, { user_id: "ann" });
    expect(names(found)).toEqual(["page_view", "page_view", "page_view", "buy"]);
    expect(await refusal(path, { project: "shop" })).toEqual(invalid("user_id"));
  });
  test("GET /journey tells them from their beginning, with the profile", async () => {
    expect(await app.get("/journey?project=shop&user_id=anon&since=1d")).toMatchObject({
      project: "shop",
      user_id: "anon",
      matched_user_ids: ["ann"],
      events: [{ event: "page_view" }, { event: "page_view" }, { event: "buy" }],
      count: 3,
      profiles: [
        {
          user_id: "ann",
          project: "shop",
          project_id: shop.id,
          traits: { name: "Ann" },
          first_seen: noonMs - 7 * 86_400_000,
          last_seen: noonMs - 55 * 60_000,
        },
      ],
    });
    expect(await refusal("/journey?project=shop")).toEqual(invalid("user_id"));
  });
  test("of somebody who was never seen are empty", async () => {
    expect(await app.get("/journey?project=shop&user_id=nobody")).toEqual({
      project: "shop",
      user_id: "nobody",
      matched_user_ids: ["nobody"],
      events: [],
      count: 0,
      profiles: [],
    });
  });
  test("do not cross projects", async () => {
    const found = await app.get("/journey?project=blog&user_id=ann");
    expect(found).toMatchObject({ events: [], profiles: [] });
  });
});

test("GET /account/all-sites", async () => {
  const answer = await app.get("/account/all-sites?limit=1");
  expect(answer).toMatchObject({
    scope: "account",
    period: {
      label: "7d",
      from: "2026-01-08",
      to: "2026-01-14",
      previous_from: "2026-01-01",
      previous_to: "2026-01-07",
    },
    summary: {
      total_projects: 3,
      active_projects: 2,
      total_events: { current: 5, previous: 1, change: 4, change_pct: 400 },
    },
    projects: [
      { id: shop.id, name: "shop", events: 4, share_pct: 80, last_active_date: "2026-01-14" },
    ],
    remaining_projects: 1,
  });
  const series = answer.time_series as { date: string; events: number }[];
  expect(series).toHaveLength(7);
  expect(series.at(-1)).toEqual({ date: "2026-01-14", events: 5 });
  expect(await refusal("/account/all-sites?period=2d")).toEqual(
    notAmong("period", comparedPeriods),
  );
});

describe("bot traffic", () => {
  test("of a project", async () => {
    const answer = await eventually("/bot-traffic?project=shop&period=1d&limit=1");
    expect(answer).toMatchObject({
      project: "shop",
      scope: "project",
      period: { label: "1d", from: "2026-01-14", previous_from: "2026-01-13" },
      summary: {
        automated_requests: { current: 3, previous: 0, change: 3, change_pct: null },
        dropped_events: { current: 3, previous: 0, change: 3, change_pct: null },
        last_seen_at: noonMs,
      },
      categories: [
        { category: "search_crawler", requests: 2, dropped_events: 2, share_pct: 66.7 },
        { category: "ai_agent", requests: 1, dropped_events: 1, share_pct: 33.3 },
      ],
      actors: [
        {
          ...{ actor: "Googlebot", operator: "Google", category: "search_crawler" },
          ...{ requests: 2, dropped_events: 2, last_seen_at: noonMs },
        },
      ],
      operators: [
        {
          ...{ operator: "Google", requests: 2, dropped_events: 2 },
          ...{ share_pct: 66.7, last_seen_at: noonMs },
        },
      ],
      time_series: [{ date: "2026-01-14", requests: 3, dropped_events: 3 }],
    });
  });
  test("of the account", async () => {
    const answer = await eventually("/account/bot-traffic");
    expect(answer).toMatchObject({
      scope: "account",
      summary: { automated_requests: { current: 3 }, active_projects: 1, total_projects: 3 },
      actors: [
        { actor: "Googlebot", operator: "Google", requests: 2 },
        { actor: "GPTBot", operator: "OpenAI", requests: 1 },
      ],
      operators: [
        { operator: "Google", requests: 2, share_pct: 66.7 },
        { operator: "OpenAI", requests: 1, share_pct: 33.3 },
      ],
      projects: [{ id: shop.id, name: "shop", requests: 3, share_pct: 100, last_seen_at: noonMs }],
      remaining_projects: 0,
    });
    expect(answer.time_series).toHaveLength(7);
  });
  test.each(["/bot-traffic?project=shop&", "/account/bot-traffic?", "/account/all-sites?"])(
    "%s takes any dates",
    async (path) => {
      const { period, time_series } = (await app.get(
        `${path}since=2026-01-01&until=2026-01-10`,
      )) as unknown as { period: object; time_series: readonly { date: string }[] };
      expect(period).toEqual({
        ...{ label: null, from: "2026-01-01", to: "2026-01-10" },
        ...{ previous_from: "2025-12-22", previous_to: "2025-12-31" },
      });
      expect(time_series.map(({ date }) => date)).toHaveLength(10);
      expect(await refusal(`${path}since=7d&period=7d`)).toEqual(invalid("period"));
      expect(await refusal(`${path}since=2000-01-01`)).toEqual(invalid("since"));
    },
  );
  test("of a project without any", async () => {
    expect(await app.get(`/bot-traffic?project=${blog.id}`)).toMatchObject({
      summary: { automated_requests: { current: 0, change_pct: 0 }, last_seen_at: null },
      categories: [],
      actors: [],
    });
  });
});

/** Filtered requests are counted in memory first, and written at most a second later. */
async function eventually(path: string): Promise<Record<string, unknown>> {
  for (let tries = 0; tries < 500; tries++) {
    const answer = (await app.get(path)) as { summary: { last_seen_at: number | null } };
    if (answer.summary.last_seen_at !== null) return answer;
    await Bun.sleep(100);
  }
  throw new Error(`${path} shows no automated request.`);
}

test.each(["/events/lookup", "/events", "/journey/lookup", "/journey"])(
  "POST %s ends with the date that `until` names",
  async (path) => {
    const dayMs = 24 * 60 * 60_000;
    await app.track(
      blog,
      { event: "late", user_id: path, timestamp: noonMs },
      { event: "early", user_id: path, timestamp: noonMs - 2 * dayMs },
    );
    const asked = { project: "blog", user_id: path };
    const found = async (until: string) => names(await ask(path, { ...asked, until })).sort();
    expect([await found("0d"), await found("1d")]).toEqual([["early", "late"], ["early"]]);
    expect(await refusal(path, { ...asked, since: "1d", until: "2d" })).toEqual(invalid("since"));
  },
);
