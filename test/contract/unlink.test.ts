import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, type TestApp, type TestProject, testApp } from "../support/app/app";

let app: TestApp;
let shop: TestProject;
beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
});
afterAll(() => app.close());

const identify = (previous_id: string, user_id: string, headers: Record<string, string> = {}) =>
  app.send("POST", "/identify", { headers, body: { token: shop.token, previous_id, user_id } });
const unlink = (body: Json) =>
  app.send("POST", "/identities/unlink", { key: app.key, body: { project: "shop", ...body } });
const usersOf = async (event: string): Promise<unknown[]> => {
  const { events } = await app.get(`/events?project=shop&event=${event}`);
  return (events as Json[]).map(({ user_id }) => user_id);
};
const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as Json).error,
];

describe("POST /identities/unlink", () => {
  test("separates two strangers whom anybody had merged, in every read, when it answers", async () => {
    for (const user_id of ["victim", "stranger", "guest"]) {
      await app.track(shop, { event: "merged", user_id, session_id: `s-${user_id}` });
    }
    await identify("guest", "victim");
    await identify("victim", "stranger");
    expect(await usersOf("merged")).toEqual(["stranger", "stranger", "stranger"]);
    const response = await unlink({ previous_id: "victim" });
    expect(await response.json()).toEqual({
      ...{ ok: true, previous_id: "victim", user_id: "stranger", events: 2 },
    });
    expect((await usersOf("merged")).sort()).toEqual(["stranger", "victim", "victim"]);
    const { sessions } = await app.get("/sessions?project=shop");
    expect((sessions as Json[]).map(({ user_id }) => user_id).sort()).toEqual([
      ...["stranger", "victim", "victim"],
    ]);
    await app.track(shop, { event: "merged", user_id: "guest" });
    expect((await usersOf("merged")).filter((user) => user === "victim")).toHaveLength(3);
  });

  test("of an id that stands for itself, or that nobody has sent, finds nothing", async () => {
    expect(await codeOf(await unlink({ previous_id: "stranger" }))).toEqual([404, "NOT_FOUND"]);
    expect(await codeOf(await unlink({ previous_id: "nobody" }))).toEqual([404, "NOT_FOUND"]);
    await app.makeProject("empty");
    const elsewhere = await unlink({ project: "empty", previous_id: "guest" });
    expect(await codeOf(elsewhere)).toEqual([404, "NOT_FOUND"]);
  });

  test("brings back what had stayed with an earlier target", async () => {
    await app.track(shop, { event: "twice", user_id: "device" });
    await identify("device", "ann");
    await identify("device", "bob");
    await app.track(shop, { event: "twice", user_id: "device" });
    expect(await usersOf("twice")).toEqual(["bob", "ann"]);
    const answer = (await (await unlink({ previous_id: "device" })).json()) as Json;
    expect(answer).toMatchObject({ user_id: "bob", events: 2 });
    expect(await usersOf("twice")).toEqual(["device", "device"]);
  });

  test("takes an id of 1 to 256 characters", async () => {
    const longest = "x".repeat(256);
    await identify(longest, "ann");
    expect((await unlink({ previous_id: longest })).status).toBe(200);
    for (const previous_id of ["", "x".repeat(257), undefined]) {
      expect(await codeOf(await unlink({ previous_id }))).toEqual([400, "MISSING_FIELDS"]);
    }
    expect(await codeOf(await unlink({ previous_id: 1 }))).toEqual([400, "INVALID_BODY"]);
  });
});

describe("a project with identify: servers", () => {
  const change = (identify: string) =>
    app.send("PATCH", `/projects/${shop.id}`, { key: app.key, body: { identify } });
  const origin = { origin: "https://shop.example.com" };

  test("takes links without an Origin, and answers a browser that it changed nothing", async () => {
    expect(await app.get(`/projects/${shop.id}`)).toMatchObject({ identify: "any" });
    expect(await (await change("servers")).json()).toMatchObject({ identify: "servers" });
    await app.track(shop, { event: "linked", user_id: "browser" });
    const set = await identify("browser", "server", origin);
    expect([set.status, await set.json()]).toEqual([
      202,
      { ok: true, queued: false, reason: "identify_off" },
    ]);
    expect(await usersOf("linked")).toEqual(["browser"]);
    expect(await (await identify("browser", "server")).json()).toEqual({ ok: true, queued: true });
    expect(await usersOf("linked")).toEqual(["server"]);
  });

  test("takes events of browsers, refuses foreign origins, and can be set back", async () => {
    const { token } = shop;
    const sent = await app.send("POST", "/track", {
      headers: origin,
      body: { token, event: "still" },
    });
    expect(await sent.json()).toEqual({ ok: true, queued: true });
    const foreign = await identify("a", "b", { origin: "https://evil.example" });
    expect(foreign.status).toBe(403);
    expect((await change("any")).status).toBe(200);
    const taken = await identify("later", "server", origin);
    expect(await taken.json()).toEqual({ ok: true, queued: true });
  });

  test("knows no other value", async () => {
    const response = await change("nobody");
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "MISSING_FIELDS", field: "identify" });
  });
});
