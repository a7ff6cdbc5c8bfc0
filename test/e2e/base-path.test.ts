import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium, visitorAgent } from "../support/browser/chromium";
import { openOn } from "../support/browser/person-pages";
import { login } from "../support/server/account";
import { startNginx } from "../support/server/nginx";
import {
  freePort,
  removeFolder,
  type Server,
  setupToken,
  startServer,
  temporaryFolder,
} from "../support/server/server";

/** A person below a base path, in Chromium, through nginx: once it passes the path on, once it cuts the path off. */
const statsHost = "example.net";
const siteHost = "shop.example.com";
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium([statsHost, siteHost]);
});
afterAll(() => browser.close());

/** The origin belongs to others too: what leaves the path is answered 418. */
const blockOf = (port: number, server: Server, end: string): string => `
map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
server {
  listen 127.0.0.1:${port};
  location /stats/ {
    proxy_pass ${server.url}${end};
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $connection_upgrade;
  }
  location = /stats { return 308 /stats/; }
  location /.well-known/ { proxy_pass ${server.url}; proxy_set_header Host $http_host; }
  location / { return 418; }
}`;

describe.each([
  ["passes the path on", ""],
  ["cuts the path off", "/"],
])("where nginx %s", (_, end) => {
  const folder = temporaryFolder();
  const [port, sitePort] = [freePort(), freePort()];
  const base = `http://${statsHost}:${port}/stats`;
  /** Requests to the host of the server that left the path, and what the pages complained of. */
  const strays: string[] = [];
  const problems: string[] = [];
  let server: Server;
  let stopNginx: () => Promise<void>;
  let page: Page;

  beforeAll(async () => {
    const env = { PUBLIC_URL: base, TRUSTED_PROXIES: "127.0.0.1" };
    server = await startServer({ dataDir: `${folder}/data`, env });
    stopNginx = await startNginx(folder, port, blockOf(port, server, end));
    const context = await browser.newContext({ userAgent: visitorAgent });
    page = await context.newPage();
    context.on("request", (request) => {
      const { host, pathname, href } = new URL(request.url());
      if (host === `${statsHost}:${port}` && !pathname.startsWith("/stats"))
        strays.push(`${href} in ${request.frame().url()}`);
    });
    context.on("response", (response) => {
      if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
    });
    context.on("weberror", (error) => problems.push(String(error.error())));
  });
  afterAll(async () => {
    await page.context().close();
    await stopNginx();
    expect(await server.stop()).toBe(0);
    removeFolder(folder);
  });

  test("a person sets up, makes a project and sees the visit of a site that has its snippet", async () => {
    await page.goto(`${base}/setup?token=${setupToken}`);
    await page.fill("#email", login.email);
    await page.fill("#password", login.password);
    await page.click("#setup-form button");
    await page.waitForURL(`${base}/app`);
    await page.fill("#project-name", "shop");
    await page.fill("#project-domain", `http://${siteHost}:${sitePort}`);
    await page.click("#project-form button");
    await page.waitForSelector("#snippet");
    const snippet = (await page.textContent("#snippet")) ?? "";
    expect(snippet).toContain(`src="${base}/tracker.js"`);

    const html = `<!doctype html><title>Shop</title>${snippet}<h1>Shop</h1>`;
    const headers = { "Content-Type": "text/html" };
    const site = Bun.serve({
      ...{ port: sitePort, hostname: "127.0.0.1", fetch: () => new Response(html, { headers }) },
    });
    const visitor = await page.context().newPage();
    await visitor.goto(`http://${siteHost}:${sitePort}/`);
    await page.waitForSelector("#to-overview:visible");
    await visitor.close();
    await site.stop(true);
    await page.click("#to-overview");
    await page.waitForURL(/\/stats\/app\/p\/shop\/overview/);
    await page.waitForSelector(".tile");
  });

  test("links, a reload, the live page and the documentation stay below the path", async () => {
    await page.goto(`${base}/app/p/shop/live`);
    const socket = page.waitForEvent("websocket");
    await page.reload();
    expect((await socket).url()).toStartWith(`${base.replace("http", "ws")}/live/ws?`);
    const links = await page
      .locator("a[href]")
      .evaluateAll((all) =>
        all.map((link) => new URL(link.getAttribute("href") ?? "", link.baseURI).href),
      );
    expect(links.length).toBeGreaterThan(8);
    expect(links.filter((link) => !link.startsWith(`${base}/`))).toEqual([]);
    await page.goto(`${base}/docs`);
    await page.locator("#pages a:visible").nth(1).click();
    await page.waitForURL(/\/stats\/docs\/./);
    await page.goto(`${base}/docs/api`);
    await page.waitForSelector(".opblock-tag");
  });

  test("logging out leads to the log-in, and logging in back to the page", async () => {
    await page.goto(`${base}/app/settings`);
    await page.click("#account-menu");
    await page.click("#logout");
    await page.waitForURL(`${base}/login`);
    await openOn(page, `${base}/app/p/shop/overview?period=7d`);
    await page.waitForURL(/\/stats\/login\?next=/);
    await page.fill("#email", login.email);
    await page.fill("#password", login.password);
    await page.click("#login-form button");
    await page.waitForURL(`${base}/app/p/shop/overview?period=7d`);
    await page.waitForSelector(".tile");
  });

  test("the documents of MCP sign-in are found at the root of the origin", async () => {
    const path = "/.well-known/oauth-protected-resource/stats/mcp";
    const headers = { Host: `${statsHost}:${port}` };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    expect(await answer.json()).toMatchObject({ resource: `${base}/mcp` });
  });

  test("no page left the path or complained", () => {
    expect([strays, problems]).toEqual([[], []]);
  });
});
