import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { oidcProvider, type TestProvider } from "../support/app/oidc";
import { launchChromium, visitorAgent } from "../support/browser/chromium";
import { logInOn, lookAt } from "../support/browser/person-pages";
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

/** A person, a browser and a provider. Browsers say where a request comes from to hosts that they trust alone. */
const dataDir = temporaryFolder();
const port = freePort();
const base = `http://localhost:${port}`;
let provider: TestProvider;
let server: Server;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  provider = await oidcProvider(`${base}/auth/oidc/callback`);
  const env = { ...provider.environment, PORT: String(port), PUBLIC_URL: base, OIDC_NAME: "Corp" };
  server = await startServer({ dataDir, env });
  const first = { ...login, setup_token: setupToken };
  await ask(server.url, "POST", "/auth/setup", { Origin: base }, first);
  browser = await launchChromium([]);
  page = await (await browser.newContext({ userAgent: visitorAgent })).newPage();
});
afterAll(async () => {
  await browser.close();
  await server.kill();
  await provider.close();
  removeFolder(dataDir);
});

test("a person links an identity in the settings, logs in with it, and unlinks it", async () => {
  await page.goto(`${base}/login?next=%2Fapp%2Fsettings`);
  await logInOn(page, login);
  await page.waitForURL(`${base}/app/settings`);
  provider.person = { id: "ann-at-corp" };
  await page.click("#oidc-link");
  await page.fill("#password-again", login.password);
  await page.getByRole("button", { name: "Confirm" }).click();
  const linked = page.locator("#identities li", { hasText: "ann-at-corp" });
  await linked.waitFor();
  expect(await linked.locator("strong").textContent()).toBe("Corp");
  await lookAt(page, "identities");

  const other = await (await browser.newContext({ userAgent: visitorAgent })).newPage();
  await other.goto(`${base}/login?next=%2Fapp%2Fsettings`);
  await other.getByRole("link", { name: "Log in with Corp" }).click();
  await other.locator("#account-email", { hasText: login.email }).waitFor();
  await other.context().close();

  await linked.getByRole("button", { name: "Unlink" }).click();
  await page.fill("#unlink-password", "not this one");
  await linked.locator("button[type=submit]").click();
  await linked.getByRole("alert").waitFor();
  await page.fill("#unlink-password", login.password);
  await linked.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Link Corp to this log-in" }).waitFor();
  await linked.waitFor({ state: "detached" });
});

test("who is logged in and cannot be linked reads why", async () => {
  provider.isRefusing = true;
  // The provider knows the browser, and would ask nothing.
  await page.context().clearCookies({ domain: "127.0.0.1" });
  await page.click("#oidc-link");
  await page.fill("#password-again", login.password);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.waitForURL(/error=oidc_refused/);
  await page.locator("#oidc-alert", { hasText: "Single sign-on did not let you in" }).waitFor();
  await page.getByRole("link", { name: "Back to Sightline" }).click();
  await page.waitForURL(/\/app/);
});
