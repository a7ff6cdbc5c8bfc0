import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { type EventReader, named, namesOf, Streams } from "../../../test/support/app/event-stream";
import { addMember } from "../../../test/support/app/members";
import { ownerOf } from "../../../test/support/app/owner";
import { liveFramesBehindMax, liveHeartbeatMs } from "../../domain/limits";
import type { Standing } from "../../domain/role";
import { member } from "../../store/control/member-tables";
import { account } from "../../store/control/tables";
import { liveInactivityMs, liveRecheckMs } from "./authorization";
import { liveConnectionsMax } from "./connections";

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

const reasonOf = async (reader: EventReader) => (await reader.rest()).at(-1);
const disconnect = (reason: string) => ({ event: "disconnect", data: { reason } });

describe("a stream ends", () => {
  test("by the client; heartbeats come meanwhile", async () => {
    const shop = await makeProject();
    const reader = await listen(`project=${shop.id}`);
    await reader.next();
    expect(app.deps.metrics.liveConnections).toBe(1);
    app.setTime(noonMs + liveHeartbeatMs);
    expect(await reader.next()).toEqual({ comment: "heartbeat" });
    app.setTime(noonMs + 2 * liveHeartbeatMs);
    expect(await reader.next()).toEqual({ comment: "heartbeat" });
    await reader.cancel();
    expect(app.deps.metrics.liveConnections).toBe(0);
  });

  test("after 30 minutes without a matching event", async () => {
    const shop = await makeProject();
    const [all, some] = [
      await listen(`project=${shop.id}`),
      await listen(`project=${shop.id}&events=never`),
    ];
    app.setTime(noonMs + liveInactivityMs - 1);
    await app.track(shop, ...named("just in time"));
    expect((await all.take(3)).map(({ event, comment }) => event ?? comment)).toContain("track");
    app.setTime(noonMs + liveInactivityMs);
    expect(await reasonOf(some)).toEqual(disconnect("inactivity"));
    app.setTime(noonMs + 2 * liveInactivityMs - 2);
    await app.track(shop, ...named("again"));
    app.setTime(noonMs + 3 * liveInactivityMs - 2);
    const frames = await all.rest();
    expect(namesOf(frames.filter(({ event }) => event === "track"))).toEqual(["again"]);
    expect(frames.at(-1)).toEqual(disconnect("inactivity"));
  });

  test("when the plan is lost", async () => {
    const reader = await listen("");
    await reader.next();
    const change = (complimentary: boolean, tier: "free" | "pro") =>
      app.deps.control.write(() => {
        app.deps.control.db.update(account).set({ complimentary, tier }).run();
      });
    change(false, "free");
    expect(await reasonOf(reader)).toEqual(disconnect("plan"));
    expect(await refusal("")).toEqual([403, "PRO_REQUIRED"]);
    change(true, "pro");
  });

  test("when its project is deleted, whose events are forgotten", async () => {
    const shop = await makeProject();
    await app.track(shop, ...named("1"));
    const reader = await listen(`project=${shop.id}`);
    await reader.next();
    await app.send("DELETE", `/projects/${shop.id}`, { key: app.key });
    expect(await reasonOf(reader)).toEqual(disconnect("project_deleted"));
    expect(app.deps.feed.buffer.has(shop.id)).toBe(false);
    // This event was on its way when the project was deleted.
    app.deps.feed.add({
      ...{
        projectId: shop.id,
        receivedAtMs: noonMs,
        count: 1,
        bytes: 1,
        lastId: "x",
        lastTimeMs: noonMs,
      },
      read: () => [],
    });
    expect(app.deps.feed.buffer.has(shop.id)).toBe(false);
  });

  test("when the server stops", async () => {
    const reader = await listen("");
    app.hangUp();
    expect((await reader.rest()).at(-1)).toEqual(disconnect("shutdown"));
    expect(app.deps.metrics.liveConnections).toBe(0);
  });

  test("when its client stops reading: memory is bounded", async () => {
    const shop = await makeProject();
    const [slow, fast] = [
      await listen(`project=${shop.id}`),
      await listen(`project=${shop.id}&filter=last:yes`),
    ];
    const many = (count: number) =>
      app.track(shop, ...Array.from({ length: count }, () => ({ event: "e" })));
    // `connected` waits as well.
    for (let sent = 1; sent < liveFramesBehindMax; sent += 100) await many(100);
    expect(app.deps.metrics.liveConnections).toBe(2);
    await many(100);
    expect(app.deps.metrics.liveConnections).toBe(1);
    expect(await slow.rest()).toEqual([]);
    await app.track(shop, { event: "e", properties: { last: "yes" } });
    expect((await fast.take(2)).length).toBe(2);
  });
});

test("an account has 10 connections, another account its own", async () => {
  const open: EventReader[] = [];
  for (let count = 0; count < liveConnectionsMax; count++) open.push(await listen(""));
  const answer = await app.send("GET", "/stream", { key: app.key });
  const body = (await answer.json()) as { error: string; message: string };
  expect([answer.status, body.error]).toEqual([429, "STREAM_LIMIT"]);
  expect(body.message).toContain("maximum 10 concurrent streams");
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  await open[0]?.cancel();
  await listen("");
  expect((await app.send("GET", "/stream", { key: app.key })).status).toBe(429);
});

test("a stream ends when its agent session is revoked", async () => {
  const made = {
    ...ownerOf(app.deps.control, accountId()),
    scopes: ["live:read"],
    clientType: "cli",
  };
  const agent = app.deps.control.agents.addSession(made, noonMs);
  const reader = await listen("", { headers: { authorization: `Bearer ${agent.accessToken}` } });
  await reader.next();
  await app.post("/agent-sessions/revoke", { session_id: agent.id });
  expect(await reasonOf(reader)).toEqual(disconnect("revoked"));
});

test("a stream ends when its member may not see single visitors, or the project, any more", async () => {
  const { control } = app.deps;
  const changes: readonly Partial<Standing>[] = [{ people: false }, { projects: [] }];
  for (const change of changes) {
    const standing = { role: "viewer", people: true, projects: null } as const;
    const { cookie, key, personId } = await addMember(app, standing);
    const readers = await Promise.all([listen("", cookie), listen("", key)]);
    for (const reader of readers) await reader.next();
    control.write(() => {
      control.db.update(member).set(change).where(eq(member.personId, personId)).run();
    });
    for (const reader of readers) expect(await reasonOf(reader)).toEqual(disconnect("revoked"));
  }
});

// The last one: it takes the key away that all others use.
test("a stream ends with its credential: a revoked key, an access token that expires", async () => {
  const agent = app.deps.control.agents.addSession(
    { ...ownerOf(app.deps.control, accountId()), scopes: ["live:read"], clientType: "cli" },
    noonMs,
  );
  const short = await listen("", { headers: { authorization: `Bearer ${agent.accessToken}` } });
  const keyed = await listen("");
  await Promise.all([short.next(), keyed.next()]);
  const headers = { cookie: app.cookie, origin: "http://localhost:3000" };
  await app.send("POST", "/account/revoke-key", { headers });
  expect(await reasonOf(keyed)).toEqual(disconnect("revoked"));
  app.setTime(agent.accessExpiresAtMs + liveRecheckMs);
  const frames = await short.rest();
  expect(frames.at(-1)).toEqual(disconnect("revoked"));
});

const accountId = (): string => {
  const row = app.deps.control.db.select({ id: account.id }).from(account).get();
  return row?.id ?? "";
};
