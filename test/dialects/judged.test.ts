import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { bodyBytesMax } from "../../src/domain/limits";
import { isoTimeMs } from "../../src/ingest/foreign/iso-time";
import { secondMs } from "../../src/lib/clock";
import type { TestApp } from "../support/app/app";
import { receivedAtMs } from "./samples";
import { openApp, type SourceWorld, sourceOf } from "./world";

let app: TestApp;
beforeAll(async () => {
  app = await openApp();
});
afterAll(() => app.close());

const browser = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  origin: "https://garten.example",
};
const sent = (body: unknown) => ({ body, headers: browser });

describe("times", () => {
  test("without a zone are UTC, wherever the server stands, and only ISO 8601 is one", () => {
    const zone = process.env.TZ;
    try {
      process.env.TZ = "America/New_York";
      const tenMs = Date.UTC(2026, 10, 27, 10);
      for (const text of [
        "2026-11-27T10:00:00Z",
        "2026-11-27T10:00:00",
        "2026-11-27 10:00:00",
        "2026-11-27 10:00:00 Z",
        "2026-11-27t10:00:00.000000z",
        "2026-11-27T10:00",
        "2026-11-27T11:30:00+01:30",
        "2026-11-27T11:30:00+0130",
        "2026-11-27T05:00:00-05",
      ])
        expect([text, isoTimeMs(text)]).toEqual([text, tenMs]);
      expect(isoTimeMs("2026-11-27")).toBe(Date.UTC(2026, 10, 27));
      for (const text of [
        "Nov 27 2026",
        "2026",
        "11/27/2026",
        "2026-13-01",
        "2026-02-30",
        "2026-02-30T10:00:00Z",
        "2026-11-27T25:00",
        "",
      ])
        expect([text, isoTimeMs(text)]).toEqual([text, Number.NaN]);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  test("of items are read so: by Segment and by Matomo", async () => {
    const segment = await sourceOf(app, "segment");
    const matomo = await sourceOf(app, "matomo");
    const said = new Date(receivedAtMs - secondMs).toISOString().slice(0, 19);
    const track = { event: "x", userId: "u", timestamp: said };
    expect((await segment.send("POST", "/v1/t", sent(track))).status).toBe(200);
    const other = { ...track, timestamp: "Nov 27 2026" };
    expect((await segment.send("POST", "/v1/t", sent(other))).status).toBe(400);
    const path = "/matomo.php?idsite=1&rec=1&url=https://garten.example/a&cdt=";
    expect((await matomo.send("GET", path + said, { headers: browser })).status).toBe(200);
    const refused = await matomo.send("GET", `${path}Nov%2027%202026`, { headers: browser });
    expect(refused.status).toBe(400);
    for (const world of [segment, matomo])
      expect(await world.events()).toMatchObject([{ timestamp: Date.parse(`${said}Z`) }]);
  });
});

test("a project that may take no more keeps nothing from another that the event is for", async () => {
  const limited = await openApp({ INGEST_RPM: "1" });
  try {
    const a = await sourceOf(limited, "plausible", "a.example");
    const b = await sourceOf(limited, "plausible", "b.example");
    const at = async (d: string) => {
      const body = { n: "pageview", u: "https://garten.example/", d };
      return (await limited.send("POST", "/api/event", { ...sent(body), from: "8.8.8.8" })).status;
    };
    expect(await at("a.example")).toBe(202);
    expect(await at("a.example,b.example")).toBe(202);
    expect(await at("a.example,b.example")).toBe(429);
    expect([(await a.events()).length, (await b.events()).length]).toEqual([1, 1]);
    expect((await a.counts()).last24h).toMatchObject({ accepted: 1, refused: { RATE_LIMITED: 1 } });
  } finally {
    await limited.close();
  }
});

test("an item whose project may take no more keeps nothing from another item's project", async () => {
  const limited = await openApp({ INGEST_RPM: "1" });
  try {
    const a = await sourceOf(limited, "matomo", "1");
    const b = await sourceOf(limited, "matomo", "2");
    const path = "rec=1&url=https://garten.example/";
    const at = async (...sites: readonly number[]) => {
      const requests = sites.map((site) => `?idsite=${site}&${path}`);
      const answer = await limited.send("POST", "/matomo.php", sent({ requests }));
      return [answer.status, await answer.json()] as const;
    };
    expect(await at(1)).toMatchObject([200, { tracked: 1 }]);
    // Of those that are told "no" only project 1 is full: what 2 may take is stored, and not lost with the rest.
    expect(await at(1, 2, 1, 2)).toMatchObject([
      ...[200, { status: "success", tracked: 2, invalid: 2, invalid_indices: [0, 2] }],
    ]);
    expect([(await a.events()).length, (await b.events()).length]).toEqual([1, 2]);
    expect((await a.counts()).last24h).toMatchObject({ accepted: 1, refused: { RATE_LIMITED: 2 } });
    expect((await b.counts()).last24h).toMatchObject({ accepted: 2, refused: {} });
    // Where both are full, or nobody else is asked, the request comes again as a whole.
    for (const sites of [[1, 2], [1], [1, 3]]) expect((await at(...sites))[0]).toBe(429);
    expect([(await a.events()).length, (await b.events()).length]).toEqual([1, 2]);
  } finally {
    await limited.close();
  }
});

test("ids of events have at most 256 characters, and stand for one text each", async () => {
  const segment = await sourceOf(app, "segment");
  const posthog = await sourceOf(app, "posthog");
  const statuses: number[] = [];
  for (const id of ["i".repeat(257), "\ud800", "\udfff", "i".repeat(256), "ü".repeat(256)]) {
    const track = { event: "x", userId: "u", messageId: id };
    const capture = { event: "x", distinct_id: "u", uuid: id };
    statuses.push((await segment.send("POST", "/v1/t", sent(track))).status);
    statuses.push((await posthog.send("POST", "/e", sent(capture))).status);
  }
  expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 200, 200, 200, 200]);
  expect((await segment.counts()).last24h.refused).toEqual({ MISSING_FIELDS: 3 });
  expect([(await segment.events()).length, (await posthog.events()).length]).toEqual([2, 2]);
});

test("a broken line of an import of Mixpanel is refused alone", async () => {
  const world = await sourceOf(app, "mixpanel");
  const line = (id: string) =>
    JSON.stringify({ event: "x", properties: { distinct_id: "u", $insert_id: id } });
  const body = [line("1"), '{"event":', "", "7", line("2")].join("\n");
  const answer = await world.send("POST", "/import", { body });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { code: 200, status: "OK", num_records_imported: 2 },
  ]);
  expect((await world.counts()).last24h).toMatchObject({
    accepted: 2,
    refused: { INVALID_BODY: 2 },
  });
  expect((await world.send("POST", "/import", { body: "{\n}}" })).status).toBe(400);
});

test("HEAD stores nothing", async () => {
  for (const [kind, path] of [
    ["goatcounter", "/count?p=/x"],
    ["matomo", "/matomo.php?idsite=1&rec=1&url=https://garten.example/"],
  ] as const) {
    const world = await sourceOf(app, kind);
    expect((await world.send("HEAD", path, { headers: browser })).status).toBe(405);
    expect(await world.events()).toEqual([]);
  }
});

test("limits are told in the form that the request asks for", async () => {
  const limited = await openApp({ INGEST_RPM: "1" });
  try {
    const mixpanel = await sourceOf(limited, "mixpanel");
    const matomo = await sourceOf(limited, "matomo");
    const event = { event: "x", properties: { distinct_id: "u" } };
    const bulk = { requests: ["?idsite=1&rec=1&url=https://garten.example/"] };
    const track = async (body: unknown) => mixpanel.send("POST", "/track?verbose=1", sent(body));
    const many = async () => matomo.send("POST", "/matomo.php", sent(bulk));
    expect([(await track(event)).status, (await many()).status]).toEqual([200, 200]);
    const [full, fullBulk] = [await track(event), await many()];
    expect([full.status, await full.json()]).toMatchObject([429, { status: 0 }]);
    expect([fullBulk.status, await fullBulk.json()]).toMatchObject([429, { status: "error" }]);
    const large = await track("x".repeat(bodyBytesMax + 1));
    expect([large.status, await large.json()]).toMatchObject([413, { status: 0 }]);
  } finally {
    await limited.close();
  }
});

test("a time that is refused is told by the name and the form that the client sends", async () => {
  const old = 86_400;
  const payload = { website: "w", url: "/", hostname: "a.example", timestamp: old };
  const page = "/matomo.php?idsite=1&rec=1&url=https://garten.example/&cdt=86400";
  for (const [kind, path, body, words] of [
    ["umami", "/api/send", { type: "event", payload }, /"timestamp" .+ Unix seconds/],
    ["matomo", page, {}, /"cdt" .+ Unix seconds or ISO 8601/],
    ["segment", "/v1/t", { event: "x", userId: "u", timestamp: "soon" }, /"timestamp" .+ ISO 8601/],
    ["posthog", "/e", { event: "x", distinct_id: "u", timestamp: "soon" }, /timestamp.+ ISO 8601/],
    ["segment", "/v1/t", { event: "x", userId: "u", sentAt: "soon" }, /sending .+ ISO 8601/],
    [
      ...(["mixpanel", "/track?verbose=1"] as const),
      { event: "x", properties: { distinct_id: "u", time: old } },
      /"time" .+ Unix seconds or milliseconds/,
    ],
  ] as const) {
    const world = await sourceOf(app, kind);
    const call = kind === "matomo" ? { headers: browser } : sent(body);
    const answer = await world.send(kind === "matomo" ? "GET" : "POST", path, call);
    const text = (await answer.text()).replaceAll("\\", "");
    expect([answer.status, text]).toEqual([400, expect.stringMatching(words)]);
  }
});

describe("pages", () => {
  const pageOf = async (world: SourceWorld, payload: object) => {
    const body = { type: "event", payload: { website: "w", ...payload } };
    expect((await world.send("POST", "/api/send", sent(body))).status).toBe(200);
    const { path, hostname, url } = (await world.events()).at(-1)?.properties ?? {};
    return { path, hostname, url };
  };

  test("have the path that the item names, whatever it names as its host", async () => {
    const world = await sourceOf(app, "umami");
    for (const hostname of ["evil.example/path?x=", "user:pw@evil.example", "a.example#", "a b"])
      expect(await pageOf(world, { hostname, url: "/u" })).toEqual({ path: "/u" } as never);
    expect(await pageOf(world, { hostname: "A.example:8080", url: "/u" })).toEqual({
      ...{ path: "/u", hostname: "a.example", url: "https://a.example:8080/u" },
    });
  });

  test("of schemes without paths have none", async () => {
    const world = await sourceOf(app, "umami");
    for (const url of ["mailto:a@b.example", "javascript:void(0)", "about:blank", "tel:110"])
      expect(await pageOf(world, { url })).toEqual({} as never);
    expect(await pageOf(world, { url: "app://shop/cart" })).toMatchObject({ path: "/cart" });
  });
});
