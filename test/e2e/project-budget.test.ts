import { afterAll, beforeAll, expect, test } from "bun:test";
import { PersonPages } from "../support/browser/person-pages";
import { login, userAgent } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";

let pages: PersonPages;
let cookie = "";
const api = async (method: string, path: string, body?: object) => {
  const headers = { Cookie: cookie, Origin: pages.base };
  const answer = await ask(pages.server.url, method, path, headers, body);
  return JSON.parse(answer.body) as Readonly<Record<string, unknown>>;
};
const budget = async () => (await api("GET", "/projects/shop")).budget;
const save = () => pages.page.locator("form:has(#budget-policy) button[type=submit]").click();

beforeAll(async () => {
  pages = await PersonPages.open(login);
  cookie = await pages.post("/auth/login", login);
  const { project_token: token } = await api("POST", "/projects", {
    name: "shop",
    domain: "shop.example.com",
  });
  const events = Array.from({ length: 3 }, (_, at) => ({ event: "visit", user_id: `u${at}` }));
  const agent = { "User-Agent": userAgent };
  const sent = await ask(pages.server.url, "POST", "/track/batch", agent, { token, events });
  expect(sent.status).toBe(202);
  await pages.goto("/login?next=%2Fapp%2Fp%2Fshop%2Fproject%2Fdata");
  await pages.logIn(login);
  await pages.page.waitForURL(`${pages.base}/app/p/shop/project/data`);
});
afterAll(() => pages.close());

test("an administrator sees what a project uses, and sets, changes and clears its budget", async () => {
  const { page } = pages;
  await pages.shown("#budget-used", /^The project stored 3 events this month.*It has no budget\.$/);
  await page.fill("#budget-events", "1000");
  await page.fill("#budget-megabytes", "2.5");
  await save();
  await pages.shown("#budget-used", /of a budget of 1,000 events per month and 2\.5 MB\.$/);
  await pages.shown("form:has(#budget-policy) [role=status]", /Saved/);
  expect(await budget()).toEqual({
    ...{ events_per_month: 1_000, bytes: 2_500_000, when_over: "refuse" },
  });
  for (const [width, height] of [[390, 844] as const, [1440, 900] as const]) {
    await page.setViewportSize({ width, height });
    const isWide = () => page.evaluate("document.documentElement.scrollWidth > innerWidth");
    await eventually(async () => expect([width, await isWide()]).toEqual([width, false]));
  }

  await page.selectOption("#budget-policy", "forget_oldest");
  await page.locator("#budget-events").waitFor({ state: "detached" });
  await page.fill("#budget-megabytes", "5000");
  await save();
  await pages.shown("#budget-used", /of a budget of 5 GB\.$/);
  expect(await budget()).toEqual({ bytes: 5_000_000_000, when_over: "forget_oldest" });
  await page.reload();
  await pages.shown("#budget-used", /of a budget of 5 GB\.$/);
  expect(await page.inputValue("#budget-megabytes")).toBe("5000");

  await page.selectOption("#budget-policy", "refuse");
  await page.fill("#budget-megabytes", "");
  await save();
  await pages.shown("#budget-used", /It has no budget\.$/);
  expect(await budget()).toBeNull();
}, 60_000);

test("what the server refuses is shown beside the form, and the budget stays", async () => {
  const { page } = pages;
  await page.fill("#budget-events", "99999999999999999999");
  await save();
  await pages.shown("form:has(#budget-policy) [role=alert]", /must be a whole number|integer/);
  expect(await budget()).toBeNull();
}, 60_000);

test("an editor sees the settings of the project without a budget", async () => {
  const editor = { email: "editor@example.com", password: login.password };
  const { email, password } = editor;
  const { url } = await api("POST", "/members/invitations", { email, role: "editor" });
  const [token = ""] = /ivt_[0-9a-f]{48}/.exec(String(url)) ?? [];
  await pages.post("/auth/invitation/accept", { token, password });
  await pages.openAnother();
  await pages.goto("/login?next=%2Fapp%2Fp%2Fshop%2Fproject%2Fdata");
  await pages.logIn(editor);
  await pages.shown("h2", /Move in and out/);
  expect(await pages.page.locator("#budget-heading, #retention-heading").count()).toBe(0);
}, 60_000);
