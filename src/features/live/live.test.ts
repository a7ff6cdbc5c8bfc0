import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { minuteMs, secondMs } from "../../lib/clock";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

let made = 0;
const project = () => app.makeProject(`p${++made}`);
const live = async (query: string): Promise<Json> => app.get(`/live?${query}`);

describe("GET /live", () => {
  test("without a project there is nothing to tell; then it is the oldest", async () => {
    const answer = await app.send("GET", "/live", { key: app.key });
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: "NOT_FOUND" }]);
    const first = await project();
    app.setTime(noonMs + 1);
    await project();
    app.setTime(noonMs);
    expect(await live("")).toEqual({
      project: first.name,
      window_seconds: 60,
      timestamp: noonMs,
      ...{ active_visitors: 0, active_sessions: 0, events_per_minute: 0 },
      ...{ top_pages: [], top_events: [], countries: [], recent_events: [] },
    });
  });

  test("tells who is there, where, and what they do", async () => {
    const shop = await project();
    const view = (user: string | null, session: string | null, path: unknown) => ({
      event: "page_view",
      ...(user === null ? {} : { user_id: user }),
      ...(session === null ? {} : { session_id: session }),
      properties: { path },
    });
    await app.track(
      shop,
      view("ann", "s1", "/"),
      view("ann", "s1", "/b"),
      view("ann", "s2", "/b"),
      view("bob", "s3", "/b"),
      view(null, "s4", "/c"),
      view(null, null, "/c"),
      view("cy", null, 7),
      view("cy", null, { deep: true }),
      { event: "signup", user_id: "ann" },
      { event: "click", user_id: "dan", timestamp: noonMs - 3 * 24 * 60 * minuteMs },
    );
    const told = await live(`project=${shop.id}`);
    expect(told).toMatchObject({
      project: shop.name,
      active_visitors: 3,
      active_sessions: 4,
      events_per_minute: 9,
      top_pages: [
        { path: "/b", visitors: 2 },
        { path: "/", visitors: 1 },
        { path: "7", visitors: 1 },
        { path: '{"deep":true}', visitors: 1 },
        { path: "/c", visitors: 0 },
      ],
      top_events: [
        { event: "page_view", count: 8 },
        { event: "signup", count: 1 },
      ],
      countries: [],
    });
    const { events } = (await app.get(`/events?project=${shop.id}&since=5d`)) as {
      events: readonly Json[];
    };
    const byId = new Map(
      events.map(({ project_id: _project, date: _date, ...event }) => [event.id, event]),
    );
    const recent = told.recent_events as readonly Json[];
    expect(recent.map(({ event }) => event)).toEqual([
      ...["click", "signup"],
      ...Array.from({ length: 8 }, () => "page_view"),
    ]);
    expect(recent).toEqual(recent.map(({ id }) => byId.get(id) ?? {}));
  });

  test("counts countries by visitors, sessions and events, without those that are not known", async () => {
    const world = await project();
    const from = (address: string, body: Json) =>
      app.send("POST", "/track", { from: address, body: { token: world.token, ...body } });
    // The addresses are of Germany, the United States and no country.
    await from("91.65.0.1", { event: "a", user_id: "u1", session_id: "s1" });
    await from("91.65.0.1", { event: "a", session_id: "s2" });
    await from("8.8.8.8", { event: "a", user_id: "u2", session_id: "s3" });
    await from("8.8.8.8", { event: "b", user_id: "u2", session_id: "s3" });
    await from("8.8.8.8", { event: "b", user_id: "u2", session_id: "s3" });
    await from("192.168.0.1", { event: "a", user_id: "u3", session_id: "s4" });
    expect((await live(`project=${world.id}`)).countries).toEqual([
      { country: "DE", visitors: 1, sessions: 2, events: 2 },
      { country: "US", visitors: 1, sessions: 1, events: 3 },
    ]);
  });

  test("shows at most 10 pages, events and last events", async () => {
    const busy = await project();
    const names = Array.from({ length: 12 }, (_, at) => `e${String(at).padStart(2, "0")}`);
    for (const name of names) {
      await app.track(busy, { event: name, user_id: name, properties: { path: `/${name}` } });
    }
    const told = (await live(`project=${busy.id}`)) as Record<string, readonly Json[]>;
    expect(told.top_pages?.map(({ path }) => path)).toEqual(names.slice(0, 10).map((n) => `/${n}`));
    expect(told.top_events?.map(({ event }) => event)).toEqual(names.slice(0, 10));
    expect(told.recent_events?.map(({ event }) => event)).toEqual(names.toReversed().slice(0, 10));
  });

  test("looks back by the events' own time; the window is clamped", async () => {
    const slow = await project();
    await app.track(slow, { event: "old", timestamp: noonMs - 1 });
    const perMinute = async (query: string) => {
      const told = await live(`project=${slow.id}&${query}`);
      return [told.window_seconds, told.events_per_minute, told.top_events] as const;
    };
    const seen = [{ event: "old", count: 1 }];
    app.setTime(noonMs + 10 * secondMs - 1);
    expect(await perMinute("window=10")).toEqual([10, 6, seen]);
    expect(await perMinute("window=1")).toEqual([10, 6, seen]);
    app.setTime(noonMs + 10 * secondMs);
    expect(await perMinute("window=10")).toEqual([10, 0, []]);
    expect(await perMinute("window=many")).toEqual([60, 1, seen]);
    app.setTime(noonMs + 5 * minuteMs - 1);
    // A fifth of an event a minute rounds to none.
    expect(await perMinute("window=300")).toEqual([300, 0, seen]);
    expect(await perMinute("window=100000")).toEqual([300, 0, seen]);
    app.setTime(noonMs + 5 * minuteMs);
    expect(await perMinute("window=300")).toEqual([300, 0, []]);
    app.setTime(noonMs);
  });

  test("history that is sent now is nobody now, and is among the last events", async () => {
    const imported = await project();
    const past = Array.from({ length: 20 }, (_, at) => ({
      ...{ event: "page_view", user_id: `u${at}`, session_id: `s${at}` },
      ...{ timestamp: noonMs - 61 * secondMs - at * 24 * 60 * minuteMs, properties: { path: "/" } },
    }));
    await app.track(imported, ...past);
    const empty = { active_visitors: 0, active_sessions: 0, events_per_minute: 0 };
    const none = { ...empty, top_pages: [], top_events: [], countries: [] };
    const told = await live(`project=${imported.id}`);
    expect(told).toMatchObject(none);
    expect(told.recent_events).toHaveLength(10);
    expect(await live(`project=${imported.id}&window=300`)).toMatchObject({ active_visitors: 1 });
  });

  test("an event ahead of the clock counts until its own time has left the window", async () => {
    const early = await project();
    await app.track(early, { event: "ahead", user_id: "ann", timestamp: noonMs + 2 * minuteMs });
    const visitors = async () => {
      const told = await live(`project=${early.id}`);
      return [told.active_visitors, (told.recent_events as readonly Json[]).length];
    };
    expect(await visitors()).toEqual([1, 1]);
    app.setTime(noonMs + 3 * minuteMs);
    expect(await visitors()).toEqual([1, 0]);
    app.setTime(noonMs + 3 * minuteMs + 1);
    expect(await visitors()).toEqual([0, 0]);
    app.setTime(noonMs);
  });

  test("shows people under the id that they were linked to, and neither bots nor repeats", async () => {
    const site = await project();
    const { token } = site;
    await app.post("/identify", { token, previous_id: "anon", user_id: "ann" });
    await app.track(site, { event: "a", user_id: "anon", event_id: "1" });
    await app.track(site, { event: "a", user_id: "anon", event_id: "1" });
    await app.send("POST", "/track", {
      headers: { "user-agent": "Googlebot/2.1 (+http://www.google.com/bot.html)" },
      body: { token, event: "a" },
    });
    const told = await live(`project=${site.id}`);
    expect(told.recent_events).toMatchObject([{ event: "a", user_id: "ann" }]);
    expect([told.active_visitors, told.events_per_minute]).toEqual([1, 1]);
  });

  test("has the project's context of today", async () => {
    const told = await project();
    const annotations = [
      { occurred_at: "2026-01-13T00:00:00Z", title: "yesterday" },
      { occurred_at: "2026-01-02T00:00:00Z", title: "long ago" },
    ];
    const answer = await app.send("PUT", "/project-context", {
      key: app.key,
      body: { project: told.id, goals: ["sell"], annotations },
    });
    expect(answer.status).toBe(200);
    expect((await live(`project=${told.id}`)).project_context).toMatchObject({
      goals: ["sell"],
      annotations: [{ title: "yesterday" }],
    });
  });
});
