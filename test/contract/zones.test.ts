import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../support/app/app";

/** It is noon of Wednesday, 14 January 2026 in UTC: 01:00 of the 15th in Auckland, 06:45 in Kathmandu… */
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let app: TestApp;
let experimentId: string;
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  const at = (event: string, hours: number, user_id: string) => ({
    ...{ event, user_id, session_id: `s-${user_id}`, timestamp: noonMs + hours * hourMs },
    properties: { path: "/", plan: "pro" },
  });
  await app.track(
    shop,
    at("page_view", -26, "ann"), // the 13th, 10:00 in UTC, 23:00 in Auckland
    at("page_view", -24, "ann"), // the 13th, 12:00 in UTC, the 14th, 01:00 in Auckland
    at("buy", -1.25, "bob"), // 10:45 in UTC, 16:30 in Kathmandu
    at("buy", -0.5, "bob"), // 11:30 in UTC, the 15th, 00:30 in Auckland
  );
  const variants = { variants: ["a", "b"], goal_event: "buy" };
  const hero = await app.post("/experiments", { project: "shop", name: "hero", ...variants });
  experimentId = String(hero.id);
  const kiwi = await app.makeProject("kiwi");
  const body = { timezone: "Pacific/Auckland" };
  await app.send("PATCH", "/projects/kiwi", { key: app.key, body });
  await app.track(kiwi, at("page_view", -24, "ann"), at("buy", -0.5, "bob"));
});
afterAll(() => app.close());

const experimentPath = "experiments/{id}";
/** The fields of any read's answer that are looked at below. */
interface Answer {
  readonly period: Row;
  readonly current_period: Row;
  readonly previous_period: Row;
  readonly totals: Row;
  readonly timeSeries: readonly Row[];
  readonly time_series: readonly Row[];
  readonly events: readonly Row[];
  readonly sessions: readonly Row[];
  readonly cohorts: readonly Row[];
  readonly heatmap: readonly Row[];
  readonly next_cursor: string;
  readonly field?: string;
}
type Row = Readonly<Record<string, unknown>>;
const datesIn = (rows: readonly Row[]) => rows.map(({ date }) => date);

async function ask(path: string, asked: Record<string, string> = {}): Promise<Response> {
  const isNamed = !path.startsWith("account/") && path !== experimentPath;
  const query = new URLSearchParams({ ...(isNamed && { project: "shop" }), ...asked });
  return app.send("GET", `/${path.replace("{id}", experimentId)}?${query}`, { key: app.key });
}
const answer = async (path: string, asked: Record<string, string> = {}): Promise<Answer> => {
  const response = await ask(path, asked);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};

test("a city alone is enough to say which zone was probably meant", async () => {
  const { message } = (await (await ask("stats", { tz: "kathmandu" })).json()) as {
    message: string;
  };
  expect(message).toContain('Did you mean "Asia/Kathmandu"?');
});

describe("in Auckland, 13 hours ahead", () => {
  const tz = "Pacific/Auckland";
  test("today is the 15th, and events are on its dates", async () => {
    const { period, timeSeries } = await answer("stats", { tz, since: "2d" });
    expect(period).toEqual({ from: "2026-01-13", to: "2026-01-15", timezone: tz, groupBy: "day" });
    expect(timeSeries).toEqual([
      { bucket: "2026-01-13", unique_users: 1, total_events: 1 },
      { bucket: "2026-01-14", unique_users: 2, total_events: 2 },
      { bucket: "2026-01-15", unique_users: 1, total_events: 1 },
    ]);
  });
  test("rows of events and sessions have its dates", async () => {
    const { events } = await answer("events", { tz });
    expect(datesIn(events)).toEqual([...["2026-01-15", "2026-01-14", "2026-01-14", "2026-01-13"]]);
    const { sessions } = await answer("sessions", { tz });
    expect(datesIn(sessions)).toEqual([...["2026-01-14", "2026-01-13"]]);
  });
  test("names were first and last seen on them", async () => {
    const { events } = await answer("properties", { tz });
    expect(events).toMatchObject([
      { event: "buy", first_seen: "2026-01-14", last_seen: "2026-01-15" },
      { event: "page_view", first_seen: "2026-01-13", last_seen: "2026-01-14" },
    ]);
  });
  test("a date in a filter is one of them", async () => {
    const filters = JSON.stringify([{ field: "date", op: "eq", value: "2026-01-14" }]);
    expect((await answer("stats", { tz, filters })).totals.total_events).toBe(2);
    expect((await answer("stats", { filters })).totals.total_events).toBe(2);
    const filter15 = JSON.stringify([{ field: "date", op: "eq", value: "2026-01-15" }]);
    expect((await answer("stats", { tz, filters: filter15 })).totals.total_events).toBe(1);
    expect((await answer("stats", { filters: filter15 })).totals.total_events).toBe(0);
  });
  test("cohorts are of them", async () => {
    const { cohorts } = await answer("retention", { tz, period: "day", cohorts: "3" });
    expect(cohorts).toEqual([
      { date: "2026-01-13", users: 1, retained: [1, 0, 0], rates: [1, 0, 0], complete: 2 },
      { date: "2026-01-14", users: 1, retained: [1, 0], rates: [1, 0], complete: 1 },
    ]);
  });
  test("periods that are compared name it", async () => {
    const { current_period, previous_period } = await answer("insights", { tz, period: "1d" });
    expect(current_period).toEqual({ from: "2026-01-15", to: "2026-01-15", timezone: tz });
    expect(previous_period).toEqual({ from: "2026-01-14", to: "2026-01-14", timezone: tz });
  });
  test("all sites are counted by its dates when it is asked for", async () => {
    const { period, time_series } = await answer("account/all-sites", { tz, period: "1d" });
    expect(period).toMatchObject({ from: "2026-01-15", timezone: tz });
    expect(time_series).toEqual([{ date: "2026-01-15", events: 2 }]);
  });
  test("a time with an offset is on its date there, one without an offset on its own", async () => {
    const from = async (since: string) => (await answer("stats", { tz, since })).period.from;
    expect(await from("2026-01-13T12:00:00Z")).toBe("2026-01-14");
    expect(await from("2026-01-13T12:00:00")).toBe("2026-01-13");
    expect(await from("2026-01-13")).toBe("2026-01-13");
  });
});

describe("annotations near the dates of", () => {
  const titlesOf = async (path: string, asked: Record<string, string> = {}) => {
    const { project_context: context } = (await answer(path, asked)) as unknown as {
      project_context?: { annotations: readonly { title: string }[] };
    };
    return context?.annotations.map(({ title }) => title);
  };
  // The 13th at 23:00 in Auckland, where it is the 15th; the day before today in UTC.
  const annotations = [{ occurred_at: "2026-01-13T10:00:00Z", title: "Launch" }];
  const note = (project: string, said: object) =>
    app.send("PUT", "/project-context", { key: app.key, body: { project, goals: ["G"], ...said } });
  test.each(["live", experimentPath])("/%s are those of the zone", async (path) => {
    await note("shop", { annotations });
    expect(await titlesOf(path)).toEqual(["Launch"]);
    expect(await titlesOf(path, { tz: "Pacific/Auckland" })).toEqual([]);
    await note("shop", { goals: [] });
  });
  test("/live are those of the project's zone", async () => {
    await note("kiwi", { annotations });
    const titles = async (more: string) => {
      const response = await app.send("GET", `/live?project=kiwi${more}`, { key: app.key });
      const { project_context: context } = (await response.json()) as {
        project_context: { annotations: readonly object[] };
      };
      return context.annotations.length;
    };
    expect([await titles(""), await titles("&tz=UTC")]).toEqual([0, 1]);
    await note("kiwi", { goals: [] });
  });
});

describe("in Kathmandu, 5 hours and 45 minutes ahead", () => {
  const tz = "Asia/Kathmandu";
  test("hours are those of its clocks", async () => {
    const { timeSeries } = await answer("stats", { tz, since: "1d", groupBy: "hour" });
    expect(timeSeries).toEqual([
      { bucket: "2026-01-13T15:00", unique_users: 1, total_events: 1 },
      { bucket: "2026-01-13T17:00", unique_users: 1, total_events: 1 },
      { bucket: "2026-01-14T16:00", unique_users: 1, total_events: 1 },
      { bucket: "2026-01-14T17:00", unique_users: 1, total_events: 1 },
    ]);
  });
  test("so are those of weekdays", async () => {
    const { heatmap } = await answer("heatmap", { tz });
    const cells = heatmap.map((cell) => [cell.day_name, cell.hour, cell.events]);
    expect(cells).toEqual([
      ["Tuesday", 15, 1],
      ["Tuesday", 17, 1],
      ["Wednesday", 16, 1],
      ["Wednesday", 17, 1],
    ]);
  });
});

test("of several questions in one request each may have a zone, or all have one", async () => {
  const queries = [{ date_from: "0d" }, { date_from: "0d", tz: "UTC" }];
  const body = { project: "shop", tz: "Pacific/Auckland", queries };
  const response = await app.send("POST", "/query", { key: app.key, body });
  const { results } = (await response.json()) as { results: readonly { period: Row }[] };
  expect(results.map(({ period }) => period)).toEqual([
    { from: "2026-01-15", to: "2026-01-15", timezone: "Pacific/Auckland" },
    { from: "2026-01-14", to: "2026-01-14" },
  ]);
});

describe("a project with a zone of its own", () => {
  const stats = async (more: string) => {
    const response = await app.send("GET", `/stats?project=kiwi&since=1d${more}`, { key: app.key });
    return (await response.json()) as Answer;
  };
  test("is read in it", async () => {
    const { period, timeSeries } = await stats("");
    expect(period).toMatchObject({ from: "2026-01-14", timezone: "Pacific/Auckland" });
    expect(timeSeries.map(({ bucket }) => bucket)).toEqual([...["2026-01-14", "2026-01-15"]]);
  });
  test("is read in UTC when that is asked for, which need not be named", async () => {
    const { period } = await stats("&tz=UTC");
    expect(period).toEqual({ from: "2026-01-13", to: "2026-01-14", groupBy: "day" });
  });
  test("has its automated traffic by UTC dates", async () => {
    const response = await app.send("GET", "/bot-traffic?project=kiwi&period=1d", { key: app.key });
    const { period } = (await response.json()) as Answer;
    expect(period).toMatchObject({ from: "2026-01-14", to: "2026-01-14" });
    expect(period).not.toHaveProperty("timezone");
  });
  test("has pages of one list in one zone", async () => {
    const page = async (more: string) => {
      const path = `/events?project=kiwi&limit=1${more}`;
      const response = await app.send("GET", path, { key: app.key });
      return [response.status, await response.json()] as [number, Answer];
    };
    const [, { next_cursor: cursor }] = await page("");
    const [status, { events }] = await page(`&cursor=${cursor}`);
    expect([status, events[0].date]).toEqual([200, "2026-01-14"]);
    expect((await page(`&tz=Pacific/Auckland&cursor=${cursor}`))[0]).toBe(200);
    const [refused, { field }] = await page(`&tz=UTC&cursor=${cursor}`);
    expect([refused, field]).toEqual([400, "cursor"]);
  });
});
