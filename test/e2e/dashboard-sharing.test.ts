import { afterAll, beforeAll, expect, test } from "bun:test";
import { logIn, openPage } from "../support/dashboard-use";
import { type DashboardWorld, openDashboardWorld } from "../support/dashboard-world";
import { untilQuiet } from "../support/page-structure";
import { hostileText } from "../support/person-pages";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
}, 60_000);
afterAll(() => world.pages.close());

const open = (path: string) => openPage(world, path);

test("what is seen is saved as a view, opened from another page, and deleted", async () => {
  const { page } = world.pages;
  await open("sessions?period=7d&filter=country~eq~DE");
  const address = new URL(page.url());
  await page.click("#view-menu");
  await page.fill("#view-name", hostileText);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await world.pages.shown(".views li", /taken over/);
  await open("overview");
  await page.click("#view-menu");
  await page.click(".views .open-view");
  await page.waitForURL(
    ({ pathname, search }) => pathname + search === address.pathname + address.search,
  );
  await untilQuiet(page);
  expect(await page.locator(".chip").count()).toBe(1);
  await page.goBack();
  await page.waitForURL(({ pathname }) => pathname.endsWith("/overview"));
  await page.click("#view-menu");
  await page.locator(".views li button.small").click();
  await world.pages.gone(".views li", /taken over/);
}, 30_000);

test("a link that shares the project shows it to anybody, until it is revoked", async () => {
  const { page } = world.pages;
  await open("project");
  await page.fill("#share-name", "For the agency");
  await page.fill("#share-password", "open sesame");
  await page.click("#share-form button[type=submit]");
  await world.pages.shown("#shares li", /For the agency.*with a password/s);
  const link = await world.pages.text("#shares pre");
  expect(link.startsWith(`${world.pages.base}/share/sht_`)).toBe(true);
  await world.pages.openAnother();
  const visitor = world.pages.page;
  await visitor.goto(link);
  await visitor.fill("input[name=password]", "open sesame");
  await visitor.click("button");
  await world.pages.shown("h1", /my-shop/);
  await world.pages.shown("table", /Visitors/);
  world.pages.page = page;
  await page.click('button[aria-label="Revoke For the agency"]');
  await world.pages.confirm();
  await world.pages.gone("#shares li", /For the agency/);
  expect((await visitor.goto(link))?.status()).toBe(401);
}, 30_000);

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
