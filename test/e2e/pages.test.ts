import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium, visitorAgent } from "../support/browser/chromium";
import { logInOn, lookAt, openOn } from "../support/browser/person-pages";
import { untilInPage } from "../support/browser/until-in-page";
import { login } from "../support/server/account";
import {
  ask,
  freePort,
  removeFolder,
  type Server,
  setupToken,
  startServer,
  temporaryFolder,
} from "../support/server/server";
import { eventually } from "../support/suite/eventually";

/** A name of its own for the server and one for the site: to a browser, neither is localhost. */
const statsHost = "stats.example.net";
const siteHost = "shop.example.net";

const dataDir = temporaryFolder();
const port = freePort();
const sitePort = freePort();
const base = `http://${statsHost}:${port}`;
let server: Server;
let browser: Browser;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  server = await startServer({ dataDir, env: { PORT: String(port), PUBLIC_URL: base } });
  browser = await launchChromium([statsHost, siteHost]);
  page = await newPage();
  await openOn(page, `${base}/`);
});
afterAll(async () => {
  await browser.close();
  await server.kill();
  removeFolder(dataDir);
});

describe("from an empty server to the first number, in a browser", () => {
  test("the first visit leads to set-up, and set-up to the start page", async () => {
    await page.waitForURL("**/setup");
    await page.locator("#setup-form input:focus").waitFor();
    // The demo is one click away, has numbers at once, and stays when it is loaded again.
    const visitor = await newPage();
    await visitor.goto(`${base}/setup`);
    await visitor.click("#demo-link");
    await visitor.waitForURL("**/app/p/agentanalytics-demo/overview**");
    const visitors = visitor.locator(".tile-value").first();
    await visitors.filter({ hasText: /[1-9]/ }).waitFor();
    await visitor.reload();
    await visitors.filter({ hasText: /[1-9]/ }).waitFor();
    await visitor.context().close();
    await page.fill("#email", login.email);
    await page.fill("#password", login.password);
    await page.fill("#setup-token", setupToken);
    await page.click("#setup-form button");
    await page.waitForURL("**/app");
  });

  test("the API key is shown once", async () => {
    await page.click("#make-key");
    await expectText("#key", /^aak_[0-9a-f]{48}$/);
    await page.reload();
    await page.waitForSelector("#key-exists:visible");
    await eventually(async () => expect(await page.locator("#key").count()).toBe(0));
  });

  test("a project gives a snippet with its token", async () => {
    await page.fill("#project-name", "my-shop");
    await page.fill("#project-domain", `http://${siteHost}:${sitePort}`);
    await page.click("#project-form button");
    await expectText(
      "#snippet",
      /<script defer src="http:\/\/stats\.example\.net:\d+\/tracker\.js" /,
    );
    await expectText("#snippet", /data-project="my-shop" data-token="aat_[0-9a-f]{48}"/);
    await expectText("#waiting-status", /^Waiting/);
  });

  test("the page tells of an automated request, with the remedy", async () => {
    const body = { token: await shownToken(), event: "hello" };
    const reply = await ask(server.url, "POST", "/track", { "User-Agent": "curl/8.5.0" }, body);
    expect(JSON.parse(reply.body)).toMatchObject({ queued: false, actor: "curl" });
    await expectText("#not-stored-rows", /curl.*automation_script/i);
    await expectText("#waiting-status", /^Waiting/);
  });

  test("and of an event from a site that the project does not allow", async () => {
    const headers = { "User-Agent": visitorAgent, Origin: "https://elsewhere.example.org" };
    const body = { token: await shownToken(), event: "hello" };
    expect((await ask(server.url, "POST", "/track", headers, body)).status).toBe(403);
    await expectText("#not-stored-rows", /https:\/\/elsewhere\.example\.org/);
  });

  test("all of it can be read on a phone, by day and by night", async () => {
    await page.click("#project-new summary");
    await lookAt(page, "waiting");
    await page.click("#project-new summary");
  });

  test("a visitor opens the site with the snippet: the waiting page turns, and /stats shows the visit", async () => {
    const snippet = (await page.textContent("#snippet")) ?? "";
    const site = Bun.serve({
      port: sitePort,
      hostname: "127.0.0.1",
      fetch: () =>
        new Response(`<!doctype html><title>Shop</title>${snippet}<h1>Shop</h1>`, {
          headers: { "Content-Type": "text/html" },
        }),
    });
    const visitor = await newPage();
    await visitor.goto(`http://${siteHost}:${sitePort}/`);
    await expectText("#waiting-status", /^The first event has arrived/);
    await site.stop(true);
    const stats = await page.evaluate<{ events: unknown; totals: unknown }>(
      `fetch("/stats?project=my-shop").then((reply) => reply.json())`,
    );
    expect(stats.totals).toEqual({ unique_users: 1, total_events: 1, visitors: 1 });
    expect(stats.events).toEqual([{ event: "page_view", count: 1, unique_users: 1 }]);
  });

  test("a test event can be sent from the page", async () => {
    await page.click("#send-test");
    await untilInPage(
      page,
      `fetch("/stats?project=my-shop").then((reply) => reply.json()).then((stats) => stats.totals.total_events === 2)`,
    );
  });

  test("logging out and in again leads back", async () => {
    await page.click("#account-menu");
    await page.click("#logout");
    await page.waitForURL("**/login");
    await logInOn(page, { email: login.email, password: "not this one" });
    await page.waitForSelector("#alert:visible");
    expect(await page.isVisible("#sign-up")).toBe(false);
    await page.fill("#password", login.password);
    await page.click("#login-form button");
    // There are numbers to see by now.
    await page.waitForURL("**/app/p/my-shop/overview");
    await page.waitForSelector(".tile");
  });

  test("no page loaded anything from elsewhere or reported an error", () => {
    expect(problems).toEqual([]);
  });
});

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ userAgent: visitorAgent });
  const opened = await context.newPage();
  opened.on("pageerror", (error) => problems.push(error.message));
  opened.on("request", (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== statsHost && hostname !== siteHost) problems.push(request.url());
  });
  return opened;
}

async function shownToken(): Promise<string> {
  return /data-token="(\w+)"/.exec((await page.textContent("#snippet")) ?? "")?.[1] ?? "";
}

/** Waits until the element's text fits. */
async function expectText(selector: string, pattern: RegExp, timeout = 50_000): Promise<void> {
  await page
    .locator(selector)
    .filter({ hasText: pattern })
    .waitFor({ timeout })
    .catch(async () => expect(await page.textContent(selector)).toMatch(pattern));
}
