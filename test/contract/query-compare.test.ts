import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Json } from "../support/app/app";
import { openShop, type Shop } from "../support/app/shop";

/** POST /query with `compare`, over HTTP: it is noon of 14 January 2026. */
let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.app.close());

const ask = (body: Json) =>
  shop.app.post("/query", { project: "shop", count_mode: "raw", ...body });
const refused = (body: Json) => shop.refusal("/query", { project: "shop", ...body });
const allowed = ["previous", "week", "year"];

describe("what is compared", () => {
  test("is told with its dates, in the zone of the read", async () => {
    const asked = { date_from: "1d", compare: "week" };
    expect(await ask({ ...asked, group_by: ["event"] })).toEqual({
      project: "shop",
      period: { from: "2026-01-13", to: "2026-01-14" },
      previous_period: { from: "2026-01-06", to: "2026-01-07" },
      compared_until: "2026-01-14T12:00:00.000Z",
      metrics: ["event_count"],
      group_by: ["event"],
      rows: [
        {
          event: "page_view",
          event_count: 3,
          previous: { event_count: 0 },
          change_pct: { event_count: null },
        },
        {
          event: "buy",
          event_count: 1,
          previous: { event_count: 0 },
          change_pct: { event_count: null },
        },
      ],
      count: 2,
      count_mode: "raw",
    });
    const elsewhere = await ask({ ...asked, tz: "Asia/Tokyo" });
    expect(elsewhere).toMatchObject({
      previous_period: { from: "2026-01-06", to: "2026-01-07", timezone: "Asia/Tokyo" },
      rows: [{ event_count: 4, previous: { event_count: 0 } }],
    });
    // A minute later the visit of a week ago is a part of it.
    shop.app.setTime(Date.parse("2026-01-14T12:01:00Z"));
    expect(await ask(asked)).toMatchObject({ rows: [{ previous: { event_count: 1 } }] });
    shop.app.setTime(Date.parse("2026-01-14T12:00:00Z"));
  });

  test.each<[unknown, Json]>([
    ["month", { error: "MISSING_FIELDS", field: "compare", allowed }],
    ["previos", { error: "MISSING_FIELDS", field: "compare", allowed }],
    [7, { error: "INVALID_BODY", field: "compare" }],
    [{ date_from: "7d" }, { error: "MISSING_FIELDS", field: "compare.date_to" }],
    [
      { date_from: "soon", date_to: "1d" },
      { error: "MISSING_FIELDS", field: "compare.date_from" },
    ],
    [
      { date_from: "1d", date_to: "7d" },
      { error: "MISSING_FIELDS", field: "compare.date_from" },
    ],
    [
      { date_from: "7d", date_to: "1d", tz: "UTC" },
      { error: "INVALID_BODY", field: "compare.tz" },
    ],
  ])("is refused by name when it is %j", async (compare, answer) => {
    expect(await refused({ compare })).toMatchObject(answer);
  });

  test("is refused beside a date, which has no change", async () => {
    const metrics = ["event_count", "last_date"];
    expect(await refused({ compare: "week", metrics })).toMatchObject({ field: "metrics[1]" });
    expect(await refused({ queries: [{ compare: "week", metrics }] })).toMatchObject({
      field: "queries[0].metrics[1]",
    });
  });

  test("is refused with what was probably meant", async () => {
    const call = { key: shop.app.key, body: { project: "shop", compare: "previos" } };
    const { message } = (await (await shop.app.send("POST", "/query", call)).json()) as Json;
    expect(message).toContain('Did you mean "previous"?');
  });

  test("does not begin before the first year that can be written", async () => {
    const dates = { date_from: "0001-01-01", date_to: "2026-01-14" };
    expect(await refused({ ...dates, compare: "previous" })).toMatchObject({ field: "compare" });
  });
});

test("each of several questions has its own, or none", async () => {
  const queries = [
    { date_from: "0d", compare: "previous" },
    { date_from: "0d" },
    { date_from: "0d", compare: "week" },
  ].map((query) => ({ ...query, count_mode: "raw" }));
  const { results } = (await shop.app.post("/query", { project: "shop", queries })) as {
    results: Json[];
  };
  const alone = await Promise.all(queries.map(ask));
  expect(results).toEqual(alone.map(({ project: _, ...answer }) => answer));
  expect(results.map((result) => "previous_period" in result)).toEqual([true, false, true]);
  expect(await refused({ queries: [{}, { compare: "weekly" }] })).toMatchObject({
    field: "queries[1].compare",
  });
  expect(await refused({ queries, compare: "week" })).toMatchObject({ field: "compare" });
});

test("as CSV what is nested is JSON", async () => {
  const body = { project: "shop", count_mode: "raw", date_from: "0d", compare: "week" };
  const answer = await shop.app.send("POST", "/query?format=csv", { key: shop.app.key, body });
  expect((await answer.text()).trimEnd().split(/\r?\n/)).toEqual([
    "event_count,previous,change_pct",
    '4,"{""event_count"":0}","{""event_count"":null}"',
  ]);
});
