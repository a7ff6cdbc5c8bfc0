import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { noonMs, type TestApp, type TestProject, testApp } from "../../../test/support/app/app";
import { recorded } from "../../../test/support/app/recording";
import { auditEntry } from "../../store/control/audit-tables";

let app: TestApp;
let shop: TestProject;
let blog: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  blog = await app.makeProject("blog");
  const portfolio = { name: "all", slug: "all", projects: [shop.id, blog.id] };
  await app.send("POST", "/portfolios", { key: app.key, body: portfolio });
  await app.track(shop, { event: "visit", user_id: "anon", session_id: "s1" });
  const traits = { plan: "pro", email: "ann@example.com" };
  await identify(shop, { previous_id: "anon", user_id: "ann", traits });
  await app.track(shop, { event: "buy", user_id: "ann", session_id: "s1", properties: { n: 1 } });
  await app.track(shop, { event: "buy", user_id: "bob", session_id: "s2" });
  await app.track(blog, { event: "read", user_id: "ann", session_id: "s3" });
});
afterAll(() => app.close());

const identify = (project: TestProject, fields: object) =>
  app.send("POST", "/identify", { body: { token: project.token, ...fields } });

const exportOf = (body: object) => app.send("POST", "/people/export", { key: app.key, body });

type Line = Readonly<Record<string, unknown>> & { readonly kind: string };
async function linesOf(body: object): Promise<Line[]> {
  const answer = await exportOf(body);
  expect(answer.status).toBe(200);
  return (await answer.text())
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe("the file about a person", () => {
  test("has everything under all ids of theirs, of this project alone", async () => {
    const [first, ...rest] = await linesOf({ project: "shop", user_id: "anon" });
    expect(first).toEqual({
      ...{ kind: "sightline", version: 1, project: "shop", timezone: "UTC" },
      exported_at: noonMs,
    });
    expect(rest.map(({ kind }) => kind)).toEqual([
      ...["person", "identity", "event", "event", "session", "end"],
    ]);
    expect(rest[0]).toMatchObject({ user_id: "ann", project: "shop", traits: { plan: "pro" } });
    expect(rest[1]).toEqual({ kind: "identity", previous_id: "anon", user_id: "ann" });
    expect(rest[3]).toMatchObject({ event: "buy", user_id: "ann", properties: { n: 1 } });
    expect(rest[4]).toMatchObject({ session_id: "s1", event_count: 2 });
  });

  test("is found by an address, and is the same then", async () => {
    const byId = await linesOf({ project: "shop", user_id: "ann" });
    expect(await linesOf({ project: "shop", email: "Ann@Example.com" })).toEqual(byId);
  });

  test("covers the projects of the portfolio where that is asked for", async () => {
    const lines = await linesOf({ project: "shop", user_id: "ann", portfolio: true });
    const events = lines.filter(({ kind }) => kind === "event");
    const places = events.map(({ project_id: id, event }) => `${id} ${event}`);
    expect(new Set(places)).toEqual(
      new Set([`${shop.id} visit`, `${shop.id} buy`, `${blog.id} read`]),
    );
  });

  test("has recordings of the person's sessions, with all that was recorded", async () => {
    await app.post("/replays/enable", { project: "shop" });
    const id = await recorded(app, shop, "s1");
    await recorded(app, shop, "s2");
    const lines = await linesOf({ project: "shop", user_id: "ann" });
    const replays = lines.filter(({ kind }) => kind === "replay");
    expect(replays).toHaveLength(1);
    expect(replays[0]).toMatchObject({
      ...{ id, analytics_session_id: "s1" },
      segments: [{ seq: 0, events: [{ type: 4 }, { type: 2 }] }],
    });
    expect(lines.at(-1)).toMatchObject({ kind: "end", count: lines.length - 2 });
  });

  test("ends with the number of lines and the digest of all bytes before", async () => {
    const file = await (await exportOf({ project: "shop", user_id: "ann" })).text();
    const before = file.slice(0, file.lastIndexOf("\n", file.length - 2) + 1);
    const end: Line = JSON.parse(file.slice(before.length));
    expect(end).toMatchObject({
      ...{ kind: "end", count: before.split("\n").length - 2 },
      sha256: createHash("sha256").update(before).digest("hex"),
    });
  });

  test("is not made of nobody, nor of a request that names nobody", async () => {
    const unknown = await exportOf({ project: "shop", user_id: "eve" });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: "NOT_FOUND" });
    const nobody = await exportOf({ project: "shop" });
    expect(nobody.status).toBe(400);
    expect(await nobody.json()).toMatchObject({ field: "user_id" });
  });
});

test("exports, and lookups by address, are in the audit log, without the person", async () => {
  await linesOf({ project: "shop", user_id: "ann" });
  const body = { project: "shop", email: "ann@example.com" };
  await app.post("/events/lookup", body);
  await app.post("/events/lookup", { project: "shop", user_id: "ann" });
  const entries = app.deps.control.db.select().from(auditEntry).all();
  const own = entries.filter(({ action }) => action.startsWith("person_"));
  expect(own.slice(-2).map(({ action }) => String(action))).toEqual([
    ...["person_exported", "person_looked_up"],
  ]);
  expect(JSON.stringify(own)).not.toContain("ann");
});
