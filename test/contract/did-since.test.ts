import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMs, minuteMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";
import { callTool } from "../support/app/mcp";

let app: TestApp;
const dateOf = (daysAgo: number): string =>
  new Date(noonMs - daysAgo * dayMs).toISOString().slice(0, 10);

/** All three visit today and eight days ago; one has bought 20 days ago, one today, one never. */
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  const event = (user: string, name: string, daysAgo: number, path = "/") => ({
    ...{ event: name, user_id: user, session_id: `${user}${daysAgo}`, properties: { path } },
    timestamp: noonMs - daysAgo * dayMs - minuteMs,
  });
  await app.track(
    shop,
    ...["early", "late", "never"].flatMap((user) => [
      event(user, "visit", 0),
      event(user, "visit", 8),
    ]),
    event("early", "buy", 20, "/sale"),
    event("late", "buy", 0),
  );
});
afterAll(() => app.close());

const ask = async (filters: readonly Json[], more: Json = {}): Promise<readonly unknown[]> => {
  const body = { project: "shop", group_by: ["user_id"], date_from: "7d", filters, ...more };
  const { rows } = (await app.post("/query", body)) as { rows: Json[] };
  return rows.map(({ user_id: user }) => user).sort();
};

describe("did", () => {
  test("looks within the window of the read alone, and from `since` on where it is given", async () => {
    expect(await ask([{ did: "buy" }])).toEqual(["late"]);
    expect(await ask([{ did: "buy", since: "90d" }])).toEqual(["early", "late"]);
    expect(await ask([{ did_not: "buy", since: "90d" }])).toEqual(["never"]);
    expect(await ask([{ any: [{ did: "buy", since: "90d" }, { did: "none" }] }])).toHaveLength(2);
  });

  test("takes the first date, however it is written", async () => {
    for (const since of ["20d", dateOf(20), `${dateOf(20)}T23:00:00Z`]) {
      expect([since, await ask([{ did: "buy", since }])]).toEqual([since, ["early", "late"]]);
    }
    for (const since of ["19d", dateOf(19), "0d", dateOf(0)]) {
      expect([since, await ask([{ did: "buy", since }])]).toEqual([since, ["late"]]);
    }
    // After the window nobody can have done anything.
    expect(await ask([{ did: "buy", since: dateOf(-1) }])).toEqual([]);
  });

  test("counts days from the read's last date, and ends there", async () => {
    const past = { date_from: "8d", date_to: "8d" };
    expect(await ask([{ did: "buy", since: "12d" }], past)).toEqual(["early"]);
    expect(await ask([{ did: "buy", since: "11d" }], past)).toEqual([]);
  });

  test("has the window of each of two periods", async () => {
    const body = { project: "shop", metrics: ["unique_users"], date_from: "0d" };
    const compare = { date_from: "8d", date_to: "8d" };
    const usersOf = async (since: string) => {
      const filters = [{ did: "buy", since }, isVisit];
      const { rows } = (await app.post("/query", { ...body, compare, filters })) as {
        rows: Json[];
      };
      const [row = {}] = rows;
      return [row.unique_users, (row.previous as Json).unique_users];
    };
    expect(await usersOf("12d")).toEqual([1, 1]);
    expect(await usersOf("20d")).toEqual([2, 1]);
    expect(await usersOf(dateOf(20))).toEqual([2, 1]);
  });

  test("knows the sessions of the events that it looks at", async () => {
    const onPage = (value: string) => [{ field: "session.entry_page", op: "eq", value }];
    const did = { did: "buy", since: "90d" };
    expect(await ask([{ ...did, filters: onPage("/sale") }])).toEqual(["early"]);
    expect(await ask([{ ...did, filters: onPage("/nowhere") }])).toEqual([]);
  });

  test("is of the dates of the read's zone", async () => {
    // Noon in UTC, a minute before which it happened, is the next date in Kiritimati.
    const tz = "Pacific/Kiritimati";
    const since = dateOf(19);
    expect(await ask([{ did: "buy", since }], { tz })).toEqual(["early", "late"]);
    expect(await ask([{ did: "buy", since }])).toEqual(["late"]);
  });

  test("works in reads by GET, in /retention and in tools", async () => {
    const filters = (since: string) => JSON.stringify([{ did: "buy", since }]);
    const get = (path: string, since: string) =>
      app.get(`/${path}&filters=${encodeURIComponent(filters(since))}`);
    const users = async (since: string) =>
      ((await get("stats?project=shop&since=7d", since)).totals as Json).unique_users;
    expect([await users("7d"), await users("20d")]).toEqual([1, 2]);
    const analyzed = async (since: string) =>
      (await get("retention?project=shop&period=day&cohorts=30", since)).users_analyzed;
    expect([await analyzed("7d"), await analyzed("20d")]).toEqual([1, 2]);
    const asked = { project: "shop", filters: filters("20d") };
    const { structuredContent } = await callTool(app, "overview", asked);
    expect((structuredContent.answer.totals as Json).unique_users).toBe(2);
  });

  test("is told by a receipt with its date", async () => {
    const filters = [{ did: "buy", since: "20d" }];
    const asked = { project: "shop", filters };
    const { receipt } = (await app.post("/query?receipt=true", asked)) as { receipt: Json };
    expect(receipt.filters).toEqual([{ did: "buy", since: dateOf(20) }]);
    const { body } = receipt.request as { body: Json };
    const again = (await app.post("/query?receipt=true", body)) as { receipt: Json };
    expect(again.receipt.body_sha256).toBe(receipt.body_sha256);
  });
});

const isVisit = { field: "event", op: "eq", value: "visit" };

test("`since` is a date of `did` and `did_not` alone", async () => {
  const refusal = async (filters: readonly Json[], more: Json = {}) => {
    const body = { project: "shop", filters, ...more };
    const answer = await app.send("POST", "/query", { key: app.key, body });
    const { error, field } = (await answer.json()) as Json;
    return [answer.status, error, field];
  };
  const place = "filters[0].since";
  for (const since of ["", "x", "2026-02-30", "3651d"]) {
    expect([since, await refusal([{ did: "buy", since }])]).toEqual([
      since,
      [400, "MISSING_FIELDS", place],
    ]);
  }
  expect(await refusal([{ did: "buy", since: 7 }])).toEqual([400, "INVALID_BODY", place]);
  const text = encodeURIComponent(JSON.stringify([{ did: "buy", since: 7 }]));
  const got = await app.send("GET", `/stats?project=shop&filters=${text}`, { key: app.key });
  expect(await got.json()).toMatchObject({ error: "MISSING_FIELDS", field: place });
  expect(await ask([{ did: "buy", since: "3650d" }])).toHaveLength(2);
  expect(await refusal([{ ...isVisit, since: "7d" }])).toEqual([400, "INVALID_BODY", place]);
  const goal = { metrics: ["conversions"], goal: { event: "buy", since: "7d" } };
  expect(await refusal([], goal)).toEqual([400, "INVALID_BODY", "goal.since"]);
});
