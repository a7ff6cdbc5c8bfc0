import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hourMs } from "../../src/lib/clock";
import { auditEntry } from "../../src/store/control/audit-tables";
import { sourceOf } from "../dialects/world";
import { type Json, noonMs, type TestApp, type TestProject, testApp } from "../support/app/app";
import { opening, recordedProject } from "../support/app/recording";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterAll(() => app.close());

const office = "192.0.2.77";
const home = "198.51.100.1";

const path = ({ id } = shop) => `/projects/${id}/exclusions`;
async function put(body: unknown, of = shop): Promise<Json & { readonly status: number }> {
  const response = await app.send("PUT", path(of), { key: app.key, body });
  return { ...((await response.json()) as Json), status: response.status };
}
async function track(event: Json, from: string | null = home, url = "/track"): Promise<Json> {
  const response = await app.send("POST", url, { body: { token: shop.token, ...event }, from });
  expect(response.status).toBe(202);
  return (await response.json()) as Json;
}
const batch = (events: readonly Json[], from = home) => track({ events }, from, "/track/batch");
const count = async (event: string): Promise<number> => {
  const { events } = await app.get(`/events?project=shop&event=${event}&limit=100`);
  return (events as Json[]).length;
};
const excluded = async (of = shop) => (await app.get(path(of))).excluded_24h as Json;
const kept = { ok: true, queued: true };
const left = { ok: true, queued: false, reason: "excluded" };

describe("PUT /projects/{id}/exclusions", () => {
  test("replaces all lists; absent ones are empty", async () => {
    const rules = { ips: ["192.0.2.0/24"], countries: ["DE"], paths: ["/a"], hostnames: ["h.x"] };
    expect(await put(rules)).toMatchObject({ status: 200, ...rules });
    expect(await app.get(path())).toMatchObject(rules);
    const empty = { ips: [], countries: [], paths: [], hostnames: [] };
    expect(await put({ paths: ["/b"] })).toMatchObject({ ...empty, paths: ["/b"] });
    expect(await put({})).toMatchObject(empty);
  });

  test("takes 100 rules of each kind and refuses more, and what is no rule", async () => {
    const paths = Array.from({ length: 101 }, (_, at) => `/${at}`);
    expect((await put({ paths: paths.slice(1) })).status).toBe(200);
    expect(await put({ paths })).toMatchObject({ status: 400, field: "paths" });
    expect((await put({ paths: [`/${"x".repeat(255)}`] })).status).toBe(200);
    for (const wrong of [
      ...[{ paths: [`/${"x".repeat(256)}`] }, { ips: ["0.0.0.0/7"] }, { ips: ["::/18"] }],
      ...[
        { countries: ["Germany"] },
        { paths: ["*"] },
        { hostnames: ["https://x"] },
        { ips: [""] },
      ],
    ]) {
      const [field] = Object.keys(wrong);
      const answer = await put(wrong);
      expect(answer).toMatchObject({ status: 400, error: "MISSING_FIELDS" });
      expect(String(answer.field)).toStartWith(field ?? "");
    }
    expect((await put({ unknown: [] })).status).toBe(400);
    expect((await put({})).status).toBe(200);
  });

  test("is in the audit log, without the addresses", async () => {
    await put({ ips: [office] });
    const entries = app.deps.control.db.select().from(auditEntry).all();
    const entry = entries.findLast(({ action }) => action === "exclusions_changed");
    expect(entry).toMatchObject({ targetId: shop.id, details: { ips: 1, paths: 0 } });
    expect(JSON.stringify(entry)).not.toContain(office);
    await put({});
  });

  test("names the network of who asks", async () => {
    const of = async (from: string | null) =>
      ((await (await app.send("GET", path(), { key: app.key, from })).json()) as Json).your_address;
    expect(await of(office)).toBe(`${office}/32`);
    expect(await of("2001:db8:1:2:3::4")).toBe("2001:db8:1:2::/64");
    expect(await of(null)).toBeNull();
  });
});

describe("an event of an excluded sender or page", () => {
  test("is answered, counted by its reason, and not stored, from the moment of the rule on", async () => {
    const before = await excluded();
    const page = (properties: Json) => ({ event: "rule", user_id: "u", properties });
    expect(await track(page({ path: "/" }), office)).toEqual(kept);
    const rules = { countries: ["US"], paths: ["/admin/*"], hostnames: ["*.dev"] };
    await put({ ips: ["192.0.2.0/24", "2001:db8::/32"], ...rules });
    expect(await track(page({ path: "/" }), office)).toEqual(left);
    expect(await track(page({ path: "/" }), "2001:db8::1")).toEqual(left);
    expect(await track(page({ path: "/" }), "8.8.8.8")).toEqual(left);
    expect(await track(page({ path: "/admin/x" }))).toEqual(left);
    expect(await track(page({ url: "https://shop.dev/admin" }))).toEqual(left);
    // Written in another way than JSON.stringify does, the properties are parsed first.
    expect(await track(page({ 1: 1, path: "/admin/y", email: "a@b.c" }))).toEqual(left);
    expect(await track(page({ path: "/administration" }))).toEqual(kept);
    expect(await count("rule")).toBe(2);
    const after = await excluded();
    const more = (reason: string) => Number(after[reason]) - Number(before[reason]);
    expect([more("ip"), more("country"), more("path"), more("hostname")]).toEqual([2, 1, 2, 1]);
    await put({});
    expect(await track(page({ path: "/admin/x" }), office)).toEqual(kept);
  });

  test("in a batch is left out alone", async () => {
    await put({ paths: ["/admin"] });
    const of = (path: string) => ({ event: "batch", properties: { path } });
    expect(await batch([of("/a"), of("/admin"), of("/b")])).toEqual({ ...kept, count: 2 });
    expect(await count("batch")).toBe(2);
    expect(await batch([of("/admin"), of("/admin")])).toEqual({ ...left, count: 0 });
    expect(await batch([of("/a")], office)).toEqual({ ...kept, count: 1 });
    await put({ ips: [office] });
    expect(await batch([of("/a"), of("/b")], office)).toEqual({ ...left, count: 0 });
    expect(await count("batch")).toBe(3);
  });

  test("is not looked at further, and an event beside it that is refused has its own place", async () => {
    await put({ paths: ["/admin"] });
    const admin = { event: "x".repeat(300), properties: { path: "/admin" } };
    expect(await track(admin)).toEqual(left);
    const response = await app.send("POST", "/track/batch", {
      body: { token: shop.token, events: [admin, { event: "fine" }, { event: "" }] },
      from: home,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ index: 2, field: "event" });
    expect(await count("fine")).toBe(0);
  });

  test("comes after origin and bots, and before the rate", async () => {
    await put({ ips: [office] });
    const send = (headers: Record<string, string>) =>
      app.send("POST", "/track", {
        ...{ body: { token: shop.token, event: "e" }, from: office, headers },
      });
    expect(await (await send({ "user-agent": "curl/8" })).json()).toMatchObject({
      reason: "automated",
    });
    expect((await send({ origin: "https://elsewhere.test" })).status).toBe(403);
    expect(await (await send({})).json()).toEqual(left);
  });

  test("of a person's own link is set aside like a robot's, and not counted", async () => {
    await put({ ips: [office], paths: ["/admin"] });
    const before = await excluded();
    const link = { previous_id: "anon", user_id: "owner" };
    expect(await track(link, office, "/identify")).toEqual(left);
    expect(await track(link, home, "/identify")).toEqual(kept);
    expect(await excluded()).toEqual(before);
  });

  test("is excluded in the dialects too, and answered in their words", async () => {
    const { send, events, project } = await sourceOf(app, "plausible");
    await put({ ips: [office], paths: ["/admin"] }, project);
    const view = async (from: string, u: string) =>
      (await send("POST", "/api/event", { body: { n: "pageview", u }, from })).status;
    expect(await view(office, "https://shop.example.com/")).toBe(202);
    expect(await view(home, "https://shop.example.com/admin")).toBe(202);
    expect(await events()).toHaveLength(0);
    expect(await view(home, "https://shop.example.com/")).toBe(202);
    expect(await events()).toHaveLength(1);
    expect(await excluded(project)).toMatchObject({ ip: 1, path: 1 });
  });

  test("is not recorded either", async () => {
    const project = await recordedProject(app, "recorded");
    const call = async (path: string, body: Json, from: string): Promise<Json> =>
      (await (await app.send("POST", `/replays/ingest/${path}`, { body, from })).json()) as Json;
    const start = (from: string, url = "https://shop.example.com/") =>
      call("start", { token: project.token, session_id: crypto.randomUUID(), url }, from);
    const { replay_id: id, upload_token, recording } = await start(office);
    expect(recording).toBe(true);
    await put({ ips: [office], paths: ["/admin"] }, project);
    const notRecorded = { ok: true, recording: false };
    expect(await start(office)).toEqual(notRecorded);
    expect(await start(home, "https://shop.example.com/admin")).toEqual(notRecorded);
    expect(await start(home)).toMatchObject({ recording: true });
    const segment = { upload_token, seq: 0, events: opening() };
    expect(await call(`${id}/segments`, segment, office)).toMatchObject({
      stop: true,
      stored: false,
    });
    expect(await call(`${id}/segments`, segment, home)).toMatchObject({
      stop: false,
      stored: true,
    });
  });

  test("the test event of the dashboard is stored all the same", async () => {
    await put({ paths: ["/sightline-test"] });
    const response = await app.send("POST", `/projects/${shop.id}/test-event`, {
      ...{ key: app.key, body: {} },
    });
    expect(await response.json()).toEqual(kept);
  });
});

test("counts are those of a day", async () => {
  await put({ ips: [office] });
  await track({ event: "e" }, office);
  expect(Number((await excluded()).ip)).toBeGreaterThan(0);
  app.setTime(noonMs + 24 * hourMs);
  expect((await excluded()).ip).toBe(0);
  app.setTime(noonMs);
});

test("the rules are shown to editors alone, and to no share", async () => {
  const { rule, shares } = app.operations.find(
    ({ name }) => name === "GET /projects/{id}/exclusions",
  )!;
  expect(rule).toMatchObject({ role: "editor", access: "projects:read" });
  expect(shares).toBeNull();
});
