import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PersonPages } from "../support/browser/person-pages";
import { login } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";

let pages: PersonPages;
let owner: Page;
let cookie = "";
const password = "another horse battery";
const two = { email: "two@example.com", password };

const api = async (method: string, path: string, body?: object) => {
  const headers = { Cookie: cookie, Origin: pages.base };
  const answer = await ask(pages.server.url, method, path, headers, body);
  expect([path, answer.status < 300]).toEqual([path, true]);
  return JSON.parse(answer.body) as Readonly<Record<string, unknown>>;
};

beforeAll(async () => {
  pages = await PersonPages.open(login);
  cookie = await pages.post("/auth/login", login);
  await api("POST", "/projects", { name: "shop", domain: "shop.example.com" });
  await api("POST", "/admin/accounts", two);
  owner = pages.page;
  await pages.goto("/login?next=%2Fapp%2Fsettings");
  await pages.logIn(login);
  await owner.waitForURL(`${pages.base}/app/settings`);
});
afterAll(() => pages.close());

/** The owner invites somebody on the page of the team. Returns the link, which is shown once. */
async function inviteOnPage(email: string, role: string): Promise<string> {
  await owner.bringToFront();
  await owner.goto(`${pages.base}/app/settings`);
  await owner.click("#invite summary");
  await owner.fill("#invite-email", email);
  await owner.selectOption("#invite-role", role);
  await owner.click("#invite-form button[type=submit]");
  const link = owner.locator("#invite-url").filter({ hasText: /#ivt_[0-9a-f]{48}/ });
  await link.waitFor();
  return /http\S+#ivt_[0-9a-f]{48}/.exec((await link.textContent()) ?? "")?.[0] ?? "";
}

test("an invited viewer joins by the link, and meets no page, button or request that is refused", async () => {
  const link = await inviteOnPage("new@example.com", "viewer");
  await pages.openAnother();
  const { page } = pages;
  const refused: string[] = [];
  page.on("response", (answer) => {
    if (answer.status() !== 403) return;
    refused.push(`${page.url()}: ${answer.request().method()} ${answer.url()}`);
  });
  await page.goto(link);
  await pages.shown("#role", /viewer/);
  await page.fill("#password", password);
  await page.click("#join-form button");
  await page.waitForURL((url) => url.pathname.startsWith("/app"));
  // A viewer has nothing to set up.
  await page.waitForURL("**/app/p/shop/overview");
  await pages.goto("/app/p/shop/project");
  await pages.shown("#snippet", /data-project="shop"/);
  expect(await page.locator("#project-new, #send-test").count()).toBe(0);
  const links = page.locator("nav.side .side-pages a");
  await pages.goto("/app/p/shop/overview");
  await links.first().waitFor();
  const addresses = await links.evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  expect(addresses.length).toBeGreaterThan(8);
  expect(addresses.join(" ")).not.toMatch(/\/(people|sessions|events|replays|move)\b/);
  for (const address of [...addresses, "/app", "/app/settings"]) {
    await page.goto(`${pages.base}${address}`, { waitUntil: "networkidle" });
  }
  expect(await page.locator("#invite, #audit-heading, #deletion-form").count()).toBe(0);
  expect(refused).toEqual([]);
  await pages.goto("/app/p/shop/sessions");
  await pages.shown("main .state", /You may not see them in this account/);
  await page.goto(link);
  await pages.shown("#over", /log in/);
});

test("a person with an account of their own joins another, and switches between the two", async () => {
  const link = await inviteOnPage(two.email, "editor");
  await pages.openAnother();
  const { page } = pages;
  await page.goto(link);
  await page.fill("#known-password", password);
  await page.click("#enter-form button");
  await page.waitForURL((url) => url.pathname.startsWith("/app"));
  await pages.goto("/app/settings");
  await pages.shown("#account-role", /editor/);
  await page.click("#account-menu");
  await page.getByText(/Switch to/).click();
  // The page that this leads to switches.
  await page.waitForURL(({ pathname }) => pathname !== "/app/settings");
  await pages.goto("/app/settings");
  await pages.shown("#account-role", /owner/);
  expect(await pages.text("#account-title")).toBe(two.email);
});

test("a person with two accounts chooses on the approval page in which one a program acts", async () => {
  const { page } = pages;
  const body = { client_type: "cli", client_name: "Helper", mode: "detached" };
  const sent = await ask(pages.server.url, "POST", "/agent-sessions/start", {}, body);
  const { authorize_url: url, auth_request_id: id } = JSON.parse(sent.body);
  await page.goto(url);
  expect(await page.locator("dd").first().textContent()).toBe(two.email);
  expect(await page.locator("#account-limit").count()).toBe(0);
  await page.click("#account-choice summary");
  await pages.look("approval-choice");
  await page.getByRole("link", { name: login.email }).click();
  await pages.shown("#account-limit", /You are an editor of this account/);
  expect(await page.locator("dd").first().textContent()).toBe(login.email);
  await pages.look("approval-other");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.waitForURL((address) => address.search === "");
  await page.reload();
  const code = await page.textContent("#finish-code");
  const proof = { auth_request_id: id, exchange_code: code };
  const exchanged = await ask(pages.server.url, "POST", "/agent-sessions/exchange", {}, proof);
  const token = JSON.parse(exchanged.body).agent_session.access_token;
  const headers = { Authorization: `Bearer ${token}` };
  const account = await ask(pages.server.url, "GET", "/account", headers);
  const own = JSON.parse(account.body);
  expect([own.name, own.role, own.email]).toEqual([login.email, "editor", two.email]);
});

test("the owner reads in the audit log who did what, by action and person", async () => {
  pages.page = owner;
  await owner.bringToFront();
  await pages.goto("/app/settings");
  await pages.shown("#audit-rows tr", /new@example\.com.*Member joined/);
  await pages.shown("#audit-rows tr", /browser, 127\.0\.0\.0\/24.*Signed in/);
  await pages.look("audit");
  await owner.selectOption("#audit-action", "member_invited");
  await eventually(async () => {
    const rows = await owner.locator("#audit-rows tr").allTextContents();
    expect(rows.length).toBe(2);
    expect(rows.every((row) => row.includes("Member invited"))).toBe(true);
  });
  await owner.selectOption("#audit-action", "");
  await owner.selectOption("#audit-actor", { label: "new@example.com" });
  await pages.gone("#audit-rows tr", /Member invited/);
  await pages.shown("#audit-rows tr", /Member joined/);
  expect(pages.problems).toEqual([]);
});
