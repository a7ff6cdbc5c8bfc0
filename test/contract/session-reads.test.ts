import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { comparedPeriods } from "../../src/domain/period";
import { noonMs, type TestApp, type TestProject } from "../support/app/app";
import { ownerOf } from "../support/app/owner";
import { invalid, minuteMs, notAmong, openShop, type Shop } from "../support/app/shop";

let app: TestApp;
let shop: TestProject;
let refusal: Shop["refusal"];
beforeAll(async () => {
  ({ app, shop, refusal } = await openShop());
});
afterAll(() => app.close());

describe("GET /sessions", () => {
  const sessions = async (parameters: string) =>
    (await app.get(`/sessions?project=shop&${parameters}`)) as {
      sessions: { session_id: string }[];
      next_cursor: string | null;
    };
  const ids = async (parameters: string) =>
    (await sessions(parameters)).sessions.map((session) => session.session_id);

  test("shows rows in whole, newest first", async () => {
    const { sessions: rows } = await sessions("since=1d");
    expect(rows).toEqual([
      expect.objectContaining({ session_id: "s2", is_bounce: 1, duration: 0, event_count: 1 }),
      {
        session_id: "s1",
        user_id: "ann",
        project_id: shop.id,
        start_time: noonMs - 60 * minuteMs,
        end_time: noonMs - 55 * minuteMs,
        duration: 5 * minuteMs,
        entry_page: "/",
        exit_page: "/pricing",
        event_count: 3,
        is_bounce: 0,
        date: "2026-01-14",
        replay_count: 0,
        has_replay: false,
        replays: [],
      },
    ]);
  });
  test("tells of replays to those who may read them", async () => {
    const accountId = String((await app.get("/account")).id);
    const rowFor = async (...scopes: string[]) => {
      const session = { ...ownerOf(app.deps.control, accountId), scopes, clientType: "cli" };
      const { accessToken } = app.deps.control.agents.addSession(session, noonMs);
      const headers = { authorization: `Bearer ${accessToken}` };
      const answer = await app.send("GET", "/sessions?project=shop&limit=1", { headers });
      return ((await answer.json()) as { sessions: object[] }).sessions[0];
    };
    const shown = { replay_count: 0, has_replay: false, replays: [] };
    expect(await rowFor("analytics:read", "replays:read")).toMatchObject(shown);
    expect(await rowFor("analytics:read", "replays:write")).toMatchObject(shown);
    expect(await rowFor("analytics:read")).not.toHaveProperty("has_replay");
    expect(await rowFor("analytics:read")).not.toHaveProperty("replays");
  });
  test("filters by user, session and bounce", async () => {
    expect(await ids("user_id=ann")).toEqual(["s1", "s0"]);
    expect(await ids("session_id=s2")).toEqual(["s2"]);
    expect(await ids("is_bounce=1")).toEqual(["s2", "s0"]);
    expect(await ids("is_bounce=0&user_id=bob")).toEqual([]);
    expect(await refusal("/sessions?project=shop&is_bounce=2")).toEqual(invalid("is_bounce"));
  });
  test("pages through with a cursor that belongs to its parameters", async () => {
    const first = await sessions("limit=2");
    const second = await sessions(`limit=2&cursor=${first.next_cursor}`);
    expect(second.sessions.map((session) => session.session_id)).toEqual(["s0"]);
    expect(second.next_cursor).toBeNull();
    const other = `/sessions?project=shop&user_id=ann&cursor=${first.next_cursor}`;
    expect(await refusal(other)).toEqual(invalid("cursor"));
  });
});

test("GET /sessions/distribution", async () => {
  expect(await app.get("/sessions/distribution?project=shop&since=1d")).toEqual({
    project: "shop",
    distribution: [
      { bucket: "0s", sessions: 1, bounces: 1, avg_events: 1, pct: 50 },
      { bucket: "3-10m", sessions: 1, bounces: 0, avg_events: 3, pct: 50 },
    ],
    median_bucket: "0s",
    engaged_pct: 50,
  });
  expect(await app.get("/sessions/distribution?project=quiet")).toMatchObject({
    distribution: [],
    median_bucket: null,
    engaged_pct: 0,
  });
});

test("GET /pages", async () => {
  const entry = {
    page: "/",
    sessions: 2,
    bounces: 1,
    bounce_rate: 0.5,
    avg_duration: 2.5 * minuteMs,
    avg_events: 2,
  };
  expect(await app.get("/pages?project=shop")).toEqual({ project: "shop", entry_pages: [entry] });
  const both = await app.get("/pages?project=shop&type=both&limit=1");
  expect(both).toMatchObject({ entry_pages: [{ page: "/" }], exit_pages: [{ page: "/" }] });
  expect(await refusal("/pages?project=shop&type=all")).toEqual(
    notAmong("type", ["entry", "exit", "both"]),
  );
});

test("GET /heatmap", async () => {
  const peak = { day: 3, day_name: "Wednesday", hour: 11, events: 4, users: 2 };
  expect(await app.get("/heatmap?project=shop&since=1d")).toEqual({
    project: "shop",
    heatmap: [peak],
    peak,
    busiest_day: "Wednesday",
    busiest_hour: 11,
  });
});

test("GET /insights", async () => {
  const { metrics, trend, current_period, previous_period } =
    await app.get("/insights?project=shop");
  expect([current_period, previous_period]).toEqual([
    { from: "2026-01-08", to: "2026-01-14" },
    { from: "2026-01-01", to: "2026-01-07" },
  ]);
  expect(metrics).toMatchObject({
    total_events: { current: 4, previous: 1, change: 3, change_pct: 300 },
    bounce_rate: { current: 0.5, previous: 1, change: -0.5, change_pct: -50 },
  });
  expect(trend).toBe("growing");
  expect(await refusal("/insights?project=shop&period=8d")).toEqual(
    notAmong("period", comparedPeriods),
  );
});

test("GET /retention", async () => {
  expect(await app.get("/retention?project=shop&cohorts=2")).toEqual({
    project: "shop",
    period: "week",
    cohorts: [
      { date: "2026-01-05", users: 1, retained: [1, 1], rates: [1, 1], complete: 1 },
      { date: "2026-01-12", users: 1, retained: [1], rates: [1], complete: 0 },
    ],
    average_rates: [1],
    users_analyzed: 2,
  });
  const bought = await app.get("/retention?project=shop&event=buy&returning_event=page_view");
  expect(bought).toMatchObject({ users_analyzed: 1 });
  for (const bad of [
    "cohorts=0",
    "cohorts=13",
    "period=day&cohorts=31",
    "period=year",
    "since=x",
  ]) {
    expect((await refusal(`/retention?project=shop&${bad}`)).error).toBe("MISSING_FIELDS");
  }
  expect(await app.get("/retention?project=shop&period=day&cohorts=30")).toMatchObject({
    period: "day",
  });
  const late = await app.get("/retention?project=shop&since=2d");
  expect(late).toMatchObject({ users_analyzed: 1 });
});
