import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Route } from "playwright-core";
import { logIn } from "../support/dashboard-use";
import { type DashboardWorld, openDashboardWorld } from "../support/dashboard-world";
import { untilQuiet } from "../support/page-structure";

/** What stands in the place of numbers: nothing, or a failure. Each says what to do. */
let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld({ hasHostileEvent: false });
  await logIn(world);
});
afterAll(() => world.pages.close());

const alerts = () => world.pages.page.locator("main [role=alert]");

describe("an address that leads nowhere", () => {
  test.each([
    ["/app/p/no-such-shop/overview", "There is no such project"],
    ["/app/p/my-shop/no-such-page", "There is no such page"],
  ])(
    "%s says so once, and has a way on",
    async (path, title) => {
      const { page } = world.pages;
      await world.pages.goto("/app/p/my-shop/pages");
      await untilQuiet(page);
      await world.pages.goto(path);
      await world.pages.shown("main .state strong", new RegExp(title));
      expect(await page.locator("main .state").count()).toBe(1);
      await page.getByRole("link", { name: "Open the overview" }).click();
      await page.waitForURL("**/app/p/my-shop/overview");
    },
    30_000,
  );
});

describe("a project without events", () => {
  test.each("sessions events people pages paths overview live".split(" "))(
    "leads from %s to its snippet",
    async (path) => {
      await world.pages.goto(`/app/p/${world.quiet}/${path}`);
      await untilQuiet(world.pages.page);
      const link = world.pages.page.locator(`main a[href^="/app/p/${world.quiet}/project"]`);
      await link.first().waitFor({ timeout: 8_000 });
    },
    30_000,
  );
});

test("where filters leave nothing, they are taken away by the button below", async () => {
  const { page } = world.pages;
  await world.pages.goto("/app/p/my-shop/sessions?filter=country~eq~AQ");
  await page.getByRole("button", { name: "Take all filters away" }).click();
  await world.pages.shown(".session-row", /./);
  expect(new URL(page.url()).searchParams.has("filter")).toBe(false);
});

const failures: readonly (readonly [string, RegExp, (route: Route) => Promise<void>])[] = [
  [
    "a server that fails",
    /could not be read.*on the server/s,
    (route) =>
      route.fulfill({
        status: 500,
        contentType: "application/json",
        body: '{"error":"INTERNAL","message":"Something went wrong on the server."}',
      }),
  ],
  [
    "a proxy without a server",
    /What stands before the server answered 502\. Try again in a moment/,
    (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway" }),
  ],
  ["no connection", /No connection.*Is it running/s, (route) => route.abort()],
];
const isRead = ({ pathname }: URL): boolean =>
  !/^\/(app|auth|projects|account)\b/.test(pathname) && pathname !== "/live";

describe.each(failures)("%s", (_, told, fail) => {
  test.each("overview explore?by=event funnels paths sessions people replays".split(" "))(
    "is told on %s, with a button that helps",
    async (path) => {
      const { page } = world.pages;
      await page.route(isRead, fail);
      await world.pages.goto(`/app/p/my-shop/${path}`);
      await world.pages.shown("main [role=alert]", told);
      const before = await alerts().count();
      await page.unroute(isRead);
      await alerts().first().getByRole("button", { name: "Try again" }).click();
      for (let tries = 0; tries < 100 && (await alerts().count()) >= before; tries++) {
        await Bun.sleep(50);
      }
      expect(await alerts().count()).toBeLessThan(before);
    },
    40_000,
  );
});

test("nothing else failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
