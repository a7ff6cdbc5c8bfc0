import { afterEach, beforeEach, expect, test } from "bun:test";
import { type App, createApp } from "../../src/app";
import { OpenSessions } from "../../src/ingest/dialects/visitors/open-sessions";
import { hourMs, minuteMs, secondMs } from "../../src/lib/clock";
import type { TestApp } from "../support/app/app";
import { receivedAtMs } from "./samples";
import { openApp, type SourceWorld, sourceOf } from "./world";

let app: TestApp;
beforeEach(async () => {
  app = await openApp();
});
afterEach(() => app.close());

const browser = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  origin: "https://garten.example",
};

interface Message {
  readonly id: string;
  readonly ageMs: number;
  readonly userId?: string;
}

/** Sends messages of Segment in a batch, with the same texts each time. */
async function sendSegment(world: SourceWorld, messages: readonly Message[]): Promise<void> {
  const batch = messages.map(({ id, ageMs, userId = "u" }) => ({
    ...{ type: "track", event: "x", anonymousId: userId, messageId: id },
    timestamp: new Date(receivedAtMs - ageMs).toISOString(),
  }));
  const answer = await world.send("POST", "/v1/batch", {
    body: { batch },
    headers: browser,
  });
  expect(answer.status).toBe(200);
}

async function sendMixpanel(world: SourceWorld, messages: readonly Message[]): Promise<void> {
  const body = messages.map(({ id, ageMs, userId = "u" }) => ({
    event: "x",
    properties: {
      distinct_id: userId,
      $insert_id: id,
      time: receivedAtMs - ageMs,
    },
  }));
  const answer = await world.send("POST", "/track", { body, headers: browser });
  expect(answer.status).toBe(200);
}

/** Sends to an app on the same stores that remembers nothing of the requests before its start. */
function atStarted(started: App, world: SourceWorld): SourceWorld {
  const send: SourceWorld["send"] = async (method, path, { body, headers } = {}) => {
    const url = `http://localhost:3000/in/${world.source.id}${path}`;
    return started.handle(new Request(url, { method, headers, body: JSON.stringify(body) }));
  };
  return { ...world, send };
}

async function storedIn(world: SourceWorld): Promise<readonly [events: number, sessions: number]> {
  const events = await world.events();
  return [events.length, new Set(events.map(({ session_id }) => session_id)).size];
}

for (const [kind, send] of [
  ["segment", sendSegment],
  ["mixpanel", sendMixpanel],
] as const) {
  test(`a batch of ${kind} that comes again is stored once, whatever the times of its items`, async () => {
    const world = await sourceOf(app, kind);
    const batch = [
      { id: "late", ageMs: 40 * minuteMs },
      { id: "now", ageMs: 0 },
    ];
    for (let at = 0; at < 3; at++) await send(world, batch);
    await send(world, [...batch, ...batch]);
    expect(await storedIn(world)).toEqual([2, 2]);
    // By then the server has forgotten the sessions.
    app.setTime(receivedAtMs + 2 * hourMs);
    await send(world, batch);
    expect(await storedIn(world)).toEqual([2, 2]);
  });
}

test("a session that the sender names stays a part of what tells a repeat", async () => {
  const world = await sourceOf(app, "posthog");
  for (const session of ["one", "two", "two"]) {
    const properties = { distinct_id: "u", $session_id: session };
    const body = { event: "x", uuid: "same", properties };
    expect((await world.send("POST", "/e", { body, headers: browser })).status).toBe(200);
  }
  expect(await storedIn(world)).toEqual([2, 2]);
});

test("after a restart what was acknowledged is not stored again, and visits go on", async () => {
  const segment = await sourceOf(app, "segment");
  const mixpanel = await sourceOf(app, "mixpanel");
  const old = { id: "old", ageMs: 50 * minuteMs, userId: "other" };
  const linked = [{ id: "before", ageMs: 0, userId: "an7" }];
  const ahead = [{ id: "ahead", ageMs: -120 * secondMs }];
  const identify = { type: "identify", anonymousId: "an7", userId: "u7" };
  const sendAll = async (toSegment: SourceWorld, toMixpanel: SourceWorld) => {
    await sendSegment(toSegment, [old]);
    await sendSegment(toSegment, linked);
    const call = { body: identify, headers: browser };
    expect((await toSegment.send("POST", "/v1/i", call)).status).toBe(200);
    await sendMixpanel(toMixpanel, ahead);
  };
  await sendAll(segment, mixpanel);
  const started = createApp(app.deps, secondMs);
  const [toSegment, toMixpanel] = [atStarted(started, segment), atStarted(started, mixpanel)];
  await sendAll(toSegment, toMixpanel);
  await sendMixpanel(toMixpanel, [{ id: "next", ageMs: 0 }]);
  await started.close();
  expect(await storedIn(segment)).toEqual([2, 2]);
  expect(await storedIn(mixpanel)).toEqual([2, 1]);
});

test("items that come late do not end the live visit, and belong to one of their own", async () => {
  const world = await sourceOf(app, "umami");
  for (const ageMs of [0, hourMs, 0, 0, hourMs - minuteMs, 0]) {
    const timestamp = (receivedAtMs - ageMs) / secondMs;
    const payload = {
      website: "w",
      url: "/a",
      hostname: "garten.example",
      timestamp,
    };
    const body = { type: "event", payload };
    expect((await world.send("POST", "/api/send", { body, headers: browser })).status).toBe(200);
  }
  expect(await storedIn(world)).toEqual([6, 2]);
});

test("an identify that comes again, as on every page, leaves the visit as it is", () => {
  const sessions = new OpenSessions();
  const id = sessions.join("p", "anon", 0);
  for (let at = 0; at <= 5; at++) {
    sessions.handOver("p", "anon", "u");
    expect(sessions.join("p", "u", at * 25 * minuteMs)).toBe(id);
  }
  const second = sessions.join("p", "u", 200 * minuteMs);
  expect(second).not.toBe(id);
  sessions.handOver("p", "anon", "u");
  expect(sessions.join("p", "u", 201 * minuteMs)).toBe(second);
});
