import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  type Json,
  noonMs,
  type TestApp,
  type TestProject,
  testApp,
} from "../../../test/support/app/app";
import { importDays as importDaysOf } from "../../../test/support/app/imported-days";
import type { DayRow } from "../../domain/day-row";
import { dayOf, isoDate } from "../../domain/event";
import { forgetOldEvents } from "../../jobs";
import { dayMs, hourMs } from "../../lib/clock";

let app: TestApp;
let shop: TestProject;
beforeEach(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterEach(() => app.close());

const today = dayOf(noonMs);
const row = (day: number, said: Partial<DayRow> = {}): DayRow => ({
  ...{ date: isoDate(day), dimension: "total", value: "" },
  ...{ visitors: 2, visits: 3, page_views: 5, events: null, bounces: 1, seconds: 60 },
  ...said,
});
const importDays = (importId: string, rows: readonly DayRow[]): void =>
  importDaysOf(app, shop.id, importId, rows);
const history = async (more = ""): Promise<Json> =>
  (await app.get(`/history?project=shop${more}`)) as Json;
const oneDay = {
  ...{ visitor_days: 2, visits: 3, page_views: 5, events: null },
  ...{ bounces: 1, seconds: 60 },
};

test("a project without days has none", async () => {
  expect(await history()).toEqual({
    project: "shop",
    period: { from: isoDate(today), to: isoDate(today) },
    dimension: "total",
    seam: null,
    totals: {
      ...{ visitor_days: null, visits: null, page_views: null, events: null },
      ...{ bounces: null, seconds: null, days: 0 },
    },
    series: [],
    imports: [],
  });
});

test("sums are added up by bucket, and a sum of nulls is null", async () => {
  importDays("imp_1", [row(today - 400), row(today - 399), row(today - 300, { events: 9 })]);
  const answer = await history("&groupBy=month");
  expect(answer).toMatchObject({
    period: { from: isoDate(today - 400), to: isoDate(today - 300) },
    totals: {
      ...oneDay,
      visitor_days: 6,
      visits: 9,
      page_views: 15,
      events: 9,
      bounces: 3,
      seconds: 180,
      days: 3,
    },
    imports: [
      { id: "imp_1", kind: "plausible", from: isoDate(today - 400), to: isoDate(today - 300) },
    ],
  });
  expect(answer.series).toEqual([
    {
      bucket: "2024-12",
      ...oneDay,
      visitor_days: 4,
      visits: 6,
      page_views: 10,
      bounces: 2,
      seconds: 120,
      days: 2,
    },
    { bucket: "2025-03", ...oneDay, events: 9, days: 1 },
  ]);
  const part = await history(`&since=${isoDate(today - 399)}&until=${isoDate(today - 301)}`);
  expect(part.series).toEqual([{ bucket: isoDate(today - 399), ...oneDay, days: 1 }]);
  expect(part.imports).toEqual([
    { id: "imp_1", kind: "plausible", from: isoDate(today - 399), to: isoDate(today - 399) },
  ]);
  expect((await history(`&until=${isoDate(today - 400)}`)).period).toEqual({
    from: isoDate(today - 400),
    to: isoDate(today - 400),
  });
});

test("values are in order of their page views, or of the visitors where nobody counted these", async () => {
  const page = (value: string, day: number, page_views: number | null, visitors: number) =>
    row(day, { dimension: "page", value, page_views, visitors });
  const source = (value: string, visitors: number) =>
    row(today - 9, { dimension: "source", value, page_views: null, visitors });
  importDays("imp_1", [
    ...[row(today - 9), page("/a", today - 9, 1, 9), page("/b", today - 9, 2, 1)],
    ...[source("Google", 1), source("Direct", 3)],
    ...[row(today - 8), page("/a", today - 8, 2, 9), page("/c", today - 8, 3, 1)],
  ]);
  const pages = await history("&dimension=page&limit=2");
  expect(pages).toMatchObject({
    values: [
      { value: "/a", visitor_days: 18, page_views: 3 },
      { value: "/c", page_views: 3 },
    ],
    ...{ truncated: true, groups_total: 3 },
    totals: { page_views: 10, days: 2 },
  });
  const sources = await history("&dimension=source");
  expect((sources.values as Json[]).map(({ value }) => value)).toEqual(["Direct", "Google"]);
  expect(sources.truncated).toBeUndefined();
});

describe("the seam", () => {
  test("hides imported days from the project's first event on, also once that is deleted", async () => {
    importDays("imp_1", [row(today - 3), row(today - 2), row(today - 1)]);
    const version = Number(
      (await app.send("GET", "/history?project=shop", { key: app.key })).headers.get(
        "x-data-version",
      ),
    );
    await app.track(shop, { event: "visit", timestamp: noonMs - 2 * dayMs });
    const seen = await app.send("GET", "/history?project=shop", { key: app.key });
    expect(Number(seen.headers.get("x-data-version"))).toBeGreaterThan(version);
    expect(await history()).toMatchObject({
      seam: isoDate(today - 2),
      totals: { days: 1 },
      imports: [{ from: isoDate(today - 3), to: isoDate(today - 3) }],
    });
    app.deps.control.days.setFolding(shop.id, false);
    app.setTime(noonMs + 400 * dayMs);
    await forgetOldEvents(app.deps, noonMs + 400 * dayMs);
    expect(await history()).toMatchObject({ seam: isoDate(today - 2), totals: { days: 1 } });
  });

  test("a date is answered by its events until all of them are deleted, then by its sums", async () => {
    await app.send("PATCH", "/projects/shop", { key: app.key, body: { timezone: "Asia/Tokyo" } });
    const atTokyo = (day: number, hour: number) => day * dayMs + (hour - 9) * hourMs;
    for (const hour of [1, 8, 12]) {
      await app.track(shop, {
        ...{ event: "page_view", user_id: "ann", session_id: "s1" },
        ...{ timestamp: atTokyo(today - 5, hour), properties: { path: "/a" } },
      });
    }
    const eventsSeen = async (): Promise<number> =>
      ((await app.get("/stats?project=shop&since=900d")).totals as { total_events: number })
        .total_events;
    const before = (await app.get("/stats?project=shop&since=30d")) as Json;
    const kept = 365;
    const runAt = async (day: number) => {
      const nowMs = (day + kept) * dayMs + 3 * hourMs;
      app.setTime(nowMs);
      await forgetOldEvents(app.deps, nowMs);
    };
    await runAt(today - 5);
    expect([await eventsSeen(), (await history()).imports]).toEqual([1, []]);
    await runAt(today - 4);
    expect(await eventsSeen()).toBe(0);
    const date = isoDate(today - 5);
    const answer = await history("&dimension=page");
    expect(before).toMatchObject({
      totals: { unique_users: 1, total_events: 3 },
      sessions: { total_sessions: 1, bounce_rate: 1, avg_duration: 11 * hourMs },
    });
    const sums = {
      ...{ visitor_days: 1, visits: 1, page_views: 3, events: 3 },
      ...{ bounces: 1, seconds: 11 * 3_600 },
    };
    expect(answer).toMatchObject({
      seam: date,
      series: [{ bucket: date, ...sums, days: 1 }],
      values: [{ value: "/a", ...sums }],
      imports: [{ id: "retention", kind: "retention", from: date, to: date }],
    });
  });
});

test("GET /stats points to days within its window, and its receipt says so", async () => {
  importDays("imp_1", [row(today - 5), row(today - 3)]);
  await app.track(shop, { event: "visit" });
  const of = async (since: string) =>
    (await app.get(`/stats?project=shop&since=${since}&receipt=true`)) as {
      imported?: object;
      totals: object;
      receipt: { caveats: string[] };
    };
  const beside = await of("7d");
  expect(beside.imported).toEqual({ from: isoDate(today - 5), to: isoDate(today - 3), days: 2 });
  expect(beside.totals).toMatchObject({ total_events: 1 });
  expect(beside.receipt.caveats).toContain("imported_beside");
  const after = await of("2d");
  expect([after.imported, after.receipt.caveats.includes("imported_beside")]).toEqual([
    undefined,
    false,
  ]);
});

test("filters and unknown fields are refused", async () => {
  for (const field of ["filters=[]", "tz=UTC", "nonsense=1"]) {
    const answer = await app.send("GET", `/history?project=shop&${field}`, { key: app.key });
    const { error } = (await answer.json()) as Json;
    expect([field, answer.status, error]).toEqual([field, 400, "INVALID_BODY"]);
  }
});

test("as CSV it has the series, or the values of a dimension", async () => {
  importDays("imp_1", [row(today - 5), row(today - 5, { dimension: "page", value: "=a" })]);
  const csv = async (more: string) =>
    await (
      await app.send("GET", `/history?project=shop&format=csv${more}`, { key: app.key })
    ).text();
  expect(await csv("")).toBe(
    `bucket,visitor_days,visits,page_views,events,bounces,seconds,days\r\n${isoDate(today - 5)},2,3,5,,1,60,1\r\n`,
  );
  expect(await csv("&dimension=page")).toBe(
    "value,visitor_days,visits,page_views,events,bounces,seconds\r\n'=a,2,3,5,,1,60\r\n",
  );
});
