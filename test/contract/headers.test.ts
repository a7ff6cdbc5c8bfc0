import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { splitName } from "../../src/http/operation/facts";
import { type TestApp, type TestProject, testApp } from "../support/app/app";
import { endpointIndex, streams } from "../support/app/operations";

let app: TestApp;
let project: TestProject;
beforeAll(async () => {
  app = await testApp({ RATE_LIMIT_RPM: "100000" });
  project = await app.makeProject("shop");
});
afterAll(() => app.close());

const header = async (name: string, ...call: Parameters<TestApp["send"]>) =>
  (await app.send(...call)).headers.get(name);
const stats = () => `/stats?project=${project.name}`;

describe("every answer", () => {
  test("carries an X-Request-Id, the client's own if it is fit", async () => {
    for (const path of ["/health", "/nowhere", "/auth/state", "/docs", "/tracker.js", stats()]) {
      expect(await header("x-request-id", "GET", path)).toMatch(/^[\w-]{1,64}$/);
      const headers = { "x-request-id": "mine-1" };
      expect(await header("x-request-id", "GET", path, { headers })).toBe("mine-1");
    }
    const unfit = { "x-request-id": "a b" };
    expect(await header("x-request-id", "GET", "/health", { headers: unfit })).not.toBe("a b");
  });

  test("is what its content type says, and nothing that a browser guesses", async () => {
    const paths = [
      "/health",
      "/nowhere",
      "/app/nowhere",
      "/login",
      "/",
      "/openapi.json",
      "/metrics",
    ];
    for (const path of [...paths, "/tracker.js", "/docs/swagger-ui.css", "/stats", stats()]) {
      const call = path === "/stats" ? {} : { key: app.key };
      const found = await header("x-content-type-options", "GET", path, call);
      expect([path, found]).toEqual([path, "nosniff"]);
    }
    expect(await header("x-content-type-options", "OPTIONS", "/track")).toBe("nosniff");
    expect(await header("x-content-type-options", "PUT", "/track")).toBe("nosniff");
    const stream = await app.open(`/stream?project=shop`, { key: app.key });
    expect(stream.headers.get("x-content-type-options")).toBe("nosniff");
    await stream.body?.cancel();
  });

  test("of JSON says so with its character set", async () => {
    for (const path of ["/health", "/nowhere", stats(), "/openapi.json"]) {
      expect(await header("content-type", "GET", path)).toBe("application/json; charset=utf-8");
    }
  });
});

describe("answers of account endpoints", () => {
  test("are never cached, refused ones too", async () => {
    for (const key of [app.key, undefined, "aak_unknown"]) {
      const call = key === undefined ? {} : { key };
      expect(await header("cache-control", "GET", stats(), call)).toBe("no-store");
    }
  });

  test("tell what is left of the minute", async () => {
    const answer = await app.send("GET", "/projects", { key: app.key });
    const left = Number(answer.headers.get("x-ratelimit-remaining"));
    expect(answer.headers.get("x-ratelimit-limit")).toBe("100000");
    expect(answer.headers.get("x-ratelimit-reset")).toBe(
      String(Date.UTC(2026, 0, 14, 12, 1) / 1000),
    );
    const next = await header("x-ratelimit-remaining", "GET", "/projects", { key: app.key });
    expect(Number(next)).toBe(left - 1);
  });

  test("that are stored reads say what they cost", async () => {
    const timing = await header("server-timing", "GET", stats(), { key: app.key });
    expect(timing).toMatch(/^queue;dur=\d+\.\d+, store;dur=\d+\.\d+$/);
  });

  test("that count as reads carry the month's usage, also when they refuse", async () => {
    await app.track(project, { event: "visit" });
    const usage = async (path: string) => header("x-monthly-usage", "GET", path, { key: app.key });
    expect(await usage(stats())).toBe("1");
    expect(await usage("/stats")).toBe("1");
    expect(await usage("/projects")).toBeNull();
  });
});

describe("other origins", () => {
  const open = () => [stats(), "/health", "/tracker.js", "/openapi.json", "/projects", "/nowhere"];
  const closed = [
    "/auth/state",
    "/docs",
    "/docs/definitions",
    "/docs/api",
    "/login",
    "/auth/nowhere",
    "/admin/accounts",
    "/billing",
    "/metrics",
  ];

  test("may read API answers without credentials", async () => {
    for (const path of open()) {
      const { headers } = await app.send("GET", path, { headers: { origin: "https://x.example" } });
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      const exposed = headers.get("access-control-expose-headers")?.split(", ") ?? [];
      for (const name of [
        "X-Monthly-Usage",
        "X-RateLimit-Reset",
        "X-Request-Id",
        "Server-Timing",
      ]) {
        expect(exposed).toContain(name);
      }
    }
  });

  test("may not read pages, nor what a browser session is for", async () => {
    for (const path of closed) {
      expect(await header("access-control-allow-origin", "GET", path)).toBeNull();
      const preflight = await app.send("OPTIONS", path);
      expect([path, preflight.status >= 400]).toEqual([path, true]);
      expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("are told by a preflight what they may send", async () => {
    for (const path of ["/track", "/stats", "/projects/proj_1"]) {
      const answer = await app.send("OPTIONS", path, {
        headers: { origin: "https://x.example", "access-control-request-method": "POST" },
      });
      expect([answer.status, await answer.text()]).toEqual([204, ""]);
      expect(answer.headers.get("access-control-max-age")).toBe("86400");
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-allow-methods")).toBe(
        "GET, POST, PUT, PATCH, DELETE, OPTIONS",
      );
      expect(answer.headers.get("access-control-allow-headers")).toBe(
        "Authorization, Content-Type, X-API-Key, Last-Event-ID, If-Match, X-Share-Password, " +
          "MCP-Protocol-Version, Mcp-Method, Mcp-Name",
      );
    }
    expect((await app.send("OPTIONS", "/nowhere")).status).toBe(404);
  });
});

/** Clients of other products send events by GET to these paths. HEAD stores nothing, so it is refused. */
const storing: ReadonlySet<string> = new Set(["/count", "/matomo.php", "/piwik.php"]);

describe("methods", () => {
  test("HEAD answers every GET path as GET does, without a body", async () => {
    const paths = app.routes
      .filter(({ method, path }) => method === "GET" && !streams.has(`GET ${path}`))
      .map(({ path }) => path.replace(":id", project.id));
    expect(paths.length).toBeGreaterThan(10);
    for (const path of [...paths, stats()]) {
      const [get, head] = [
        await app.send("GET", path, { key: app.key }),
        await app.send("HEAD", path, { key: app.key }),
      ];
      if (storing.has(path)) {
        expect([path, head.status]).toEqual([path, 405]);
        continue;
      }
      expect([path, head.status]).toEqual([path, get.status]);
      expect(await head.text()).toBe("");
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    }
  });

  test("a known path with another method is 405 and names those it has", async () => {
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    const mounted = new Map<string, string[]>();
    for (const { method, path } of app.routes) {
      mounted.set(path, [...(mounted.get(path) ?? []), method]);
    }
    for (const [path, has] of mounted) {
      for (const method of methods.filter((one) => !has.includes(one))) {
        const answer = await app.send(method, path.replace(":id", "proj_x"), { key: app.key });
        const allow = answer.headers.get("allow")?.split(", ") ?? [];
        expect([method, path, answer.status]).toEqual([method, path, 405]);
        for (const one of has) expect(allow).toContain(one);
        expect(allow.includes("HEAD")).toBe(has.includes("GET") && !streams.has(`GET ${path}`));
      }
    }
  });

  test("operations that are not built yet do not exist", async () => {
    const paths = new Set(app.routes.map(({ path }) => path.replace(/:(\w+)/g, "{$1}")));
    const missing = Object.keys(endpointIndex).filter((name) => !paths.has(splitName(name).path));
    for (const name of missing) {
      const { method, path } = splitName(name);
      const answer = await app.send(method, path, { key: app.key });
      expect([name, answer.status]).toEqual([name, 404]);
    }
  });
});

test("paths that are no paths are 404, never a fault", async () => {
  for (const path of [
    "/%",
    "/%zz",
    "/projects/%E0%A4%A",
    "/projects/%",
    "//stats",
    "/stats/",
    "/STATS",
  ]) {
    const answer = await app.send("GET", path, { key: app.key });
    expect([path, answer.status]).toEqual([path, 404]);
  }
});
