import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sourceOf } from "../../../test/dialects/world";
import {
  type Json,
  noonMs,
  type TestApp,
  type TestProject,
  testApp,
} from "../../../test/support/app/app";
import { checked, committed, eventLines } from "../../../test/support/app/imports";
import { erasedPerson } from "../../../test/support/app/people";
import { blockedIdsPerErasureMax, blockedIdsPerProjectMax } from "../../domain/blocked-ids";
import { erasedDigests } from "../../domain/erased-digest";
import { auditEntry } from "../../store/control/audit-tables";
import { blockedId } from "../../store/control/erasure-tables";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  await app.track(shop, visit("gone"), visit("stays"));
  await identify({ previous_id: "before", user_id: "gone" });
});
afterAll(() => app.close());

const visit = (userId: string, more: Json = {}): Json => ({
  ...{ event: "visit", user_id: userId, timestamp: noonMs },
  ...more,
});
const kept = { ok: true, queued: true };
const left = { ok: true, queued: false, reason: "excluded" };

async function send(path: string, body: Json): Promise<Json & { readonly status: number }> {
  const response = await app.send("POST", path, { body: { token: shop.token, ...body } });
  return { ...((await response.json()) as Json), status: response.status };
}
const identify = (ids: Json) => send("/identify", ids);
const eventsOf = async (userId: string, project = shop): Promise<number> => {
  const filters = [{ field: "user_id", op: "eq", value: userId }];
  const { rows } = await app.post("/query", {
    project: project.id,
    metrics: ["event_count"],
    filters,
  });
  return Number((rows as Json[])[0]?.event_count ?? 0);
};
const blockedCount = async (project = shop): Promise<number> => {
  const { excluded_24h } = await app.get(`/projects/${project.id}/exclusions`);
  return Number((excluded_24h as Json).blocked);
};
const rows = () => app.deps.control.db.select().from(blockedId).all();

describe("an erasure", () => {
  test("without `block` lets an id come again", async () => {
    await app.track(shop, visit("returns"));
    const erased = await erasedPerson(app, { project: "shop", user_id: "returns" });
    expect(erased).toMatchObject({ blocked: false });
    expect(await send("/track", visit("returns"))).toMatchObject(kept);
    expect(await eventsOf("returns")).toBe(1);
    expect(rows()).toEqual([]);
  });

  test("with `block` says so, and stores the ids as keyed digests alone", async () => {
    const erased = await erasedPerson(app, { project: "shop", user_id: "gone", block: true });
    expect(erased).toMatchObject({ blocked: true, counts: { ids: 2 } });
    expect(await app.get(`/people/erasures/${erased.id}`)).toMatchObject({ blocked: true });
    const digestOf = erasedDigests(app.deps.control.identitySecret);
    expect(
      rows()
        .map(({ digest }) => digest)
        .sort(),
    ).toEqual(["before", "gone"].map((id) => digestOf(shop.id, id)).sort());
    const entries = app.deps.control.db.select().from(auditEntry).all();
    expect(entries.at(-1)).toMatchObject({ action: "person_erased", details: { blocked: true } });
  });
});

describe("an event of a blocked id", () => {
  test("is answered like an excluded one, counted, and not stored", async () => {
    const before = await blockedCount();
    expect(await send("/track", visit("gone"))).toEqual({ ...left, status: 202 });
    expect(await send("/track", visit("before"))).toEqual({ ...left, status: 202 });
    expect(await send("/track", visit("stays"))).toEqual({ ...kept, status: 202 });
    expect(await send("/track", { event: "visit", user_id: "" })).toMatchObject(kept);
    expect(await blockedCount()).toBe(before + 2);
    expect(await eventsOf("gone")).toBe(0);
  });

  test("is left out of a batch alone, and an event beside it keeps its place", async () => {
    const before = await blockedCount();
    const events = [visit("a"), visit("gone"), visit("b"), visit("before")];
    expect(await send("/track/batch", { events })).toEqual({ ...kept, status: 202, count: 2 });
    expect(await send("/track/batch", { events: [visit("gone")] })).toMatchObject({
      count: 0,
      ...left,
    });
    expect(
      await send("/track/batch", { events: [visit("gone"), visit("a", { event: "" })] }),
    ).toMatchObject({
      ...{ status: 400, index: 1 },
    });
    expect(await blockedCount()).toBe(before + 3);
    expect([await eventsOf("a"), await eventsOf("gone")]).toEqual([1, 0]);
  });

  test("gets no other name by a link, in either direction", async () => {
    const before = await blockedCount();
    expect(await identify({ previous_id: "new", user_id: "gone" })).toMatchObject(left);
    expect(await identify({ previous_id: "gone", user_id: "new" })).toMatchObject(left);
    expect(
      await identify({ previous_id: "gone", user_id: "gone", traits: { a: 1 } }),
    ).toMatchObject(left);
    expect(await identify({ previous_id: "new", user_id: "newer" })).toMatchObject(kept);
    expect(await blockedCount()).toBe(before);
    const found = await app.send("POST", "/people/erase", {
      key: app.key,
      body: { project: "shop", user_id: "gone" },
    });
    expect(found.status).toBe(404);
  });

  test("is not stored in another project either, if that blocked it, and only then", async () => {
    const other = await app.makeProject("other");
    await app.track(other, visit("gone"));
    expect(await eventsOf("gone", other)).toBe(1);
  });

  test("is excluded in the dialects too", async () => {
    const { send: post, events, project } = await sourceOf(app, "posthog", "phc_blocked");
    const capture = (id: string, event = "$pageview", properties: Json = {}) =>
      post("POST", "/capture/", {
        body: { api_key: "phc_blocked", event, distinct_id: id, properties },
      });
    await capture("u1");
    await erasedPerson(app, { project: project.id, user_id: "u1", block: true });
    expect((await capture("u1")).status).toBe(200);
    expect((await capture("u1", "$identify", { $anon_distinct_id: "u3" })).status).toBe(200);
    await capture("u2");
    expect((await events()).map(({ user_id: id }) => id)).toEqual(["u2"]);
    expect(await blockedCount(project)).toBe(1);
  });

  test("that is on its way while its ids are blocked is erased with the others", async () => {
    await app.track(shop, visit("rushed"));
    const event = {
      ...{ name: "late", timeMs: noonMs, userId: "rushed", sessionId: null },
      ...none,
    };
    const entry = {
      kind: "events" as const,
      projectId: shop.id,
      receivedAtMs: noonMs,
      events: [event],
    };
    // Each of these is in a group of its own: the last ones wait while the erasure begins.
    const sent: Promise<unknown>[] = [];
    for (let at = 0; at < 20; at++) {
      sent.push(app.deps.store.append([entry]));
      await new Promise(setImmediate);
    }
    sent.push(app.deps.store.append([entry]), app.deps.store.append([entry]));
    await app.deps.store.erasures?.erase(shop.id, ["rushed"]);
    await Promise.all(sent);
    expect(await eventsOf("rushed")).toBe(0);
  });
  const none = { country: null, properties: null, eventId: null };
});

describe("a row of a blocked id in an imported file", () => {
  test("is counted as excluded", async () => {
    const at = (userId: string, minute: number) =>
      visit(userId, { timestamp: noonMs - minute * 60_000 });
    const file = eventLines([at("gone", 1), at("imported", 2), at("before", 3)]);
    const { report } = await checked(app, shop, file, { overlap: "keep" });
    expect(report).toMatchObject({
      rows: { stored: 1, excluded: 2, refused: 0 },
      differences: expect.arrayContaining([expect.objectContaining({ what: "excluded", file: 2 })]),
    });
    await committed(app, shop, `${file}\n`, { overlap: "keep" });
    expect([await eventsOf("gone"), await eventsOf("imported")]).toEqual([0, 1]);
  });

  test("is so in an export of this product with its links and traits", async () => {
    const other = await app.makeProject("exported");
    await app.track(other, visit("gone"), visit("friend"));
    const link = {
      token: other.token,
      previous_id: "before",
      user_id: "gone",
      traits: { plan: "x" },
    };
    await app.send("POST", "/identify", { body: link });
    const file = await (
      await app.send("GET", "/export?project=exported&kind=all", { key: app.key })
    ).text();
    const { report } = await checked(app, shop, file, { overlap: "keep" });
    // The event, the link and the traits.
    expect((report as Json).rows).toMatchObject({ excluded: 3 });
  });

  test("does not come back by a link to another id of the file", async () => {
    const rows = [
      { event: "$identify", distinct_id: "gone", properties: { $anon_distinct_id: "aaa" } },
      { event: "visit", distinct_id: "gone", properties: {} },
      { event: "visit", distinct_id: "aaa", properties: {} },
    ].map((row, at) => ({
      ...row,
      uuid: `u${at}`,
      timestamp: new Date(noonMs - 1000 * at).toISOString(),
    }));
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    const { report } = await checked(app, shop, lines, { overlap: "keep", kind: "posthog" });
    expect(report).toMatchObject({ rows: { excluded: 1, stored: 1 } });
  });

  test("is not named in the report of a project that blocks nobody", async () => {
    const other = await app.makeProject("open");
    const { report } = await checked(
      app,
      other,
      eventLines([visit("gone", { timestamp: noonMs - 1 })]),
    );
    expect((report as Json).rows).not.toHaveProperty("excluded");
  });
});

describe("the number of blocked ids", () => {
  test("of one erasure has a limit, before anything is erased", async () => {
    const linked = async (userId: string, ids: number) => {
      const entries = Array.from({ length: ids - 1 }, (_, at) => ({
        ...{ kind: "identity" as const, projectId: shop.id, receivedAtMs: noonMs },
        ...{ previousId: `${userId}-${at}`, userId, traits: null },
      }));
      await app.deps.store.append(entries);
      await app.track(shop, visit(userId));
    };
    await linked("many", blockedIdsPerErasureMax);
    await linked("more", blockedIdsPerErasureMax + 1);
    const body = { project: "shop", user_id: "more", block: true };
    const preview = await app.send("POST", "/people/erase", { key: app.key, body });
    expect(preview.status).toBe(400);
    expect(await preview.json()).toMatchObject({ error: "MISSING_FIELDS", field: "block" });
    const { confirm } = await app.post("/people/erase", { ...body, block: false });
    const refused = await app.send("POST", "/people/erase", {
      ...{ key: app.key, body: { ...body, dry_run: false, confirm } },
    });
    expect(refused.status).toBe(400);
    expect(await eventsOf("more")).toBe(1);
    await erasedPerson(app, { project: "shop", user_id: "many", block: true });
    expect(await send("/track", visit("many-998"))).toMatchObject(left);
  });

  test("of one project has a limit too", async () => {
    const { control } = app.deps;
    const full = await app.makeProject("full");
    await app.track(full, visit("last"), visit("beyond"));
    const ids = Array.from({ length: blockedIdsPerProjectMax - 1 }, (_, at) => `id ${at}`);
    control.write(() => control.blockedIds.add("ers_0", [full.id], ids));
    const erase = (userId: string) =>
      erasedPerson(app, { project: "full", user_id: userId, block: true });
    await erase("last");
    expect(await eventsOf("last", full)).toBe(0);
    await expect(erase("beyond")).rejects.toThrow("at most 50000 ids");
    expect(await eventsOf("beyond", full)).toBe(1);
  });
});

test("in a portfolio all projects of the request block all ids", async () => {
  const names = ["one", "two"];
  const [one, two] = [await app.makeProject("one"), await app.makeProject("two")];
  await app.post("/portfolios", { slug: "pair", name: "Pair", projects: names });
  await app.track(one, visit("p1"));
  await erasedPerson(app, { project: "one", user_id: "p1", portfolio: true, block: true });
  for (const { token } of [one, two]) {
    const response = await app.send("POST", "/track", { body: { token, ...visit("p1") } });
    expect(await response.json()).toEqual(left);
  }
});
