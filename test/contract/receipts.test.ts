import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { dayMs } from "../../src/lib/clock";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { askedReads, ofNow, ReadWorld, type Receipt } from "../support/app/every-read";
import { cases } from "../support/random/cases";
import { type Random, randomFrom, randomSeed } from "../support/random/random";

let app: TestApp;
let shop: TestProject;
let blog: TestProject;
let world: ReadWorld;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  blog = await app.makeProject("blog");
  await change(randomFrom(1));
  const made = await app.post("/experiments", {
    ...{ project: "shop", name: "hero", variants: ["control", "b"], goal_event: "signup" },
  });
  world = new ReadWorld(app, String(made.id));
});
afterAll(() => app.close());

const questions = askedReads.filter(({ operation }) => !ofNow.includes(operation.name));
const receiptOf = (method: "GET" | "POST", path: string, fields: Json) =>
  world.again({ request: { method, path, body: fields } });
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Something that reads of the shop see becomes different. */
async function change(random: Random): Promise<string> {
  const { below, chance, pick } = random;
  const user = () => pick(["u1", "u2", "u3", "u4"]);
  const kind = pick(["track", "track", "identify", "unlink", "context", "elsewhere", "zone"]);
  if (kind === "track") {
    const events = Array.from({ length: 1 + below(20) }, () => ({
      event: pick(["page_view", "signup", "purchase"]),
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
  test.each(cases([randomSeed()], [31, randomSeed()]))(
    "names a request that gives the same answer as long as the version is the same (seed %d)",
    async (seed) => {
      const random = randomFrom(seed);
      const last = new Map<string, Receipt>();
      for (let step = 0; step < cases(3, 12); step++) {
        const kind = step === 0 ? "nothing" : await change(random);
        for (const asked of questions) {
          const { label } = asked;
          const { receipt } = await world.withReceipt(asked);
          const again = await world.again(receipt);
          const told = { seed, step, kind, label };
          expect({ ...told, sha: again.body_sha256 }).toEqual({
            ...{ ...told, sha: receipt.body_sha256 },
          });
          expect({ ...told, request: again.request }).toEqual({
            ...told,
            request: receipt.request,
          });
          const before = last.get(label);
          last.set(label, receipt);
          if (before === undefined) continue;
          expect(receipt.data_version).toBeGreaterThanOrEqual(before.data_version);
          const isSame =
            before.data_version === receipt.data_version &&
            JSON.stringify(before.request) === JSON.stringify(receipt.request);
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
      for (const asked of questions) {
        const { label, operation, fields } = asked;
        if (operation.name === "GET /experiments/{id}") continue;
        // Two periods are compared up to the same moment, unless both are over.
        if (fields.compare !== undefined && fields.date_to === undefined) continue;
        app.setTime(noonMs);
        const { receipt } = await world.withReceipt(asked);
        app.setTime(noonMs + dayMs);
        const again = await world.again(receipt);
        expect([label, again.body_sha256]).toEqual([label, receipt.body_sha256]);
        expect(again.request).toEqual(receipt.request);
      }
    } finally {
      app.setTime(noonMs);
    }
  });

  test("says what was looked at and what was left out", async () => {
    // These ids are new, as the random changes may have linked others.
    const view = { event: "page_view", user_id: "never linked" };
    await app.track(shop, view, { ...view, user_id: "nor is this" });
    const receipt = await receiptOf("POST", "/query", {
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
    while (page.excluded.automated_requests === 0) {
      await Bun.sleep(50);
      page = await receiptOf("GET", "/events", asked);
    }
    expect(page).toMatchObject({
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
    expect(JSON.stringify(lookup)).not.toContain(email);
    const values = Array.from({ length: 100 }, (_, at) => `name of event ${at}`);
    const filters = [{ field: "event", op: "in", value: values }];
    const long = await receiptOf("POST", "/query", { project: "shop", filters });
    expect(Buffer.byteLength(JSON.stringify(long))).toBeLessThanOrEqual(1_500);
    expect(long.filters).toEqual({ sha256: sha256(JSON.stringify(filters)) });
    expect(long.request.body).toEqual({ sha256: expect.any(String) });
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
