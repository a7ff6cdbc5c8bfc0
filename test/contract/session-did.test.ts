import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMs, minuteMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import { callTool } from "../support/app/mcp";

/** `session_did` and `session_did_not` over HTTP: what matches them, in which reads, and what is refused. */

let app: TestApp;

/**
 * Today: a session with a purchase, one whose purchase was ten days ago, one without any, and an event without a
 * session, whose user bought in another session.
 */
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  const event = (session: string | null, name: string, daysAgo: number, more: Json = {}) => ({
    ...{ event: name, user_id: session === null ? "buyer" : `of ${session}` },
    ...(session !== null && { session_id: session }),
    timestamp: noonMs - daysAgo * dayMs - minuteMs,
    properties: { path: `/${session}`, ...more },
  });
  await app.track(
    shop,
    ...[event("buyer", "page_view", 0), event("buyer", "buy", 0, { plan: "team" })],
    ...[event("earlier", "page_view", 0), event("earlier", "buy", 10, { plan: "free" })],
    event("visitor", "page_view", 0),
    event(null, "page_view", 0),
  );
});
afterAll(() => app.close());

const team = { field: "properties.plan", op: "eq", value: "team" };
const isView = { field: "event", op: "eq", value: "page_view" };

const pages = async (filters: readonly Json[], more: Json = {}): Promise<readonly unknown[]> => {
  const body = { project: "shop", group_by: ["properties.path"], date_from: "7d", filters };
  const { rows } = (await app.post("/query", { ...body, ...more })) as { rows: Json[] };
  return rows.map((row) => row["properties.path"]).sort();
};

describe("session_did", () => {
  test("keeps all events of the sessions that have the event anywhere in them", async () => {
    expect(await pages([{ session_did: "buy" }])).toEqual(["/buyer", "/earlier"]);
    expect(await pages([{ session_did_not: "buy" }])).toEqual(["/null", "/visitor"]);
    expect(await pages([{ session_did: "none" }])).toEqual([]);
    expect(await pages([{ session_did_not: "none" }])).toHaveLength(4);
  });
  test("looks for the event outside of the other filters, and by its own", async () => {
    expect(await pages([{ session_did: "buy" }, isView])).toEqual(["/buyer", "/earlier"]);
    expect(await pages([{ session_did: "buy", filters: [team] }])).toEqual(["/buyer"]);
    expect(await pages([{ session_did_not: "buy", filters: [team] }])).toEqual([
      ...["/earlier", "/null", "/visitor"],
    ]);
    const entered = { field: "session.entry_page", op: "eq", value: "/earlier" };
    expect(await pages([{ session_did: "buy", filters: [entered] }])).toEqual(["/earlier"]);
  });
  test("is one of several, and a condition of a goal", async () => {
    const page = { field: "properties.path", op: "eq", value: "/visitor" };
    const filters = [{ any: [{ session_did: "buy", filters: [team] }, page] }];
    expect(await pages(filters)).toEqual(["/buyer", "/visitor"]);
    const goal = { event: "page_view", filters: [{ session_did: "buy" }] };
    const asked = { project: "shop", metrics: ["session_count", "conversions"], goal };
    expect((await app.post("/query", asked)).rows).toEqual([{ session_count: 3, conversions: 2 }]);
  });
  test("holds in both periods of a comparison", async () => {
    const asked = { metrics: ["event_count"], filters: [{ session_did: "buy" }] };
    const dates = { date_from: "0d", compare: { date_from: "10d", date_to: "10d" } };
    const { rows } = await app.post("/query", { project: "shop", ...asked, ...dates });
    expect(rows).toMatchObject([{ event_count: 2, previous: { event_count: 1 } }]);
  });
  test("works in reads by GET and in tools", async () => {
    const filters = JSON.stringify([{ session_did: "buy" }]);
    const of = (path: string) => app.get(`/${path}&filters=${encodeURIComponent(filters)}`);
    const totals = { unique_users: 2, total_events: 3 };
    expect(await of("stats?project=shop")).toMatchObject({ totals });
    expect((await of("retention?project=shop&period=day")).users_analyzed).toBe(1);
    const { structuredContent } = await callTool(app, "overview", { project: "shop", filters });
    expect(structuredContent.answer).toMatchObject({ totals: { unique_users: 2 } });
  });
  test("is in a receipt as it was sent, and warns of a name that no event has", async () => {
    const filters = [{ session_did_not: "bye", filters: [team] }];
    const { receipt, warnings } = await app.post("/query?receipt=true", {
      ...{ project: "shop", filters },
    });
    expect((receipt as Json).filters).toEqual(filters);
    expect(warnings).toMatchObject([{ code: "unknown_event", event: "bye" }]);
  });
  test("of a share, and asked of a share, looks at the events that its filters pass", async () => {
    const shared = async (ofShare: readonly Json[], filters: readonly Json[]) => {
      const { url } = await app.post("/shares", { project: "shop", name: "S", filters: ofShare });
      const headers = { authorization: `Bearer ${String(url).split("/").at(-1)}` };
      const body = { project: "shop", group_by: ["properties.path"], filters };
      const answer = await app.send("POST", "/query", { headers, body });
      const { rows } = (await answer.json()) as { rows: Json[] };
      return rows.map((row) => row["properties.path"]).sort();
    };
    expect(await shared([{ session_did: "buy" }], [])).toEqual(["/buyer", "/earlier"]);
    expect(await shared([isView], [{ session_did: "buy" }])).toEqual([]);
    expect(await shared([isView], [{ session_did_not: "buy" }])).toHaveLength(4);
    expect(await shared([isView, { session_did: "buy" }], [])).toEqual([]);
  });
});

test.each<[Json, string, string]>([
  [{ session_did: "" }, "MISSING_FIELDS", "filters[0].session_did"],
  [{ session_did: "x".repeat(257) }, "MISSING_FIELDS", "filters[0].session_did"],
  [{ session_did: "a", did: "b" }, "INVALID_BODY", "filters[0].session_did"],
  [{ session_did: "a", since: "7d" }, "INVALID_BODY", "filters[0].since"],
  [{ session_did_not: "a", any: [] }, "INVALID_BODY", "filters[0].session_did_not"],
  [
    { session_did: "a", filters: Array(21).fill(isView) },
    ...(["MISSING_FIELDS", "filters[0].filters"] as const),
  ],
  [
    { session_did: "a", filters: [{ session_did: "b" }] },
    ...(["INVALID_BODY", "filters[0].filters[0].session_did"] as const),
  ],
])("%j is refused by name", async (item, error, field) => {
  const body = { project: "shop", filters: [item] };
  const answer = await app.send("POST", "/query", { key: app.key, body });
  expect([answer.status, await answer.json()]).toMatchObject([400, { error, field }]);
});
test("takes names and filters up to their limits", async () => {
  for (const word of ["session_did", "did"]) {
    expect(await pages([{ [word]: "x".repeat(256) }])).toEqual([]);
  }
  const filters = Array(20).fill(isView);
  expect(await pages([{ session_did: "page_view", filters }])).toHaveLength(3);
});
