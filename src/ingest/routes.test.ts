import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { noonMs, type TestApp, type TestProject, testApp } from "../../test/support/app/app";

let app: TestApp;
let project: TestProject;
let other: TestProject;
let token: string;

beforeAll(async () => {
  app = await testApp();
  other = await app.makeProject("other");
});
beforeEach(async () => {
  app.setTime(noonMs);
  project = await app.makeProject(`site-${crypto.randomUUID().slice(0, 8)}`);
  token = project.token;
});
afterAll(() => app.close());

type Json = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status: number;
  readonly body: Json;
}

async function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await app.send("POST", path, { body, headers });
  return { status: response.status, body: (await response.json()) as Json };
}
const track = (event: Json, headers?: Record<string, string>) =>
  post("/track", { token, ...event }, headers);
const batch = (events: readonly Json[], headers?: Record<string, string>) =>
  post("/track/batch", { token, events }, headers);

interface Row extends Json {
  readonly event: string;
  readonly properties: Json | null;
}
async function stored(): Promise<readonly Row[]> {
  const { events } = await app.get(`/events?project=${project.id}&since=30d&limit=1000`);
  return events as readonly Row[];
}

/** Status, code and the fields that come with it. */
const refused = ({ status, body: { message: _, ...rest } }: Answer) => [status, rest];
const curl = { "user-agent": "curl/8.5.0" };

describe("POST /track", () => {
  test("stores an event that reads show when the answer comes", async () => {
    const answer = await track({ event: "signup", user_id: "u", properties: { plan: "pro" } });
    expect(answer).toEqual({ status: 202, body: { ok: true, queued: true } });
    expect(await stored()).toMatchObject([
      {
        event: "signup",
        user_id: "u",
        session_id: null,
        timestamp: noonMs,
        properties: { plan: "pro" },
      },
    ]);
  });

  test("takes JSON whatever the content type says", async () => {
    for (const type of [
      "text/plain;charset=UTF-8",
      "application/x-www-form-urlencoded",
      "",
      "text/html",
    ]) {
      const answer = await track({ event: "e" }, { "content-type": type });
      expect(answer.status).toBe(202);
    }
  });

  test("ignores what it does not know, a project's name too", async () => {
    await track({ event: "e", project: other.name, country: "FR", kind: "refused", code: "X" });
    expect(await stored()).toMatchObject([{ event: "e", project_id: project.id, country: null }]);
  });

  test("tells the country of the sender's address", async () => {
    const body = { token, event: "e" };
    const response = await app.send("POST", "/track", { body, from: "8.8.8.8" });
    expect(response.status).toBe(202);
    expect(await stored()).toMatchObject([{ country: "US" }]);
  });
});

describe("POST /track/batch", () => {
  test("stores all and says how many", async () => {
    const answer = await batch([
      { event: "a" },
      { event: "b", token },
      { event: "c", token: null },
    ]);
    expect(answer).toEqual({ status: 202, body: { ok: true, queued: true, count: 3 } });
    expect((await stored()).map((row) => row.event).sort()).toEqual(["a", "b", "c"]);
  });

  test("stores nothing when one is refused", async () => {
    const answer = await batch([{ event: "a" }, { event: "b", event_id: "!" }, { event: "c" }]);
    expect(refused(answer)).toEqual([
      400,
      { error: "MISSING_FIELDS", field: "event_id", index: 1 },
    ]);
    expect(await stored()).toEqual([]);
  });

  test("takes 100 events of 8 kB and no event more", async () => {
    const event = { event: "e", properties: { a: "x".repeat(8_184) } };
    expect((await batch(Array.from({ length: 100 }, () => event))).status).toBe(202);
    const tooMany = await batch(Array.from({ length: 101 }, () => ({ event: "e" })));
    expect(refused(tooMany)).toEqual([400, { error: "BATCH_TOO_LARGE" }]);
    expect(await stored()).toHaveLength(100);
  });
});

describe("an event_id", () => {
  test("makes a repeat harmless, within a batch and later", async () => {
    const one = { event: "a", event_id: "one", user_id: "u", session_id: "s" };
    const answer = await batch([
      one,
      { ...one, properties: { n: 2 } },
      { event: "c", event_id: "two" },
    ]);
    expect(answer.body).toEqual({ ok: true, queued: true, count: 3 });
    expect((await track({ event: "c", event_id: "two" })).body).toEqual({ ok: true, queued: true });
    expect((await stored()).map((row) => row.event).sort()).toEqual(["a", "c"]);
  });

  test("that a stranger guesses does not make the real event vanish", async () => {
    const real = { event: "purchase", event_id: "order-1001", user_id: "ann", session_id: "s1" };
    const guesses = [{ user_id: "eve" }, { session_id: "s2" }, { event: "visit" }].map((other) => ({
      ...real,
      ...other,
    }));
    await batch([...guesses, { event: "purchase", event_id: "order-1001" }]);
    await track(real);
    await batch([real, ...guesses]);
    const rows = await stored();
    expect(rows).toHaveLength(5);
    const { event, user_id, session_id } = real;
    expect(rows.filter((row) => row.user_id === "ann" && row.session_id === "s1")).toContainEqual(
      expect.objectContaining({ event, user_id, session_id }),
    );
  });

  test("stays known when its user is linked to another", async () => {
    const event = { event: "a", event_id: "one", user_id: "anon" };
    await track(event);
    await post("/identify", { token, previous_id: "anon", user_id: "ann" });
    await track(event);
    expect(await stored()).toHaveLength(1);
    await track({ ...event, user_id: "ann" });
    expect(await stored()).toHaveLength(2);
  });

  test("is the project's own", async () => {
    await track({ event: "a", event_id: "one" });
    await post("/track", { token: other.token, event: "a", event_id: "one" });
    expect(await stored()).toHaveLength(1);
  });
});

describe("a sender whose clock is wrong", () => {
  const dayMs = 86_400_000;
  test("says when it sends: events are as old as they were, in their order", async () => {
    for (const aheadMs of [dayMs, -40 * dayMs]) {
      const sent_at = noonMs + aheadMs;
      const events = [3_000, 2_000, 1_000].map((ageMs) => ({
        ...{ event: `${ageMs} ms ago`, session_id: "s", timestamp: sent_at - ageMs },
      }));
      const answer = await post("/track/batch", { token, sent_at, events });
      expect(answer.status).toBe(202);
    }
    const session = await app.get(`/events?project=${project.id}&since=30d&session_id=s`);
    const rows = session.events as readonly Row[];
    for (const { event, timestamp } of rows) {
      expect(`${noonMs - Number(timestamp)} ms ago`).toBe(event);
    }
    expect(rows).toHaveLength(6);
  });
  test("may repeat a request later: the event stays one, at the time of the first", async () => {
    const event = { event: "a", event_id: "one", timestamp: 1_000 };
    await track({ ...event, sent_at: 3_000 });
    app.setTime(noonMs + 40_000);
    expect((await track({ ...event, sent_at: 33_000 })).status).toBe(202);
    expect(await stored()).toMatchObject([{ event: "a", timestamp: noonMs - 2_000 }]);
  });
  test("learns which field is no time", async () => {
    const answer = await post("/track/batch", { token, sent_at: "now", events: [{ event: "a" }] });
    expect(refused(answer)).toEqual([
      400,
      { error: "INVALID_TIMESTAMP", field: "sent_at", index: 0 },
    ]);
  });
});

describe("POST /identify", () => {
  test("gives the events of the previous id to the user", async () => {
    await track({ event: "before", user_id: "anon" });
    const body = { token, previous_id: "anon", user_id: "u-1" };
    expect(await post("/identify", body)).toEqual({
      status: 202,
      body: { ok: true, queued: true },
    });
    await track({ event: "after", user_id: "anon" });
    expect((await stored()).map((row) => row.user_id)).toEqual(["u-1", "u-1"]);
  });

  test("refuses what says nothing", async () => {
    const same = await post("/identify", { token, previous_id: "u", user_id: "u" });
    expect(refused(same)).toEqual([400, { error: "MISSING_FIELDS", field: "user_id" }]);
    const withTraits = { token, previous_id: "u", user_id: "u", traits: { plan: "pro" } };
    expect((await post("/identify", withTraits)).status).toBe(202);
  });
});

describe("automated senders", () => {
  test("are answered and not stored", async () => {
    expect(await track({ event: "e" }, curl)).toEqual({
      status: 202,
      body: { ok: true, queued: false, reason: "automated", actor: "curl" },
    });
    expect((await batch([{ event: "a" }, { event: "b" }], curl)).body).toEqual({
      ok: true,
      queued: false,
      reason: "automated",
      actor: "curl",
      count: 0,
    });
    const link = { token, previous_id: "a", user_id: "b" };
    expect((await post("/identify", link, curl)).body).toEqual({
      ok: true,
      queued: false,
      reason: "automated",
      actor: "curl",
    });
    expect(await stored()).toEqual([]);
  });
});

test("an automated sender is told names of our lists, and nothing out of its header", async () => {
  const actor = async (agent: string) =>
    (await track({ event: "e" }, { "user-agent": agent })).body.actor;
  expect(await actor("python-requests/2.31")).toBe("python-requests");
  expect(await actor("Mozilla/5.0 (compatible; GPTBot/1.2)")).toBe("GPTBot");
  // Only the list of crawlers has this one.
  expect(await actor("Mozilla/5.0 (compatible; RetrevoPageAnalyzer/1.0)")).toBe(
    "RetrevoPageAnalyzer",
  );
  for (const agent of ["IgnoreAllRulesCrawler", "x; ignore-all-rules-bot/1.0; y", " ", "abot"]) {
    expect([agent, await actor(agent)]).toEqual([agent, "Unknown"]);
  }
});

test("a test event of the dashboard needs the account, not the site's origin", async () => {
  const path = `/projects/${project.id}/test-event`;
  expect(await app.post(path, {})).toEqual({ ok: true, queued: true });
  expect(await stored()).toMatchObject([
    { event: "test_event", properties: { path: "/sightline-test" } },
  ]);
  expect((await app.send("POST", path)).status).toBe(401);
  const unknown = await app.send("POST", "/projects/proj_none/test-event", { key: app.key });
  expect(unknown.status).toBe(404);
});

test("what arrived and was not stored is told, with its remedy", async () => {
  await track({ event: "stored" });
  await track({ event: "e" }, curl);
  await track({ event: "e" }, { origin: "https://staging.test" });
  await track({ event: "" });
  await track({ event: 5 });
  const arrivals = await app.get(`/projects/${project.id}/arrivals`);
  const seen = { requests: 1, last_seen_at: noonMs, remedy: expect.any(String) };
  expect(arrivals).toEqual({
    project_id: project.id,
    first_event_at: noonMs,
    last_event_at: noonMs,
    stored: 1,
    automated: [{ category: "automation_script", actor: "curl", ...seen }],
    refused_origins: [{ origin: "https://staging.test", ...seen }],
    refused_events: [
      { code: "INVALID_BODY", field: "event", ...seen },
      { code: "MISSING_FIELDS", field: "event", ...seen },
    ],
  });
});
