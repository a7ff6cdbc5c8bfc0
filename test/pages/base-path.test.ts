import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestApp, testApp } from "../support/app/app";
import { sourcesIn } from "../support/suite/sources";

const publicUrl = "https://example.com/stats";
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ PUBLIC_URL: publicUrl, REGISTRATION: "open" });
});
afterAll(() => app.close());

const pagesOf = (): readonly string[] =>
  app.routes
    .filter(({ method, path }) => method === "GET" && !/[:*]/.test(path))
    .map(({ path }) => path);

/** The addresses in a page, as a browser at the page's own address sees them. */
const addressesIn = (html: string, address: string): URL[] =>
  [...html.matchAll(/\s(?:href|src|action|data-index|data-root)="([^"]*)"/g)].map(
    ([, link = ""]) => new URL(link.replaceAll("&amp;", "&"), address),
  );

describe("below a path", () => {
  test("no page, script, style or redirect leads out of it, with the path and without", async () => {
    const outside: string[] = [];
    const dead: string[] = [];
    const known = new Set<string>();
    const linked = new Set<string>();
    const waiting = [
      "/",
      "/login/",
      "/app/p/shop",
      "/agent-sessions/authorize/ags_none",
      ...pagesOf(),
    ];
    const headers = { accept: "text/html", cookie: app.cookie };
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (known.has(path)) continue;
      known.add(path);
      const whole = await app.send("GET", `/stats${path}`, { headers });
      const cut = path === "/stats" ? whole.clone() : await app.send("GET", path, { headers });
      expect([path, cut.status]).toEqual([path, whole.status]);
      const location = whole.headers.get("location");
      expect([path, cut.headers.get("location")]).toEqual([path, location]);
      const address = new URL(`${publicUrl}${path}`);
      const text = await whole.text();
      const isPage = whole.headers.get("content-type")?.startsWith("text/html");
      const links = isPage ? addressesIn(text, address.href) : [];
      if (location !== null) links.push(new URL(location, address));
      for (const { origin, pathname } of links) {
        if (origin !== address.origin) continue;
        if (!pathname.startsWith("/stats/")) outside.push(`${path}: ${pathname}`);
        else if (/^\/stats\/(app|docs|login|setup|settings|account)/.test(pathname)) {
          linked.add(pathname.slice("/stats".length));
          waiting.push(pathname.slice("/stats".length));
        }
      }
      if (whole.status === 404 && linked.has(path)) dead.push(path);
    }
    expect(known.size).toBeGreaterThan(60);
    expect(outside).toEqual([]);
    expect(dead).toEqual([]);
  });

  test("cookies have the path, and the name that allows it", async () => {
    expect(app.cookie).toMatch(/^__Secure-sl_session=path_[0-9a-f]{64}$/);
    const body = { email: "owner@example.com", password: "correct horse battery" };
    const made = await app.send("POST", "/stats/auth/login", {
      ...{ body, headers: { origin: "https://example.com" } },
    });
    expect(made.headers.get("set-cookie")).toContain(
      "; Path=/stats/; HttpOnly; SameSite=Lax; Secure",
    );
  });

  test("the documents of sign-in stand where RFC 8414 and RFC 9728 look for them", async () => {
    const refused = await app.send("POST", "/stats/mcp", { body: {} });
    const named = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "");
    expect(named?.[1]).toBe("https://example.com/.well-known/oauth-protected-resource/stats/mcp");
    const resource = await app.get(new URL(named?.[1] ?? "").pathname);
    expect(resource).toMatchObject({
      resource: `${publicUrl}/mcp`,
      authorization_servers: [publicUrl],
    });
    expect(await app.get("/.well-known/oauth-authorization-server/stats")).toMatchObject({
      issuer: publicUrl,
      token_endpoint: `${publicUrl}/oauth/token`,
    });
  });

  test("the snippet, the API document and the texts for agents name the whole address", async () => {
    const made = await app.post("/stats/projects", {
      name: "shop",
      domain: "https://shop.example",
    });
    expect(made.snippet).toContain(`src="${publicUrl}/tracker.js"`);
    expect((await app.get("/openapi.json")).servers).toEqual([{ url: publicUrl }]);
    expect(await (await app.send("GET", "/stats/llms.txt")).text()).toContain(publicUrl);
  });

  test("a page of the origin may act, as whatever else lives there", async () => {
    const send = (origin: string) =>
      app.send("POST", "/stats/auth/logout", { headers: { cookie: app.cookie, origin } });
    expect((await send("https://other.example")).status).toBe(403);
    expect((await send(publicUrl)).status).toBe(403);
    const gone = await send("https://example.com");
    expect(gone.status).toBe(200);
    expect(gone.headers.get("set-cookie")).toStartWith(
      "__Secure-sl_session=; Max-Age=0; Path=/stats/;",
    );
  });
});

test("scripts of the dashboard leave for the browser through the module that adds the path", () => {
  const leaving =
    /location\.(replace|assign)\(\s*["'`]\/|fetch\(\s*["'`]\/|\blocation\.(pathname|origin) \+/;
  const wrong = [...sourcesIn("src/dashboard")]
    .filter(({ path, code }) => !path.endsWith("server-path.ts") && leaving.test(code))
    .map(({ path }) => path);
  expect(wrong).toEqual([]);
});

test("a path that Sightline itself uses is refused in a sentence", async () => {
  await expect(testApp({ PUBLIC_URL: "https://example.com/docs" })).rejects.toThrow(
    "PUBLIC_URL has the path /docs, but Sightline itself answers /docs/",
  );
});
