import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { visitorFields } from "../../src/domain/visitor-field";
import { dayMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, testApp } from "../support/app/app";

/** Fields of visitors over HTTP: their values, in which reads they are, and what changes them. */

let app: TestApp;

/** Sent `days` ago, in a session that is named after its user and that day. */
const event = (user: string | null, days: number, more: Json = {}) => ({
  event: "page_view",
  ...(user !== null && { user_id: user }),
  session_id: `${user}-${days}`,
  timestamp: noonMs - days * dayMs - 60_000,
  ...more,
});
const from = (source: string, path: string) => ({ utm_source: source, path });

/**
 * ann came from a newsletter and comes back from Google; bob is new today; someone without a user is here; cy has never
 * had a session.
 */
beforeAll(async () => {
  app = await testApp();
  const shop = await app.makeProject("shop");
  await app.track(
    shop,
    event("ann", 20, { properties: { ...from("letter", "/hello"), device: "mobile" } }),
    event("ann", 1, { properties: from("google", "/back") }),
    event("ann", 0, { event: "buy", properties: from("google", "/back") }),
    event("bob", 0, { properties: { referrer: "https://www.google.com/", path: "/" } }),
    event(null, 0, { properties: from("letter", "/") }),
    { ...event("cy", 0), session_id: undefined },
  );
});
afterAll(() => app.close());

const dateOf = (days: number): string => new Date(noonMs - days * dayMs).toISOString().slice(0, 10);

/** The events of each value, of the last seven dates unless other ones are asked. */
async function counted(field: string, more: Json = {}): Promise<Record<string, unknown>> {
  const body = { project: "shop", count_mode: "raw", group_by: [field], ...more };
  const { rows } = (await app.post("/query", body)) as { rows: Json[] };
  return Object.fromEntries(rows.map((row) => [String(row[field]), row.event_count]));
}

describe("the values", () => {
  test("are those of the earliest stored session of the event's user", async () => {
    const values = Object.fromEntries(
      await Promise.all(visitorFields.map(async (field) => [field, await counted(field)])),
    );
    expect(values).toEqual({
      "session.visitor": { new: 1, returning: 2, null: 2 },
      "user.first_source": { letter: 2, Google: 1, null: 2 },
      "user.first_channel": { Referral: 2, "Organic Search": 1, null: 2 },
      "user.first_referrer": { "google.com": 1, null: 4 },
      "user.first_utm_source": { letter: 2, null: 3 },
      "user.first_utm_medium": { null: 5 },
      "user.first_utm_campaign": { null: 5 },
      "user.first_entry_page": { "/hello": 2, "/": 1, null: 2 },
      "user.first_country": { null: 5 },
      "user.first_device": { mobile: 2, null: 3 },
      "user.first_date": { [dateOf(20)]: 2, [dateOf(0)]: 1, null: 2 },
    });
  });
  test("are the same whatever the dates and the filters of the read are", async () => {
    const filters = [{ field: "event", op: "eq", value: "buy" }];
    expect(await counted("user.first_source", { filters })).toEqual({ letter: 1 });
    const dates = { date_from: "1d", date_to: "1d" };
    expect(await counted("session.visitor", dates)).toEqual({ returning: 1 });
    const first = { date_from: "20d", date_to: "20d" };
    expect(await counted("session.visitor", first)).toEqual({ new: 1 });
  });
  test("have the dates of the read's zone", async () => {
    const tz = { tz: "Pacific/Kiritimati" };
    expect(await counted("user.first_date", tz)).toEqual({
      [dateOf(19)]: 2,
      [dateOf(-1)]: 1,
      null: 2,
    });
    const filters = [{ field: "user.first_date", op: "gte", value: dateOf(0) }];
    expect(await counted("event", { filters, ...tz })).toEqual({ page_view: 1 });
    const byDate = { group_by: ["date", "session.visitor"], order: "asc", ...tz };
    const { rows } = await app.post("/query", { project: "shop", ...byDate });
    expect(rows).toMatchObject([
      { date: dateOf(0), "session.visitor": "returning", event_count: 1 },
      { date: dateOf(-1), "session.visitor": null },
      { date: dateOf(-1), "session.visitor": "new", event_count: 1 },
      { date: dateOf(-1), "session.visitor": "returning", event_count: 1 },
    ]);
  });
  test("stand beside each other, beside metrics of sessions and in a comparison", async () => {
    const metrics = ["unique_users", "session_count", "bounce_rate"];
    const group_by = ["session.visitor", "user.first_source"];
    const { rows } = await app.post("/query", { project: "shop", metrics, group_by });
    expect(rows).toEqual([
      { "session.visitor": null, "user.first_source": null, ...numbers(1, 1, 1) },
      { "session.visitor": "new", "user.first_source": "Google", ...numbers(1, 1, 1) },
      { "session.visitor": "returning", "user.first_source": "letter", ...numbers(1, 2, 0.5) },
    ]);
    const compare = { date_from: "20d", date_to: "20d" };
    const asked = { project: "shop", group_by: ["session.visitor"], date_from: "0d", compare };
    expect((await app.post("/query", asked)).rows).toMatchObject([
      { "session.visitor": null, event_count: 2, previous: { event_count: 0 } },
      { "session.visitor": "new", event_count: 1, previous: { event_count: 1 } },
      { "session.visitor": "returning", event_count: 1, previous: { event_count: 0 } },
    ]);
  });
});
const numbers = (users: number, sessions: number, bounces: number) => ({
  ...{ unique_users: users, session_count: sessions, bounce_rate: bounces },
});

describe("as a filter", () => {
  const events = async (field: string, op: string, value?: unknown) => {
    const filters = [{ field, op, ...(value !== undefined && { value }) }];
    return (await counted("event", { filters }))?.page_view ?? 0;
  };
  test("compares like the field of sessions, and like texts", async () => {
    expect(await events("user.first_source", "eq", "google.com")).toBe(1);
    expect(await events("user.first_source", "not_in", ["google"])).toBe(3);
    expect(await events("user.first_source", "is_null")).toBe(2);
    expect(await events("user.first_entry_page", "prefix", "/h")).toBe(1);
    expect(await events("user.first_date", "lt", dateOf(0))).toBe(1);
    expect(await events("session.visitor", "neq", "new")).toBe(1);
  });
  test("is in reads by GET, in steps, in goals and in other items", async () => {
    const filter = { field: "user.first_source", op: "eq", value: "letter" };
    const filters = encodeURIComponent(JSON.stringify([filter]));
    const of = (path: string) => app.get(`/${path}project=shop&filters=${filters}`);
    expect(await of("stats?")).toMatchObject({ totals: { unique_users: 1, total_events: 2 } });
    expect(await of("sessions?since=30d&")).toMatchObject({ sessions: [{}, {}, {}] });
    expect(await of("retention?period=day&cohorts=30&")).toMatchObject({ users_analyzed: 1 });
    const goal = { event: "page_view", filters: [filter] };
    const asked = { project: "shop", metrics: ["conversions"], goal };
    expect((await app.post("/query", asked)).rows).toEqual([{ conversions: 1 }]);
    const steps = [{ event: "page_view", filters: [filter] }, "buy"];
    const funnel = await app.post("/funnel", { project: "shop", steps, since: "3d" });
    expect(funnel.steps).toMatchObject([{ users: 1 }, { users: 1 }]);
    const inOthers = [{ did: "page_view", filters: [filter] }, { any: [filter, { did: "none" }] }];
    expect(await counted("user_id", { filters: inOthers })).toEqual({ ann: 2 });
  });
  test("is refused where it is misspelt, with what was meant", async () => {
    const refusal = async (field: string) => {
      const filters = [{ field, op: "eq", value: "a" }];
      const answer = await app.send("POST", "/query", {
        key: app.key,
        body: { project: "shop", filters },
      });
      const { error, suggested_field: meant } = (await answer.json()) as Json;
      return [error, meant];
    };
    for (const [field, meant] of [
      ["user.first_sorce", "user.first_source"],
      ["first_source", "user.first_source"],
      ["visitor", "session.visitor"],
      ["session.visitors", "session.visitor"],
    ] as const) {
      expect([field, await refusal(field)]).toEqual([field, ["INVALID_FILTER_FIELD", meant]]);
    }
  });
  test("of a share sees the sessions of the events that the others pass", async () => {
    const isFirst = { field: "session.visitor", op: "eq", value: "new" };
    const back = { field: "properties.path", op: "eq", value: "/back" };
    const shared = async (filters: readonly Json[]) => {
      const { url } = await app.post("/shares", { project: "shop", name: "S", filters });
      const headers = { authorization: `Bearer ${String(url).split("/").at(-1)}` };
      const body = { project: "shop", group_by: ["user.first_source"], date_from: "30d" };
      const answer = await app.send("POST", "/query", { headers, body });
      return ((await answer.json()) as { rows: Json[] }).rows.map(
        (row) => row["user.first_source"],
      );
    };
    expect(await shared([isFirst])).toEqual(["Google", "letter"]);
    expect(await shared([isFirst, back])).toEqual(["Google"]);
  });
});

test("a funnel is broken down by the value of the event used for step 1", async () => {
  const asked = { project: "shop", steps: ["page_view", "buy"], since: "3d" };
  const by = async (breakdown: string) => {
    const { breakdowns } = await app.post("/funnel", { ...asked, breakdown });
    return (breakdowns as { value: string; steps: Json[] }[]).map(({ value, steps }) => [
      value,
      ...steps.map(({ users }) => users),
    ]);
  };
  expect(await by("user.first_source")).toEqual([
    ["Google", 1, 0],
    ["letter", 1, 1],
    [null, 1, 0],
  ]);
  expect(await by("session.visitor")).toEqual([
    ["new", 1, 0],
    ["returning", 1, 1],
    [null, 1, 0],
  ]);
});

test("links and older events change the earliest session", async () => {
  const other = await app.makeProject("other");
  const asked = { project: "other", group_by: ["user.first_source"], date_from: "30d" };
  const sources = async () => {
    const { rows } = (await app.post("/query", asked)) as { rows: Json[] };
    return rows.map((row) => row["user.first_source"]);
  };
  await app.track(other, event("ann", 5, { properties: { utm_source: "five" } }));
  await app.track(other, event("anon", 10, { properties: { utm_source: "ten" } }));
  expect(await sources()).toEqual(["five", "ten"]);
  await app.post("/identify", { token: other.token, previous_id: "anon", user_id: "ann" });
  expect(await sources()).toEqual(["ten"]);
  await app.track(other, event("ann", 15, { properties: { utm_source: "fifteen" } }));
  expect(await sources()).toEqual(["fifteen"]);
  await app.post("/identities/unlink", { project: "other", previous_id: "anon" });
  expect(await sources()).toEqual(["fifteen", "ten"]);
});
