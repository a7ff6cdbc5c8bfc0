import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { Sockets } from "../../../test/support/app/live-socket";
import { liveHeartbeatMs } from "../../domain/limits";
import { secondMs } from "../../lib/clock";
import type { StandardSchema } from "../../lib/schema";
import { SocketMessage } from "./schema";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const sockets = new Sockets(() => app);
const open = sockets.open.bind(sockets);
afterEach(() => sockets.close());

let made = 0;
const makeProject = () => app.makeProject(`p${++made}`);

/** The first list is that of `track`, the second that of `snapshot`. */
const untrusted = [
  ...["event", "properties", "user_id", "session_id", "top_pages[].path", "top_events[].event"],
  ...["event", "properties", "user_id", "session_id"].map((name) => `recent_events[].${name}`),
];
const everything = { events: [], filter: {} };

describe("a socket", () => {
  test("is told each event as /events shows it, once, in order", async () => {
    const shop = await makeProject();
    const socket = await open(`project=${shop.id}`);
    expect(await socket.next()).toEqual({
      ...{ type: "connected", project: shop.name, filters: everything, untrusted },
    });
    await app.track(shop, { event: "a", user_id: "ü", properties: { n: [1] } }, { event: "b" });
    await app.track(shop, { event: "c" });
    const { events } = (await app.get(`/events?project=${shop.id}&since=1d`)) as {
      events: readonly Json[];
    };
    const shown = events.map(({ project_id: _project, date: _date, ...event }) => ({
      ...{ type: "track", ...event, project: shop.name },
    }));
    expect(await socket.take(3)).toEqual(shown.toReversed());
  });

  test("says what its schema says", async () => {
    const shop = await makeProject();
    const socket = await open(`project=${shop.id}&snapshot=2`);
    await app.track(shop, { event: "a", properties: { path: "/" } });
    socket.send({ type: "ping" });
    socket.send({ type: "dance" });
    app.setTime(noonMs + liveHeartbeatMs);
    const said = await socket.take(7);
    expect(new Set(said.map(({ type }) => type))).toEqual(
      new Set(["connected", "snapshot", "track", "pong", "error", "heartbeat"]),
    );
    const { validate } = (SocketMessage as StandardSchema<unknown>)["~standard"];
    for (const message of said)
      expect([message, validate(message)]).toMatchObject([message, { value: message }]);
  });

  test("filters as /stream does, by its parameters and by what is subscribed later", async () => {
    const [shop, other] = [await makeProject(), await makeProject()];
    const socket = await open(`project=${shop.id}&events=a,b&filter=plan:pro`);
    expect(await socket.next()).toMatchObject({
      filters: { events: ["a", "b"], filter: { plan: "pro" } },
    });
    const sent = [
      { event: "a", properties: { plan: "pro" } },
      { event: "b", properties: { plan: "free", n: 1.5, flag: true } },
      { event: "c", properties: { plan: "pro" } },
    ];
    await app.track(shop, ...sent);
    expect(await socket.next()).toMatchObject({ type: "track", event: "a" });

    socket.send({ type: "subscribe", filter: { n: 1.5, flag: true } });
    expect(await socket.next()).toEqual({
      ...{ type: "connected", project: shop.name, untrusted },
      filters: { events: [], filter: { n: "1.5", flag: "true" } },
    });
    await app.track(shop, ...sent);
    expect(await socket.next()).toMatchObject({ event: "b" });

    socket.send({ type: "subscribe", project: other.name, events: ["c"], filter: null });
    expect(await socket.next()).toMatchObject({ type: "connected", project: other.name });
    await app.track(shop, ...sent);
    await app.track(other, ...sent);
    expect(await socket.next()).toMatchObject({ event: "c", project: other.name });
    // No project: that of before.
    socket.send({ type: "subscribe", project: null });
    expect(await socket.next()).toMatchObject({ project: other.name, filters: everything });
  });

  test("answers a ping, and says what is wrong without closing", async () => {
    const socket = await open("");
    await socket.next();
    socket.send({ type: "ping" });
    expect(await socket.next()).toEqual({ type: "pong" });
    const wrong: readonly [Json, string][] = [
      [{ type: "dance" }, "INVALID_BODY"],
      [{ type: "auth", token: app.key }, "INVALID_BODY"],
      [{ type: "subscribe", events: [""] }, "MISSING_FIELDS"],
      [{ type: "subscribe", events: ["x".repeat(257)] }, "MISSING_FIELDS"],
      [{ type: "subscribe", filter: { plan: null } }, "MISSING_FIELDS"],
      [{ type: "subscribe", filter: { "": "x" } }, "MISSING_FIELDS"],
      [{ type: "subscribe", event: ["a"] }, "INVALID_BODY"],
    ];
    for (const [message, error] of wrong) {
      socket.send(message);
      expect(await socket.next()).toMatchObject({ type: "error", error });
    }
    socket.send({ type: "ping" });
    expect(await socket.next()).toEqual({ type: "pong" });
  });

  test("sends a snapshot at once and then at its interval, which is clamped", async () => {
    const shop = await makeProject();
    const socket = await open(`project=${shop.id}&snapshot=1`);
    await socket.next();
    const body = await app.get(`/live?project=${shop.id}`);
    expect(await socket.next()).toEqual({ type: "snapshot", ...body });
    await app.track(shop, { event: "a", user_id: "ann" });
    expect(await socket.next()).toMatchObject({ type: "track" });
    app.setTime(noonMs + 2 * secondMs);
    expect(await socket.next()).toMatchObject({ type: "snapshot", active_visitors: 1 });
    const seldom = await open(`project=${shop.id}&snapshot=1000`);
    expect((await seldom.take(2)).map(({ type }) => type)).toEqual(["connected", "snapshot"]);
    app.setTime(noonMs + 32 * secondMs);
    expect(await seldom.next()).toEqual({ type: "heartbeat" });
    app.setTime(noonMs + 61 * secondMs);
    await Bun.sleep(30);
    seldom.send({ type: "ping" });
    expect(await seldom.next()).toEqual({ type: "pong" });
    app.setTime(noonMs + 62 * secondMs);
    const both = await seldom.take(2);
    expect(both.map(({ type }) => type)).toEqual(["heartbeat", "snapshot"]);
    const never = await open(`project=${shop.id}&snapshot=off`);
    await never.next();
    never.send({ type: "ping" });
    expect(await never.next()).toEqual({ type: "pong" });
  });

  test("hears a heartbeat every 30 s", async () => {
    const socket = await open("");
    await socket.next();
    app.setTime(noonMs + liveHeartbeatMs);
    expect(await socket.next()).toEqual({ type: "heartbeat" });
  });
});
