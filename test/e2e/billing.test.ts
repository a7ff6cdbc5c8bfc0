import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { type FakeProvider, paymentSecrets, signed, startProvider } from "../support/app/payments";
import { launchChromium, visitorAgent } from "../support/browser/chromium";
import { logInOn, lookAt, openOn } from "../support/browser/person-pages";
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

const host = "stats.example.net";
const password = "correct horse battery";
const hostile = `"><img src=x onerror="document.title='taken over'"> <b>now</b>`;

const dataDir = temporaryFolder();
const port = freePort();
const base = `http://${host}:${port}`;
let provider: FakeProvider;
let server: Server;
let browser: Browser;
let page: Page;
let accountId: string;
const problems: string[] = [];

beforeAll(async () => {
  provider = startProvider(
    ({ fields }) => `<!doctype html><title>Pay</title>
<a id="pay" href="${fields.success_url}">Pay</a> <a id="back" href="${fields.cancel_url}">Back</a>`,
  );
  const payments = { ...paymentSecrets, STRIPE_API_BASE: provider.url, REGISTRATION: "open" };
  const env = { ...payments, PORT: String(port), PUBLIC_URL: base };
  server = await startServer({ dataDir, env });
  await signUp("/auth/setup", login.email, { setup_token: setupToken });
  accountId = await signUp("/auth/signup", "payer@example.com");
  browser = await launchChromium([host]);
  page = await newPage();
});
afterAll(async () => {
  await browser.close();
  await server.kill();
  await provider.stop();
  removeFolder(dataDir);
});

async function signUp(path: string, email: string, more: object = {}): Promise<string> {
  const body = { email, password, ...more };
  const reply = await ask(server.url, "POST", path, { Origin: base }, body);
  expect(reply.status).toBe(201);
  return JSON.parse(reply.body).account.id;
}

const upgradeLink = (account: string, mode = "wait"): string =>
  `${base}/account/billing/agent-upgrade?${new URLSearchParams({
    account,
    mode,
    reason: `Funnels are part of Pro ${hostile}`,
    command: `npx agent-analytics funnel my-site --steps "page_view,signup" ${hostile}`,
  })}`;

describe("the link that a program prints", () => {
  test("asks for the log-in first, and is then where it led", async () => {
    await openOn(page, upgradeLink(accountId));
    await logIn(page, "payer@example.com");
    await page.waitForURL(upgradeLink(accountId));
    await page.waitForSelector("#upgrade:visible");
  });

  test("shows what the program says as text, and one button", async () => {
    await eventually(async () => {
      expect(await page.textContent("#reason")).toBe(`Funnels are part of Pro ${hostile}`);
      expect(await page.textContent("#command")).toEndWith(hostile);
      expect(await page.textContent("#account-email")).toBe("payer@example.com");
      expect(await page.textContent("#afterwards")).toMatch(/^The program is waiting/);
      expect(await page.title()).toBe("Upgrade to Pro · Sightline");
      expect(await page.locator("main img, main b").count()).toBe(0);
      expect(await page.locator("main button:visible").allTextContents()).toEqual([
        "Upgrade to Pro",
      ]);
    });
    await lookAt(page, "upgrade");
  });

  test("leads to the provider, and back without payment nothing has changed", async () => {
    await page.click("#upgrade");
    await page.waitForURL(`${provider.url}/pay`);
    expect(provider.orders.at(-1)?.fields).toMatchObject({
      client_reference_id: accountId,
      "line_items[0][price]": paymentSecrets.STRIPE_PRICE_ID,
    });
    await page.click("#back");
    await page.waitForURL(`${base}/account/billing?checkout=canceled`);
    await expectText("#done", /^The payment was canceled/);
    await expectText("#plan-name", /^Free$/);
  });

  test("turns once the provider has told the server that it was paid", async () => {
    await page.click("#upgrade");
    await page.click("#pay");
    await page.waitForURL(`${base}/account/billing?checkout=done`);
    await expectText("#done", /^Thank you\. Waiting/);
    await expectText("#plan-name", /^Free$/);
    const object = { client_reference_id: accountId, payment_status: "paid", customer: "cus_1" };
    await tell({ id: "evt_1", type: "checkout.session.completed", data: { object } });
    await expectText("#done", /^This account has Pro/);
    await expectText("#plan-name", /^Pro$/);
    await expectText("#payment-status", /^Paid$/);
    await lookAt(page, "billing-pro");
    await expectNone("main button:visible");
  });

  test("of an account that has Pro offers no payment", async () => {
    await page.goto(upgradeLink(accountId, "detached"));
    await expectText("#done", /^This account has Pro/);
    await expectText("#afterwards", /^Run the command again/);
    await expectNone("main button:visible");
  });

  test("of another account says so and offers no payment", async () => {
    const orders = provider.orders.length;
    for (const account of ["acc_0000000000000000", hostile]) {
      await page.goto(upgradeLink(account));
      await expectText("#other-account", /This link is for another account/);
      await eventually(async () => {
        expect(await page.textContent("#linked-account")).toBe(account);
        expect(await page.textContent("#present-account")).toBe("payer@example.com");
      });
      await expectNone("#upgrade:visible, #plan:visible");
      await lookAt(page, "upgrade-other");
    }
    expect(provider.orders.length).toBe(orders);
    for (const email of [login.email, "payer@example.com"]) {
      await page.click("#change-account");
      await logIn(page, email);
      await expectText("#present-account", new RegExp(email));
    }
  });
});

test("the billing page tells when a payment failed and when the account has ended", async () => {
  await tell({
    id: "evt_2",
    type: "invoice.payment_failed",
    data: { object: { customer: "cus_1" } },
  });
  await page.goto(`${base}/account/billing`);
  await expectText("#payment-status", /^The last payment failed/);
  const object = { id: "sub_1", customer: "cus_1", status: "canceled" };
  await tell({ id: "evt_3", type: "customer.subscription.deleted", data: { object } });
  await page.reload();
  await expectText("#plan-name", /^Free$/);
  await expectText("#payment-status", /^Ended$/);
  await page.waitForSelector("#upgrade:visible");
  await lookAt(page, "billing-free");
});

test("the page works by keyboard alone", async () => {
  await page.goto(upgradeLink(accountId));
  await page.waitForSelector("#upgrade:visible");
  await page.focus("#main");
  await page.keyboard.press("Tab");
  await eventually(async () =>
    expect(await page.evaluate("document.activeElement.id")).toBe("upgrade"),
  );
  await page.keyboard.press("Enter");
  await page.waitForURL(`${provider.url}/pay`);
});

test("a server that takes no payments says who else can help", async () => {
  const folder = temporaryFolder();
  const ownPort = String(freePort());
  const other = await startServer({
    dataDir: folder,
    env: {
      PORT: ownPort,
      PUBLIC_URL: `http://${host}:${ownPort}`,
      DEFAULT_TIER: "free",
      REGISTRATION: "open",
    },
  });
  const body = { email: login.email, password };
  await ask(other.url, "POST", "/auth/setup", {}, { ...body, setup_token: setupToken });
  await ask(other.url, "POST", "/auth/signup", {}, { ...body, email: "free@example.com" });
  const visitor = await newPage();
  await openOn(visitor, `http://${host}:${ownPort}/account/billing`);
  await logIn(visitor, "free@example.com");
  await visitor.waitForSelector("#no-payments:visible");
  await expectNone("main button:visible", visitor);
  await other.kill();
  removeFolder(folder);
});

test("no page loaded anything from elsewhere, broke its policy or reported an error", () => {
  expect(problems).toEqual([]);
});

async function tell(event: object): Promise<void> {
  const created = Math.floor(Date.now() / 1_000);
  const { text, header } = signed({ created, ...event }, Date.now());
  const reply = await ask(
    server.url,
    "POST",
    "/webhooks/stripe",
    { "Stripe-Signature": header },
    JSON.parse(text),
  );
  expect(reply.status).toBe(200);
}

const logIn = (on: Page, email: string): Promise<void> => logInOn(on, { email, password });

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ userAgent: visitorAgent });
  const opened = await context.newPage();
  opened.on("pageerror", (error) => problems.push(error.message));
  opened.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) problems.push(message.text());
  });
  opened.on("request", (request) => {
    const { hostname, origin } = new URL(request.url());
    if (hostname !== host && origin !== provider.url) problems.push(request.url());
  });
  return opened;
}

const expectNone = (selector: string, on = page): Promise<void> =>
  eventually(async () => expect(await on.locator(selector).count()).toBe(0));

/** Waits until the element's text fits. */
async function expectText(selector: string, pattern: RegExp): Promise<void> {
  await page
    .locator(selector)
    .filter({ hasText: pattern, visible: true })
    .waitFor({ timeout: 50_000 })
    .catch(async () => expect(await page.textContent(selector)).toMatch(pattern));
}
