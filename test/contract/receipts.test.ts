import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { definitionsVersion } from "../../src/domain/definitions-version";
import { dayMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { endpointIndex } from "../support/app/operations";
import { cases } from "../support/random/cases";
import { type Random, randomFrom, randomSeed } from "../support/random/random";

let app: TestApp;
let shop: TestProject;
let blog: TestProject;
let experiment = "";
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  blog = await app.makeProject("blog");
  await change(randomFrom(1));
  const made = await app.post("/experiments", {
    ...{ project: "shop", name: "hero", variants: ["control", "b"], goal_event: "buy" },
  });
  experiment = String(made.id);
});
afterAll(() => app.close());

/** A question of every read that tells of stored data, as an agent asks it: with dates that depend on today. */
const questions = (): readonly (readonly [
  method: "GET" | "POST",
  path: string,
  fields: Json,
])[] => [
  ["GET", "/stats", { project: "shop", since: "3d", groupBy: "week" }],
  ["GET", "/events", { project: "shop", limit: 3 }],
  ["GET", "/properties", { project: "shop" }],
  ["GET", "/properties/received", { project: "shop", since: "5d" }],
  ["GET", "/breakdown", { project: "shop", property: "path", tz: "Asia/Tokyo", limit: 1 }],
  ["GET", "/bot-traffic", { project: "shop" }],
  ["GET", "/trust", { project: "shop", since: "5d", limit: 5 }],
  ["POST", "/query", { project: "shop", group_by: ["event"], limit: 1 }],
  [
    "POST",
    "/query",
    {
      project: "shop",
      filters: [{ field: "event", op: "eq", value: "buy" }],
      compare: "previous",
      date_from: "9d",
      date_to: "4d",
    },
  ],
  ["POST", "/query", { project: "shop", queries: [{ group_by: ["date"] }, { date_from: "2d" }] }],
  ["POST", "/paths", { project: "shop", goal_event: "buy", since: "7d" }],
  ["POST", "/funnel", { project: "shop", steps: [{ event: "page_view" }, { event: "buy" }] }],
  ["GET", "/insights", { project: "shop" }],
  ["GET", "/changes", { project: "shop", period: "1d" }],
  ["GET", "/changes", { project: "shop", since: "4d", until: "2d", metric: "users" }],
  ["GET", "/pages", { project: "shop", context: false }],
  ["GET", "/sessions", { project: "shop", limit: 2 }],
  ["GET", "/sessions/distribution", { project: "shop" }],
  ["GET", "/heatmap", { project: "shop" }],
  ["GET", "/retention", { project: "shop", period: "day", cohorts: 5 }],
  ["POST", "/events/lookup", { project: "shop", user_id: "u1" }],
  ["POST", "/events", { project: "shop", user_id: "u1" }],
  ["POST", "/journey/lookup", { project: "shop", user_id: "u1" }],
  ["POST", "/journey", { project: "shop", user_id: "u1" }],
  ["GET", "/journey", { project: "shop", user_id: "u2" }],
  ["GET", "/account/all-sites", {}],
  ["GET", "/account/bot-traffic", { period: "14d" }],
  ["GET", "/experiments", { project: "shop" }],
  ["GET", `/experiments/${experiment}`, {}],
];

interface Receipt {
  readonly definitions: string;
  readonly through: number;
  readonly data_version: number;
  readonly request: { method: "GET" | "POST"; path: string; query?: Json; body?: Json };
  readonly window: { readonly from: string; readonly to: string } | null;
  readonly filters: unknown;
  readonly excluded: { readonly automated_requests: number };
  readonly scanned: { readonly rows: number; readonly segments: number };
  readonly cuts: unknown;
  readonly caveats: readonly string[];
  readonly body_sha256: string;
}

async function send(method: string, path: string, fields: Json): Promise<Response> {
  if (method === "POST") return app.send(method, path, { key: app.key, body: fields });
  const query = new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return app.send(method, `${path}?${query}`, { key: app.key });
}
async function receiptOf(method: string, path: string, fields: Json) {
  const response = await send(method, path, { ...fields, receipt: true });
  const text = await response.text();
  expect({ path, status: response.status, text: response.ok ? "" : text }).toMatchObject({
    ...{ path, status: 200 },
  });
  const { receipt } = JSON.parse(text) as { receipt: Receipt };
  return { response, text, receipt };
}
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Something that reads of the shop see becomes different. */
async function change(random: Random): Promise<string> {
  const { below, chance, pick } = random;
  const user = () => pick(["u1", "u2", "u3", "u4"]);
  const kind = pick(["track", "track", "identify", "unlink", "context", "elsewhere", "zone"]);
  if (kind === "track") {
    const events = Array.from({ length: 1 + below(20) }, () => ({
      event: pick(["page_view", "buy"]),
      user_id: user(),
      ...(chance(0.8) && { session_id: `s${below(6)}` }),
      timestamp: noonMs - below(9 * dayMs),
      properties: { path: `/${below(4)}` },
    }));
    await app.track(shop, ...events);
  } else if (kind === "identify") {
    const body = {
      token: shop.token,
      previous_id: user(),
      user_id: user(),
      traits: { a: below(9) },
    };
    await app.post("/identify", body);
  } else if (kind === "unlink") {
    const body = { project: "shop", previous_id: user() };
    await app.send("POST", "/identities/unlink", { key: app.key, body });
  } else if (kind === "context") {
    const body = { project: "shop", goals: `sell ${below(1_000)}` };
    await app.send("PUT", "/project-context", { key: app.key, body });
  } else if (kind === "zone") {
    const body = { timezone: pick(["UTC", "Europe/Berlin"]) };
    await app.send("PATCH", `/projects/${shop.id}`, { key: app.key, body });
  } else await app.track(blog, { event: "elsewhere", user_id: user() });
  return kind;
}

describe("a receipt", () => {
  test("is there for every read that tells of stored data", () => {
    const asked = new Set(
      questions().map(([method, path]) => `${method} ${path.replace(experiment, "{id}")}`),
    );
    const reads = Object.entries(endpointIndex).filter(([, { read }]) => read);
    const ofNow = ["GET /live", "GET /stream", "GET /live/ws"];
    const others = reads.map(([name]) => name).filter((name) => !asked.has(name));
    expect(others).toEqual(ofNow);
  });

  test("is that of the body without it, in at most 1,500 bytes, and the last field", async () => {
    for (const [method, path, fields] of questions()) {
      const { text, receipt, response } = await receiptOf(method, path, fields);
      const plain = await (await send(method, path, fields)).text();
      expect([path, receipt.body_sha256]).toEqual([path, sha256(plain)]);
      expect(text.startsWith(`${plain.slice(0, -1)},"receipt":{`)).toBe(true);
      const bytes = Buffer.byteLength(JSON.stringify(receipt));
      expect([path, bytes > 1_500 ? bytes : "fits"]).toEqual([path, "fits"]);
      expect(receipt.definitions).toBe(definitionsVersion);
      expect(response.headers.get("x-definitions")).toBe(definitionsVersion);
      expect(response.headers.get("x-data-version")).toBe(String(receipt.data_version));
      expect(response.headers.get("x-data-through")).toBe(String(receipt.through));
      expect(receipt.through).toBe(noonMs);
    }
  });

  test.each(cases([randomSeed()], [31, randomSeed()]))(
    "names a request that gives the same answer as long as the version is the same (seed %d)",
    async (seed) => {
      const random = randomFrom(seed);
      const last = new Map<string, Receipt>();
      for (let step = 0; step < cases(4, 12); step++) {
        const kind = step === 0 ? "nothing" : await change(random);
        for (const [index, [method, path, fields]] of questions().entries()) {
          const { receipt } = await receiptOf(method, path, fields);
          const { request } = receipt;
          const again = await receiptOf(
            request.method,
            request.path,
            request.query ?? request.body ?? {},
          );
          const told = { seed, step, kind, path };
          expect({ ...told, sha: again.receipt.body_sha256 }).toEqual({
            ...{ ...told, sha: receipt.body_sha256 },
          });
          expect({ ...told, request: again.receipt.request }).toEqual({ ...told, request });
          const before = last.get(`${index}`);
          last.set(`${index}`, receipt);
          if (before === undefined) continue;
          expect(receipt.data_version).toBeGreaterThanOrEqual(before.data_version);
          const isSame =
            before.data_version === receipt.data_version &&
            JSON.stringify(before.request) === JSON.stringify(request);
          if (isSame)
            expect({ ...told, sha: receipt.body_sha256 }).toEqual({
              ...told,
              sha: before.body_sha256,
            });
        }
      }
    },
  );

  test("of yesterday gives the same answer tomorrow", async () => {
    try {
      for (const [method, path, fields] of questions()) {
        if (path.startsWith("/experiments/")) continue;
        app.setTime(noonMs);
        const { receipt } = await receiptOf(method, path, fields);
        const { request } = receipt;
        app.setTime(noonMs + dayMs);
        const again = await receiptOf(
          request.method,
          request.path,
          request.query ?? request.body ?? {},
        );
        expect([path, again.receipt.body_sha256]).toEqual([path, receipt.body_sha256]);
        expect(again.receipt.request).toEqual(request);
      }
    } finally {
      app.setTime(noonMs);
    }
  });

  test("says what was looked at and what was left out", async () => {
    // These ids are new, as the random changes may have linked others.
    const view = { event: "page_view", user_id: "never linked" };
    await app.track(shop, view, { ...view, user_id: "nor is this" });
    const { receipt } = await receiptOf("POST", "/query", {
      ...{ project: "shop", group_by: ["user_id"], limit: 1, date_from: "9d" },
      filters: [{ field: "event", op: "eq", value: "page_view" }],
    });
    expect(receipt).toMatchObject({
      window: { from: "2026-01-05", to: "2026-01-14" },
      sampling: "none",
      filters: [{ field: "event", op: "eq", value: "page_view" }],
      cuts: [{ what: "groups", kept: 1 }],
      excluded: { automated_requests: 0 },
      caveats: ["identities_may_merge"],
      request: {
        method: "POST",
        path: "/query",
        body: { project: shop.id, tz: expect.anything() },
      },
    });
    const { rows } = await app.post("/query", { project: "shop", date_from: "9d" });
    const [{ event_count }] = rows as { event_count: number }[];
    expect(receipt.scanned.rows).toBeGreaterThanOrEqual(event_count);
    expect(receipt.scanned.segments).toBeGreaterThan(0);
    await app.send("POST", "/track", {
      headers: { "user-agent": "curl/8" },
      body: { token: shop.token, event: "x" },
    });
    const asked = { project: "shop", limit: 1 };
    let page = await receiptOf("GET", "/events", asked);
    // Counts of automated requests are written from time to time.
    while (page.receipt.excluded.automated_requests === 0) {
      await Bun.sleep(50);
      page = await receiptOf("GET", "/events", asked);
    }
    expect(page.receipt).toMatchObject({
      cuts: [{ what: "rows", kept: 1 }],
      excluded: { automated_requests: 1 },
    });
  });

  test("leaves an address out, and tells a long question by its digest", async () => {
    const email = "ada@example.org";
    const lookup = await receiptOf("POST", "/events/lookup", {
      project: "shop",
      user_id: "u1",
      email,
    });
    expect(JSON.stringify(lookup.receipt)).not.toContain(email);
    const values = Array.from({ length: 100 }, (_, at) => `name of event ${at}`);
    const filters = [{ field: "event", op: "in", value: values }];
    const long = await receiptOf("POST", "/query", { project: "shop", filters });
    expect(Buffer.byteLength(JSON.stringify(long.receipt))).toBeLessThanOrEqual(1_500);
    expect(long.receipt.filters).toEqual({ sha256: sha256(JSON.stringify(filters)) });
    expect(long.receipt.request.body).toEqual({ sha256: expect.any(String) });
  });

  test("is of JSON, and true or false", async () => {
    for (const path of [
      "/stats?project=shop&receipt=yes",
      "/stats?project=shop&receipt=true&format=csv",
    ]) {
      const response = await app.send("GET", path, { key: app.key });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: "MISSING_FIELDS", field: "receipt" });
    }
    const body = { project: "shop" };
    const inQuery = await app.send("POST", "/query?receipt=true", { key: app.key, body });
    expect(await inQuery.json()).toHaveProperty("receipt");
    const twice = { key: app.key, body: { ...body, receipt: false } };
    expect((await app.send("POST", "/query?receipt=true", twice)).status).toBe(400);
  });
});
