import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type Call, type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { named, namesOf, Streams } from "../../../test/support/app/event-stream";
import { ownerOf } from "../../../test/support/app/owner";
import { account } from "../../store/control/tables";
import { liveEventsMax, liveKeptMs } from "../../store/live/live-buffer";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const streams = new Streams(() => app);
const listen = streams.listen.bind(streams);
const refusal = streams.refusal.bind(streams);
afterEach(() => streams.close());

let made = 0;
const makeProject = () => app.makeProject(`p${++made}`);

const after = (id: unknown, key = app.key): Call => ({
  key,
  headers: { "last-event-id": String(id) },
});

describe("GET /stream", () => {
  test("says what it listens to, then tells each event as /events shows it", async () => {
    const shop = await makeProject();
    const reader = await listen(`project=${shop.id}`);
    expect(await reader.next()).toEqual({
      event: "connected",
      data: {
        ...{ project: shop.name, filters: { events: [], filter: {} } },
        untrusted: ["event", "properties", "user_id", "session_id"],
      },
    });
    await app.track(
      shop,
      { event: "a", user_id: "ü", session_id: "s\n1", properties: { text: "line\nfeed", n: [1] } },
      { event: "b" },
    );
    const frames = await reader.take(2);
    const { events } = (await app.get(`/events?project=${shop.id}&since=1d`)) as {
      events: readonly Json[];
    };
    const shown = events.map(({ project_id: _project, date: _date, ...event }) => ({
      event: "track",
      id: event.id,
      data: { ...event, project: shop.name },
    }));
    expect(frames as unknown[]).toEqual(shown.toReversed());
  });

  test("has the headers of a stream that nothing buffers, and counts as a read", async () => {
    const shop = await makeProject();
    const reads = async () => ((await app.get("/account")) as { usage: Json }).usage.reads;
    const before = Number(await reads());
    const answer = await app.open(`/stream?project=${shop.id}`, { key: app.key });
    await answer.body?.cancel();
    const header = (name: string) => answer.headers.get(name);
    expect([header("content-type"), header("cache-control"), header("x-accel-buffering")]).toEqual([
      ...["text/event-stream", "no-store", "no"],
    ]);
    expect(header("access-control-allow-origin")).toBe("*");
    expect(Number(header("x-monthly-usage"))).toBeGreaterThan(0);
    expect(await reads()).toBe(before + 1);
    const head = await app.send("HEAD", "/stream", { key: app.key });
    expect([head.status, head.headers.get("allow")]).toEqual([405, "GET, OPTIONS"]);
  });

  test("without a project it is the oldest; an unknown one is refused", async () => {
    const reader = await listen("");
    const first = app.deps.control.projects.ofAccount(accountId())[0];
    expect((await reader.next())?.data).toMatchObject({ project: first?.name });
    expect(await refusal("project=nowhere")).toEqual([404, "NOT_FOUND"]);
    expect(await refusal("", {})).toEqual([401, "AUTH_REQUIRED"]);
  });

  test("is open to an agent session with live:read, and to the dashboard", async () => {
    const session = (scopes: readonly string[]) =>
      app.deps.control.agents.addSession(
        { ...ownerOf(app.deps.control, accountId()), scopes: [...scopes], clientType: "cli" },
        noonMs,
      ).accessToken;
    const bearer = (token: string): Call => ({ headers: { authorization: `Bearer ${token}` } });
    await (await listen("", bearer(session(["live:read"])))).next();
    const own = { cookie: app.cookie, origin: "http://localhost:3000" };
    await (await listen("", { headers: own })).next();
    expect(await refusal("", bearer(session(["analytics:read"])))).toEqual([403, "FORBIDDEN"]);
  });
});

describe("the cookie of the dashboard", () => {
  const refused = [403, "CSRF_FAILED"];
  const ask = (headers: Readonly<Record<string, string>>) =>
    refusal("", { headers: { cookie: app.cookie, ...headers } });

  test("is good for a page of ours only, as it would take the account's places for any other", async () => {
    expect(await ask({})).toEqual(refused);
    for (const origin of ["https://evil.example", "http://localhost:3001", "null"]) {
      expect(await ask({ origin })).toEqual(refused);
      expect(await ask({ origin, "sec-fetch-site": "same-origin" })).toEqual(refused);
    }
    for (const site of ["same-site", "cross-site", "none"]) {
      expect(await ask({ "sec-fetch-site": site })).toEqual(refused);
    }
    expect(app.deps.metrics.liveConnections).toBe(0);
    const page = { cookie: app.cookie, "sec-fetch-site": "same-origin" };
    expect((await (await listen("", { headers: page })).next())?.event).toBe("connected");
    expect(await refusal("", { headers: { cookie: "sl_session=x" } })).toEqual([
      401,
      "INVALID_TOKEN",
    ]);
  });
});

describe("what passes", () => {
  const filters: readonly [query: string, passing: readonly string[]][] = [
    ["events=a", ["a"]],
    ["events=a,c", ["a", "c"]],
    ["events=A", []],
    ["events=", ["a", "b", "c", "d"]],
    ["filter=user_id:ann", ["a", "b"]],
    ["filter=session_id:s:1", ["b"]],
    ["filter=country:DE", []],
    ["filter=plan:pro", ["a", "c"]],
    ["filter=plan:pro;user_id:ann", ["a"]],
    ["filter=n:1.5", ["b"]],
    ["filter=n:1.50", []],
    ["filter=flag:true", ["c"]],
    ["filter=list:[1,%22x%22]", ["c"]],
    ["filter=none:null", []],
    ["filter=none:", []],
    ["filter=empty:", ["d"]],
    ["filter=event:a", []],
    ["filter=timestamp:1", ["d"]],
    ["filter=__proto__:x", ["d"]],
    ["events=a,d&filter=plan:pro", ["a"]],
  ];
  test("is told, and nothing else: live and again after a reconnect", async () => {
    const shop = await makeProject();
    const sent = [
      { event: "zero" },
      { event: "a", user_id: "ann", properties: { plan: "pro" } },
      { event: "b", user_id: "ann", session_id: "s:1", properties: { n: 1.5, none: null } },
      { event: "c", user_id: "bob", properties: { plan: "pro", flag: true, list: [1, "x"] } },
      JSON.parse('{"event":"d","properties":{"empty":"","timestamp":1,"__proto__":"x"}}'),
    ];
    for (const [query, passing] of filters) {
      const reader = await listen(`project=${shop.id}&${query}`);
      await reader.next();
      await app.track(shop, ...sent);
      const all = (await app.get(`/live?project=${shop.id}`)).recent_events as readonly Json[];
      const zero = all.find(({ event }) => event === "zero");
      const wanted = passing.length === 4 ? ["zero", ...passing] : passing;
      expect([query, namesOf(await reader.take(wanted.length))]).toEqual([query, [...wanted]]);
      await reader.cancel();
      const again = await listen(`project=${shop.id}&${query}`, after(zero?.id));
      await again.next();
      expect([query, namesOf(await again.take(passing.length))]).toEqual([query, [...passing]]);
      await again.cancel();
    }
  });

  test("is what `connected` says", async () => {
    const reader = await listen("events=b,a&filter=plan:pro;x:a:b");
    expect((await reader.next())?.data).toMatchObject({
      filters: { events: ["b", "a"], filter: { plan: "pro", x: "a:b" } },
    });
  });

  test("has to be well formed", async () => {
    const long = (length: number) => "k".repeat(length);
    const pairs = (count: number) => Array.from({ length: count }, (_, at) => `k${at}:v`).join(";");
    const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`).join(",");
    const fine = [
      `filter=${long(128)}:v`,
      `filter=${pairs(20)}`,
      `events=${names(100)}`,
      `events=${long(256)}`,
    ];
    for (const query of fine) await (await listen(query)).cancel();
    const wrong: readonly [string, string][] = [
      ["filter=plan", "filter"],
      ["filter=plan:pro;", "filter"],
      ["filter=:pro", "filter"],
      ["filter=plan:pro;plan:free", "filter"],
      [`filter=${long(129)}:v`, "filter"],
      [`filter=${pairs(21)}`, "filter"],
      ["events=a,", "events"],
      ["events=,", "events"],
      [`events=${names(101)}`, "events"],
      [`events=${long(257)}`, "events"],
    ];
    for (const [query, field] of wrong) {
      const got = await refusal(query);
      expect([query.slice(0, 40), ...got]).toEqual([
        ...[query.slice(0, 40), 400, "MISSING_FIELDS", field],
      ]);
    }
  });
});

describe("Last-Event-ID", () => {
  test("brings what was missed, once, in order, and goes on with what comes", async () => {
    const shop = await makeProject();
    const reader = await listen(`project=${shop.id}`);
    await app.track(shop, ...named("1", "2", "3"));
    const [, one] = await reader.take(2);
    await reader.cancel();
    await app.track(shop, ...named("4"));
    const again = await listen(`project=${shop.id}`, after(one?.id));
    await app.track(shop, ...named("5", "6"));
    const [connected, ...frames] = await again.take(6);
    expect(connected?.event).toBe("connected");
    expect(namesOf(frames)).toEqual(["2", "3", "4", "5", "6"]);
  });

  test("that is not in the buffer brings nothing", async () => {
    const [shop, other] = [await makeProject(), await makeProject()];
    await app.track(shop, ...named("1", "2"));
    await app.track(other, ...named("1", "2"));
    const recent = (await app.get(`/live?project=${other.id}`)).recent_events as readonly Json[];
    for (const id of ["", "x", "0".repeat(26), "Z".repeat(26), recent[1]?.id]) {
      const reader = await listen(`project=${shop.id}`, after(id));
      await app.track(shop, ...named("new"));
      expect([id, namesOf((await reader.take(2)).slice(1))]).toEqual([id, ["new"]]);
    }
  });

  test("brings all that is left across both edges of the buffer", async () => {
    const shop = await makeProject();
    const batch = (from: number) =>
      app.track(shop, ...Array.from({ length: 100 }, (_, at) => ({ event: `e${from + at}` })));
    const first = await listen(`project=${shop.id}`);
    await batch(0);
    const [, , lost, kept] = await first.take(4);
    await first.cancel();
    for (let from = 100; from < liveEventsMax; from += 100) await batch(from);
    await app.track(shop, ...named("x", "y"));
    const reader = await listen(`project=${shop.id}`, after(kept?.id));
    const frames = (await reader.take(1 + liveEventsMax - 3 + 2)).slice(1);
    const numbers = Array.from({ length: liveEventsMax - 3 }, (_, at) => `e${at + 3}`);
    expect(namesOf(frames)).toEqual([...numbers, "x", "y"]);
    const none = await listen(`project=${shop.id}`, after(lost?.id));
    await app.track(shop, ...named("z"));
    expect(namesOf((await none.take(2)).slice(1))).toEqual(["z"]);

    const last = frames.at(-1)?.id;
    app.setTime(noonMs + liveKeptMs);
    const late = await listen(`project=${shop.id}`, after(last));
    await app.track(shop, ...named("much later"));
    expect(namesOf((await late.take(2)).slice(1))).toEqual(["much later"]);
  });
});

const accountId = (): string => {
  const row = app.deps.control.db.select({ id: account.id }).from(account).get();
  return row?.id ?? "";
};
