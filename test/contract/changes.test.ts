import { afterAll, beforeAll, expect, test } from "bun:test";
import { changeMetrics } from "../../src/domain/changes/change-counts";
import { comparedPeriods } from "../../src/domain/period";
import { minuteMs } from "../../src/lib/clock";
import { noonMs } from "../support/app/app";
import { openShop, type Shop } from "../support/app/shop";

/** GET /changes: what it takes, and what of it is refused. A model and examples by hand hold its numbers elsewhere. */
let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  // With it the seven dates before are stored whole: else nothing is compared.
  const longAgo = noonMs - 29 * 24 * 60 * minuteMs;
  await shop.app.track(shop.shop, { event: "opening", timestamp: longAgo });
});
afterAll(() => shop.app.close());

const get = (query: string) => shop.app.get(`/changes?project=shop${query}`);
const dimensionsIn = async (query: string): Promise<string[]> => {
  const { dimensions } = await get(query);
  return (dimensions as { dimension: string }[]).map(({ dimension }) => dimension).sort();
};

test("asks for seven dates of events by six dimensions unless said", async () => {
  const { metric, event, current, previous } = await get("");
  expect([metric, event]).toEqual(["events", null]);
  expect(current).toMatchObject({ from: "2026-01-07", to: "2026-01-13" });
  expect(previous).toMatchObject({ from: "2025-12-31", to: "2026-01-06" });
  expect(await dimensionsIn("")).toEqual([
    ...["country", "device", "event", "page", "source", "version"],
  ]);
});

test("takes the dimensions that are named, each once, and up to three properties", async () => {
  expect(await dimensionsIn("&dimensions=os,%20page,os")).toEqual(["os", "page"]);
  const three = "properties.a,properties.b,properties.c";
  expect(await dimensionsIn(`&dimensions=${three},language`)).toHaveLength(4);
});

test("takes dates in both spellings, and a time zone that the periods name", async () => {
  const named = await get("&since=2026-01-10&until=2026-01-11&tz=Asia/Tokyo");
  expect(named.current).toMatchObject({ from: "2026-01-10", to: "2026-01-11" });
  expect(named.previous).toMatchObject({ from: "2026-01-03", timezone: "Asia/Tokyo" });
  expect(await get("&date_from=2026-01-10&date_to=2026-01-11&tz=Asia/Tokyo")).toEqual(named);
});

test("brings a limit back into its bounds", async () => {
  for (const limit of [0, 1, 50, 51]) {
    const { verdict, needs } = await get(`&limit=${limit}`);
    expect([verdict, needs]).toEqual(["too_little_history", { dates: 28, have: 22 }]);
  }
});

test.each([
  ["&metric=visitors", { error: "MISSING_FIELDS", field: "metric", allowed: [...changeMetrics] }],
  ["&period=8d", { error: "MISSING_FIELDS", field: "period", allowed: [...comparedPeriods] }],
  ["&period=7d&since=3d", { error: "MISSING_FIELDS", field: "period" }],
  ["&until=2026-01-10", { error: "MISSING_FIELDS", field: "since" }],
  ["&since=0d", { error: "MISSING_FIELDS", field: "since" }],
  ["&since=soon", { error: "MISSING_FIELDS", field: "since" }],
  ["&metric=conversion", { error: "MISSING_FIELDS", field: "event" }],
  ["&event=", { error: "MISSING_FIELDS", field: "event" }],
  ["&dimensions=", { error: "MISSING_FIELDS", field: "dimensions" }],
  ["&dimensions=city", { error: "MISSING_FIELDS", field: "dimensions" }],
  ["&dimensions=country,", { error: "MISSING_FIELDS", field: "dimensions" }],
  ["&dimensions=properties.a-b", { error: "INVALID_PROPERTY_KEY", field: "dimensions" }],
  [
    "&dimensions=properties.a,properties.b,properties.c,properties.d",
    { error: "MISSING_FIELDS", field: "dimensions" },
  ],
  ["&dimension=country", { error: "INVALID_BODY", field: "dimension" }],
  ["&tz=Mars/Olympus", { error: "MISSING_FIELDS", field: "tz" }],
  ["&filters=[{}]", { error: "INVALID_FILTER_FIELD" }],
])("%s is refused by name", async (query, refusal) => {
  expect(await shop.refusal(`/changes?project=shop${query}`)).toMatchObject(refusal);
});

test("dates before tell how counts vary, also where neither period has an event", async () => {
  const { app } = shop;
  const quiet = await app.makeProject("quiet");
  const on = (days: number, count: number) =>
    Array.from({ length: count }, (_, place) => ({
      ...{ event: "page_view", user_id: `u${days}-${place}` },
      timestamp: noonMs - days * 24 * 60 * minuteMs,
    }));
  await app.track(quiet, ...on(29, 1), ...on(12, 1), ...on(8, 9), ...on(3, 3));
  const asked = "/changes?project=quiet&metric=events&since=0d&until=0d";
  const { current, previous, total } = await app.get(asked);
  expect([current, previous]).toMatchObject([{ value: 0 }, { value: 0 }]);
  const { delta, dispersion } = total as Readonly<Record<string, number>>;
  expect(delta).toBe(0);
  expect(dispersion).toBeGreaterThan(1);
});
