import { describe, expect, test } from "bun:test";
import { type Call, type Json, noonMs, type TestApp, testApp } from "../../../test/support/app/app";
import { eachWithOwnAccount } from "../../../test/support/app/own-account";
import { dayMs } from "../../lib/clock";
import type { ProjectRow } from "../../store/control/tables";
import { installationOf } from "./view";

let app: TestApp;
eachWithOwnAccount((own) => {
  app = own;
});
const body = async (response: Response): Promise<Json> => (await response.json()) as Json;
const call = (method: string, path: string, sent?: Json, more: Call = {}) =>
  app.send(method, path, {
    key: app.key,
    ...(sent === undefined ? {} : { body: sent }),
    ...more,
  });
const create = (sent: Json) => call("POST", "/projects", sent);
const patch = (name: string, sent: Json) => call("PATCH", `/projects/${name}`, sent);
const refusal = async (response: Response) => {
  const { error, field, reason } = await body(response);
  return [response.status, error, field ?? reason].filter((part) => part !== undefined);
};

describe("a new project", () => {
  test("comes with what to do next", async () => {
    const made = await create({ name: "my-shop", domain: "Shop.Example.com/start" });
    expect(made.status).toBe(201);
    const project = await body(made);
    const token = String(project.project_token);
    expect(project).toEqual({
      id: expect.stringMatching(/^proj_[a-z0-9]{16}$/),
      name: "my-shop",
      project_token: expect.stringMatching(/^aat_[0-9a-f]{48}$/),
      allowed_origins: "https://shop.example.com",
      primary_domain: "https://shop.example.com",
      source_scan_id: null,
      replay_enabled: false,
      timezone: "UTC",
      identify: "any",
      fold: true,
      created_at: new Date(noonMs).toISOString(),
      total_events: 0,
      total_reads: 0,
      snippet:
        '<script defer src="http://localhost:3000/tracker.js" data-project="my-shop" ' +
        `data-token="${token}"></script>`,
      snippet_note: expect.stringContaining("https://shop.example.com"),
      api_example: expect.stringContaining("/stats?project=my-shop"),
    });
    expect(String(project.snippet_note)).not.toContain("\n");
  });

  test("has a snippet with the address that its page was opened under, while PUBLIC_URL is unset", async () => {
    const asPage = (origin: string) => ({
      headers: { cookie: app.cookie, origin, host: new URL(origin).host },
      body: { name: "my-shop", domain: "shop.example.com" },
    });
    for (const origin of ["http://192.0.2.7:3000", "https://stats.example.net", "http://[::1]:1"]) {
      const made = await body(await app.send("POST", "/projects", asPage(origin)));
      expect(made.snippet).toStartWith(`<script defer src="${origin}/tracker.js" `);
      expect(made.api_example).toContain(`"${origin}/stats?`);
      expect(made.snippet_note).toContain(`PUBLIC_URL is not set, so the snippet uses ${origin}`);
    }
    const config = { ...app.deps.config, publicUrlIsSet: true };
    const { snippet_note: note, snippet } = installationOf(
      { name: "a", token: "aat_", primaryDomain: "https://a.example" } as ProjectRow,
      config,
      new Headers({ origin: "https://stats.example.net", host: "stats.example.net" }),
    );
    expect([snippet.includes(`"${config.publicUrl}/`), note.includes("PUBLIC_URL")]).toEqual([
      true,
      false,
    ]);
  });

  test("whose name exists is that one, unchanged, whatever else was sent", async () => {
    const first = await body(await create({ name: "shop", domain: "shop.example" }));
    await app.track({ id: "", name: "shop", token: String(first.project_token) }, { event: "x" });
    for (const sent of [{ domain: "other.example" }, {}, { allowed_origins: null }]) {
      const again = await create({ name: "shop", ...sent });
      expect(again.status).toBe(200);
      expect(await body(again)).toEqual({ ...first, total_events: 1, existing: true });
    }
    expect((await app.get("/projects")).projects).toHaveLength(1);
  });

  test("made twice at once is one", async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => create({ name: "shop", domain: "shop.example" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    const ids = new Set(await Promise.all(answers.map(async (one) => (await body(one)).id)));
    expect(ids.size).toBe(1);
  });

  test("made at once with another name and the same origin, one of them is refused", async () => {
    const answers = await Promise.all(
      ["a", "b"].map((name) => create({ name, domain: "shop.example" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test("may not share its primary origin; it may allow another's", async () => {
    await create({ name: "a", domain: "a.example" });
    const taken = await create({ name: "b", allowed_origins: "https://a.example,b.example" });
    expect(await refusal(taken)).toEqual([409, "DUPLICATE_ORIGIN"]);
    const allowed = await create({ name: "b", allowed_origins: "b.example,a.example" });
    expect(allowed.status).toBe(201);
    expect((await create({ name: "c", domain: "http://a.example" })).status).toBe(201);
  });
});

describe("projects are read", () => {
  test("oldest first, with what they hold", async () => {
    expect(await app.get("/projects")).toEqual({ projects: [], has_api_key: true, tier: "pro" });
    for (const [at, name] of ["b", "a", "c"].entries()) {
      app.setTime(noonMs + at);
      await app.makeProject(name);
    }
    const { projects } = await app.get("/projects");
    expect(projects).toMatchObject([{ name: "b" }, { name: "a" }, { name: "c" }]);
  });

  test("by id and by name, with today's use; reads of the dashboard do not count", async () => {
    const shop = await app.makeProject("shop");
    await app.track(shop, { event: "a" }, { event: "b", timestamp: noonMs - 2 * dayMs });
    await app.get("/stats?project=shop");
    await app.send("GET", "/stats?project=shop", { headers: { cookie: app.cookie } });
    const project = await app.get("/projects/shop");
    expect(project).toMatchObject({
      total_events: 2,
      total_reads: 1,
      usage_today: { event_count: 2, read_count: 1 },
    });
    expect(await app.get(`/projects/${shop.id}`)).toEqual(project);
  });

  test("with a count per date: oldest first, zeros included, today last", async () => {
    const shop = await app.makeProject("shop");
    await app.track(shop, { event: "a" });
    await app.get("/stats?project=shop");
    app.deps.usage.flush();
    app.setTime(noonMs + 2 * dayMs);
    await app.track(shop, { event: "b", timestamp: noonMs }, { event: "c" });
    await app.get("/stats?project=shop");
    await app.get("/stats?project=shop");
    expect(await app.get("/projects/shop/usage?days=4")).toEqual({
      project_id: shop.id,
      usage: [
        { date: "2026-01-13", event_count: 0, read_count: 0 },
        { date: "2026-01-14", event_count: 1, read_count: 1 },
        { date: "2026-01-15", event_count: 0, read_count: 0 },
        { date: "2026-01-16", event_count: 2, read_count: 2 },
      ],
    });
  });
});

describe("a project changes", () => {
  test("its name at any time, while its id and its token stay", async () => {
    const shop = await app.makeProject("shop");
    await app.makeProject("blog");
    expect(await body(await patch("shop", { name: "store" }))).toMatchObject({ name: "store" });
    expect((await call("GET", "/projects/shop")).status).toBe(404);
    expect(await refusal(await patch("store", { name: "blog" }))).toEqual([409, "DUPLICATE_NAME"]);
    await app.track(shop, { event: "a" });
    const renamed = await body(await patch("store", { name: "shop-2" }));
    expect(renamed).toMatchObject({ id: shop.id, name: "shop-2", total_events: 1 });
    // A page that still has the snippet with the old name goes on sending.
    await app.track(shop, { event: "b" });
    for (const selector of ["shop-2", shop.id]) {
      expect(await app.get(`/stats?project=${selector}`)).toMatchObject({
        totals: { total_events: 2 },
      });
    }
    expect((await call("GET", "/stats?project=store")).status).toBe(404);
  });

  test("its origins at any time: the first concrete one becomes primary, `*` leaves it", async () => {
    await app.makeProject("shop");
    const origins = async (allowed_origins: string) => {
      const changed = await body(await patch("shop", { allowed_origins }));
      return [changed.allowed_origins, changed.primary_domain];
    };
    expect(await origins("*")).toEqual(["*", "https://shop.example.com"]);
    expect(await origins("*.b.example, b.example")).toEqual([
      "https://*.b.example,https://b.example",
      "https://b.example",
    ]);
    expect(await origins("*.c.example")).toEqual(["https://*.c.example", "https://b.example"]);
  });

  test("and ingestion knows at once", async () => {
    const { token } = await app.makeProject("shop");
    const send = () =>
      app.send("POST", "/track", {
        headers: { origin: "https://b.example" },
        body: { token, event: "a" },
      });
    expect((await send()).status).toBe(403);
    await patch("shop", { allowed_origins: "https://b.example" });
    expect((await send()).status).toBe(202);
    await call("DELETE", "/projects/shop");
    expect((await send()).status).toBe(401);
  });

  test("both or nothing", async () => {
    await app.makeProject("shop");
    await app.makeProject("blog");
    await patch("shop", { name: "store", allowed_origins: "https://blog.example.com" });
    expect((await call("GET", "/projects/shop")).status).toBe(200);
  });
});

describe("a deleted project", () => {
  test("is gone, and its name and origin are free", async () => {
    const shop = await app.makeProject("shop");
    await app.track(shop, { event: "a" });
    expect(await body(await call("DELETE", "/projects/shop"))).toEqual({
      ok: true,
      deleted: shop.id,
    });
    for (const path of [`/projects/${shop.id}`, "/projects/shop", "/stats?project=shop"]) {
      expect((await call("GET", path)).status).toBe(404);
    }
    expect((await call("DELETE", `/projects/${shop.id}`)).status).toBe(404);
    const next = await app.makeProject("shop");
    expect(next.id).not.toBe(shop.id);
    expect(await app.get("/projects/shop")).toMatchObject({ total_events: 0 });
  });
});

describe("what belongs to another account", () => {
  test("is forbidden by id, and unknown by name and as a selector", async () => {
    app = await testApp({ REGISTRATION: "open" });
    const shop = await app.makeProject("shop");
    const login = { email: "b@example.com", password: "correct horse battery" };
    const other = await app.send("POST", "/auth/signup", { body: login });
    const headers = {
      cookie: other.headers.get("set-cookie")?.split(";")[0] ?? "",
      origin: "http://localhost:3000",
    };
    const status = async (method: string, path: string, sent?: Json) => {
      const more = sent === undefined ? {} : { body: sent };
      return (await app.send(method, path, { headers, ...more })).status;
    };
    expect(await status("GET", `/projects/${shop.id}`)).toBe(403);
    expect(await status("GET", `/projects/${shop.id}/usage`)).toBe(403);
    expect(await status("PATCH", `/projects/${shop.id}`, { name: "mine" })).toBe(403);
    expect(await status("DELETE", `/projects/${shop.id}`)).toBe(403);
    expect(await status("GET", "/projects/shop")).toBe(404);
    expect(await status("GET", `/stats?project=${shop.id}`)).toBe(404);
    expect(await status("GET", "/projects/proj_unknown")).toBe(404);
    expect(await status("POST", "/projects", { name: "shop", domain: "shop.example.com" })).toBe(
      201,
    );
    expect(await status("GET", "/projects/shop")).toBe(200);
    await app.close();
  });
});

test("Free has two projects; the third is refused until one is deleted", async () => {
  app = await testApp({ REGISTRATION: "open", DEFAULT_TIER: "free" });
  const login = { email: "b@example.com", password: "correct horse battery" };
  const other = await app.send("POST", "/auth/signup", { body: login });
  const headers = {
    cookie: other.headers.get("set-cookie")?.split(";")[0] ?? "",
    origin: "http://localhost:3000",
  };
  const make = (name: string) =>
    app.send("POST", "/projects", { headers, body: { name, domain: `${name}.example` } });
  const answers = await Promise.all(["a", "b", "c", "d"].map(make));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
  const refused = await make("e");
  expect(await body(refused)).toMatchObject({
    error: "PRO_REQUIRED",
    reason: "project_limit",
    upgrade_url: "http://localhost:3000/account/billing",
  });
  expect((await make("a")).status).toBe(200);
  await app.send("DELETE", "/projects/a", { headers });
  expect((await make("e")).status).toBe(201);
  await app.close();
});
