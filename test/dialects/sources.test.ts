import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { SourceKind } from "../../src/domain/source";
import type { TestApp } from "../support/app/app";
import { bodyOf, kindsWithSamples, receivedAtMs, samplesOf } from "./samples";
import { openApp, sourceOf } from "./world";

let app: TestApp;
beforeAll(async () => {
  app = await openApp();
});
afterAll(() => app.close());

const browser = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  origin: "https://garten.example",
};
const pageView = { n: "pageview", u: "https://garten.example/a", d: "garten.example" };

describe("the sources of a project", () => {
  test("are listed oldest first, and a deleted one stops at once", async () => {
    const world = await sourceOf(app, "plausible");
    const path = `/projects/${world.project.id}/sources`;
    const second = await app.send("POST", path, { key: app.key, body: { kind: "umami" } });
    const { id } = (await second.json()) as { id: string };
    const { sources } = (await app.get(path)) as { sources: { id: string }[] };
    expect(sources.map((one) => one.id)).toEqual([world.source.id, id]);
    expect(world.source.url).toEndWith(`/in/${world.source.id}`);
    expect((await world.send("POST", "/api/event", sent(pageView))).status).toBe(202);

    const gone = await app.send("DELETE", `${path}/${world.source.id}`, { key: app.key });
    expect(await gone.json()).toEqual({ ok: true, deleted: world.source.id });
    const answer = await world.send("POST", "/api/event", sent(pageView));
    expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([
      401,
      ["errors"],
    ]);
    const again = await app.send("DELETE", `${path}/${world.source.id}`, { key: app.key });
    expect(again.status).toBe(404);
  });

  test("are at most 20", async () => {
    const { project } = await sourceOf(app, "plausible");
    const path = `/projects/${project.id}/sources`;
    const call = { key: app.key, body: { kind: "mixpanel" } };
    for (let made = 1; made < 20; made++)
      expect((await app.send("POST", path, call)).status).toBe(201);
    expect((await app.send("POST", path, call)).status).toBe(400);
  });

  test("have keys of the form of their kind, each once on this server", async () => {
    const { project } = await sourceOf(app, "plausible", "WWW.Taken.example");
    const path = `/projects/${project.id}/sources`;
    const make = async (body: unknown) => {
      const answer = await app.send("POST", path, { key: app.key, body });
      const { error, field } = (await answer.json()) as { error?: string; field?: string };
      return [answer.status, error, field];
    };
    const taken = { kind: "plausible", key: "taken.example" };
    expect(await make(taken)).toEqual([409, "SOURCE_TAKEN", "key"]);
    expect(await make({ kind: "goatcounter", key: "taken.example" })).toEqual([
      201,
      undefined,
      undefined,
    ]);
    const wrong = [
      { kind: "plausible", key: "two words" },
      { kind: "umami", key: "94db1cb1" },
      { kind: "matomo", key: "0" },
      { kind: "matomo", key: "2147483648" },
      { kind: "segment", key: "1234567" },
      { kind: "segment", key: "k".repeat(65) },
      { kind: "posthog", key: "k".repeat(129) },
      { kind: "mixpanel", key: "12345678" },
      { kind: "plausible", key: "" },
    ];
    for (const body of wrong)
      expect([body, await make(body)]).toEqual([body, [400, "MISSING_FIELDS", "key"]]);
    const right = [
      { kind: "matomo", key: "2147483647" },
      { kind: "segment", key: "k".repeat(64) },
      { kind: "posthog", key: "k".repeat(128) },
      { kind: "umami", key: "94DB1CB1-74F4-4A40-AD6C-962362670409" },
    ];
    for (const body of right) expect(await make(body)).toEqual([201, undefined, undefined]);

    await app.send("DELETE", `/projects/${project.id}`, { key: app.key });
    const other = await sourceOf(app, "plausible", "taken.example");
    expect(other.source.key).toBe("taken.example");
  });

  test("count what came, and tell of the last refusal without what visitors wrote", async () => {
    const world = await sourceOf(app, "plausible");
    await world.send("POST", "/api/event", sent(pageView));
    await world.send("POST", "/api/event", sent(pageView, { "user-agent": "curl/8.5.0" }));
    await world.send("POST", "/api/event", sent({ n: "secret-name" }));
    const { last24h, last_event_at, last_refusal } = await world.counts();
    expect(last24h).toEqual({
      ...{ accepted: 1, filtered: 1, unsupported: 0 },
      refused: { MISSING_FIELDS: 1 },
    });
    const at = last_event_at;
    expect(last_refusal).toEqual({ code: "MISSING_FIELDS", field: "url", at });
    expect(JSON.stringify(await world.counts())).not.toContain("secret");
  });
});

describe("where a request may go", () => {
  test("an unknown source is 401, an origin that may not 403, in the dialect's form", async () => {
    const { project, send } = await sourceOf(app, "plausible");
    const unknown = await app.send("POST", "/in/src_0000000000000000/api/event", sent(pageView));
    expect(unknown.status).toBe(401);
    expect(await unknown.json()).toHaveProperty("errors.domain");
    const gone = await sourceOf(app, "mixpanel");
    const address = `/projects/${gone.project.id}/sources/${gone.source.id}`;
    await app.send("DELETE", address, { key: app.key });
    const late = await gone.send("POST", "/track", sent([]));
    expect([late.status, await late.text()]).toEqual([401, "0"]);
    const verbose = await gone.send("POST", "/track?verbose=1", sent([]));
    expect(await verbose.json()).toMatchObject({ status: 0, error: expect.any(String) });
    await app.send("PATCH", `/projects/${project.id}`, {
      key: app.key,
      body: { allowed_origins: "https://only.example" },
    });
    const foreign = await send("POST", "/api/event", sent(pageView));
    expect(foreign.status).toBe(403);
    expect(await foreign.json()).toHaveProperty("errors.domain");
  });

  test("a path that the dialect lacks is 404, a method 405, and a preflight may send its headers", async () => {
    const { send } = await sourceOf(app, "plausible");
    expect((await send("POST", "/api/batch", sent([]))).status).toBe(404);
    const get = await send("GET", "/api/event");
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    const preflight = await send("OPTIONS", "/api/event", { headers: browser });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toEndWith(
      "Content-Encoding, x-umami-cache",
    );
    expect((await send("PUT", "/api/event")).status).toBe(405);
  });

  test("slashes too many mean nothing", async () => {
    const { send, events } = await sourceOf(app, "plausible");
    for (const path of ["/api/event/", "//api/event", "/api/event"]) {
      expect((await send("POST", path, sent(pageView))).status).toBe(202);
    }
    expect(await events()).toHaveLength(3);
  });

  test("slashes too many mean nothing at the root either, and a longer path is another one", async () => {
    const { events } = await sourceOf(app, "posthog", "phc_slashes1");
    const body = { event: "x", api_key: "phc_slashes1", distinct_id: "u" };
    for (const path of ["/e", "/e/", "/e//", "/i/v0/e///"])
      expect([path, (await app.send("POST", path, sent(body))).status]).toEqual([path, 200]);
    expect((await app.send("POST", "/e/f", sent(body))).status).toBe(404);
    expect((await app.send("GET", "/array/phc_slashes1/config//")).status).toBe(200);
    expect(await events()).toHaveLength(4);
  });

  test("at the root the keys of the payload decide, and each project gets the event", async () => {
    const one = await sourceOf(app, "plausible", "one.example");
    const two = await sourceOf(app, "plausible", "two.example");
    const at = (d: string | undefined) =>
      app.send("POST", "/api/event", sent({ ...pageView, u: "https://www.one.example/a", d }));
    expect((await at("one.example, TWO.example")).status).toBe(202);
    expect((await at(undefined)).status).toBe(202);
    expect((await at("three.example")).status).toBe(401);
    expect((await at("a.example,b.example,c.example,d.example")).status).toBe(400);
    expect([(await one.events()).length, (await two.events()).length]).toEqual([2, 1]);
  });
});

/** A request at the root, and the key by which its source is known. */
const atRoot: Readonly<Record<string, readonly [key: string, path: string, body: unknown]>> = {
  umami: [
    "94db1cb1-74f4-4a40-ad6c-962362670409",
    "/api/send",
    {
      type: "event",
      payload: {
        website: "94DB1CB1-74f4-4a40-ad6c-962362670409",
        url: "/a",
        hostname: "a.example",
      },
    },
  ],
  goatcounter: ["localhost", "/count?p=/a", undefined],
  matomo: ["7", "/matomo.php?idsite=7&rec=1&url=https://a.example/", undefined],
  segment: ["WriteKey0123", "/v1/t", { writeKey: "WriteKey0123", event: "x", anonymousId: "a" }],
  posthog: [
    "phc_12345678",
    "/e/",
    { event: "x", properties: { token: "phc_12345678", distinct_id: "a" } },
  ],
};

for (const [kind, [key, path, body]] of Object.entries(atRoot)) {
  test(`at the root a client of ${kind} is known by its key, and refused with another`, async () => {
    const headers = { ...browser, host: "localhost" };
    expect((await app.send("POST", path, { headers, body })).status).toBe(401);
    const world = await sourceOf(app, kind as SourceKind, key);
    expect((await app.send("POST", path, { headers, body })).status).toBe(200);
    expect(await world.events()).toHaveLength(1);
  });
}

test("items of a batch are judged one by one", async () => {
  const world = await sourceOf(app, "segment");
  const good = { type: "track", event: "x", userId: "u", messageId: "m 1" };
  const batch = [good, { type: "track", userId: "u" }, { type: "group", userId: "u" }, 7, good];
  const answer = await world.send("POST", "/v1/batch", sent({ batch }));
  expect([answer.status, await answer.json()]).toEqual([200, { success: true }]);
  // The second one with the same id is a repeat: acknowledged, and not stored again.
  expect(await world.events()).toHaveLength(1);
  expect((await world.counts()).last24h).toEqual({
    ...{ accepted: 2, filtered: 0, unsupported: 1 },
    refused: { MISSING_FIELDS: 1, INVALID_BODY: 1 },
  });
  const bad = await world.send("POST", "/v1/batch", sent({ batch: [{ type: "track" }, 7] }));
  expect([bad.status, await bad.json()]).toMatchObject([400, { success: false }]);
  const many = Array.from({ length: 501 }, () => good);
  expect((await world.send("POST", "/v1/batch", sent({ batch: many }))).status).toBe(413);
  expect((await world.send("POST", "/v1/batch", sent({ batch: many.slice(1) }))).status).toBe(200);
});

test("the clock of a sender is corrected by the time at which it says that it sent", async () => {
  const world = await sourceOf(app, "segment");
  const hourAhead = (ms: number) => new Date(receivedAtMs + 3_600_000 + ms).toISOString();
  const message = { type: "track", event: "x", userId: "u", timestamp: hourAhead(-5_000) };
  const late = { ...message, timestamp: hourAhead(60_000) };
  const old = { ...message, timestamp: "2026-01-01T00:00:00Z" };
  const body = {
    batch: [message, late, old, { ...message, timestamp: "soon" }],
    sentAt: hourAhead(0),
  };
  expect((await world.send("POST", "/v1/batch", sent(body))).status).toBe(200);
  const times = (await world.events()).map(({ timestamp }) => timestamp - receivedAtMs);
  expect(times.sort()).toEqual([-5_000, 0]);
  expect((await world.counts()).last24h.refused).toEqual({ INVALID_TIMESTAMP: 2 });
});

test("an identify links the ids, tells the profile, and hands the open session over", async () => {
  const world = await sourceOf(app, "segment");
  const of = (message: unknown) => world.send("POST", "/v1/batch", sent({ batch: [message] }));
  await of({ type: "track", event: "before", anonymousId: "anon" });
  await of({ type: "identify", anonymousId: "anon", userId: "u1", traits: { plan: "pro", $x: 1 } });
  await of({ type: "track", event: "after", userId: "u1" });
  expect((await of({ type: "identify", userId: "u1" })).status).toBe(200);
  const [before, after] = await world.events();
  expect([before?.user_id, after?.user_id]).toEqual(["u1", "u1"]);
  expect(after?.session_id).toBe(before?.session_id ?? "");
});

test("properties of the sender keep their names beside those of the server", async () => {
  const world = await sourceOf(app, "plausible");
  const p = { path: "mine", email: "a@b.example", $x: 1, mp_y: 2, empty: "", none: null, ok: [1] };
  await world.send("POST", "/api/event", sent({ ...pageView, p }));
  const [event] = await world.events();
  expect(event?.properties).toMatchObject({ custom_path: "mine", path: "/a", ok: [1] });
  for (const name of ["email", "$x", "mp_y", "empty", "none"]) {
    expect(event?.properties).not.toHaveProperty([name]);
  }
});

for (const kind of kindsWithSamples) {
  test(`clients of ${kind} are answered as their server does, and nothing of theirs is refused`, async () => {
    const world = await sourceOf(app, kind);
    for (const sample of samplesOf(kind)) {
      const { method, path, headers } = sample;
      const answer = await world.send(method, path, { headers, body: bodyOf(sample) });
      expect([path, answer.status < 300]).toEqual([path, true]);
      if (headers.origin) {
        // mixpanel-browser sends with cookies, so that its page must be named.
        const allowed = kind === "mixpanel" ? headers.origin : "*";
        expect(answer.headers.get("access-control-allow-origin")).toBe(allowed);
      }
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    const { last24h } = await world.counts();
    expect(last24h.refused).toEqual({});
    const stored = (await world.events()).length;
    expect(stored).toBeGreaterThan(0);
    expect(Number(last24h.accepted)).toBeGreaterThanOrEqual(stored);
  });
}

function sent(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return { body, headers: { ...browser, ...headers } };
}
