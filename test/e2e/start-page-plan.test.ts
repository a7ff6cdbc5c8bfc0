import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { planFor, savedSites } from "../scans/sites";
import { type TestApp, testApp } from "../support/app/app";
import { launchChromium, visitorAgent } from "../support/browser/chromium";
import { lookAt } from "../support/browser/person-pages";
import { eventually } from "../support/suite/eventually";

/**
 * The start page in Chromium. The server is made of the sources and runs in this process: the executable has no
 * internet but the real one, and here the internet is the saved sites.
 */
const statsHost = "stats.example.net";
let snippet = "";
const withSnippet = "https://tracked.example.com/";
const pages: Record<string, string> = {};
const problems: string[] = [];
let app: TestApp;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  app = await testApp({}, savedSites(pages));
  const made = await app.post("/projects", {
    name: "shop",
    allowed_origins: "https://example.com,https://*.example.com",
  });
  snippet = String(made.snippet);
  pages[withSnippet] = `<!doctype html>${snippet}<h1>Shop</h1>`;
  browser = await launchChromium([statsHost]);
  const base = app.listen().replace("localhost", statsHost);
  const context = await browser.newContext({ userAgent: visitorAgent });
  const [name = "", value = ""] = app.cookie.split("=");
  await context.addCookies([{ name, value, url: base }]);
  page = await context.newPage();
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(`${base}/app?project`);
  await page.waitForSelector("#plan-form:visible");
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

async function propose(address: string): Promise<void> {
  await page.fill("#plan-address", address);
  await page.click("#plan-form button");
}
const listed = (): Promise<string[]> => page.locator("#plan-events li").allTextContents();

test("the plan for a site stands beside the snippet, most important first", async () => {
  await eventually(async () =>
    expect(await page.inputValue("#plan-address")).toBe("https://example.com"),
  );
  await propose("saas-start.example.com");
  await page.waitForSelector("#plan:visible");
  const plan = await planFor("saas-start", "preview");
  await eventually(async () => {
    expect(await page.textContent("#plan-heading")).toEndWith("https://saas-start.example.com/");
    expect(await listed()).toEqual(
      plan.minimum_viable_instrumentation.map(
        ({ event, why_this_matters_now: why, implementation_hint: hint }) => event + why + hint,
      ),
    );
    expect(await page.textContent("#plan-snippet")).toStartWith("The snippet is not on this page");
  });
  await lookAt(page, "plan");
});

test("what a page says is shown as text", async () => {
  await propose("hostile-text.example.com");
  await page.locator("#plan-title", { hasText: "hostile" }).waitFor({ timeout: 50_000 });
  await eventually(async () =>
    expect((await listed()).join()).toContain("<script>alert(1)</script>"),
  );
  expect(await page.locator("#plan-events script, #plan-events a").count()).toBe(0);
});

test("once the snippet is there, what is left to do is told", async () => {
  await propose(withSnippet);
  await page.waitForSelector("#plan-problems li");
  await eventually(async () =>
    expect(await page.locator("#plan-problems li").allTextContents()).toEqual([
      expect.stringMatching(/^Open a page of the site/),
    ]),
  );
});

test("a site that cannot be scanned is told with the reason, and no plan stays", async () => {
  const reasons: readonly [string, RegExp][] = [
    ["localhost", /a host name without a dot/],
    ["other.test", /not among the origins of the project/],
    ["none.example.com", /could not read the site: it responded with status 404/],
  ];
  for (const [address, reason] of reasons) {
    await propose(address);
    await page
      .locator(".steps [role=alert]")
      .filter({ hasText: reason })
      .waitFor({ timeout: 50_000 });
    await eventually(async () => expect(await page.isVisible("#plan")).toBe(false));
  }
});

test("and nothing failed in the page", () => {
  expect(problems).toEqual([]);
});
