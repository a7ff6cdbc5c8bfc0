import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Route } from "playwright-core";
import { logIn } from "../support/browser/dashboard-use";
import { intercept } from "../support/browser/intercepted";
import { sound, structureOf, untilQuiet } from "../support/browser/page-structure";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

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
    ["/app/p/no-such-shop/overview", "This project does not exist"],
    ["/app/p/my-shop/no-such-page", "This page does not exist"],
  ])("%s says so once, and has a way on", async (path, title) => {
    const { page } = world.pages;
    await world.pages.goto("/app/p/my-shop/pages");
    await untilQuiet(page);
    await world.pages.goto(path);
    await world.pages.shown("main .state strong", new RegExp(title));
    await eventually(async () => expect(await page.locator("main .state").count()).toBe(1));
    await page.getByRole("link", { name: "Open the overview" }).click();
    await page.waitForURL("**/app/p/my-shop/overview");
  });
});

test("an address outside of the application has a way back, too", async () => {
  await world.pages.goto("/nowhere");
  await world.pages.shown("h1", /Page not found/);
  await world.pages.page.getByRole("link", { name: "Back to Sightline" }).click();
  await world.pages.page.waitForURL("**/app/p/my-shop/overview");
});

describe("a project without events", () => {
  test.each("sources bots".split(" "))("says on %s what is to be done", async (path) => {
    await world.pages.goto(`/app/p/${world.quiet}/${path}`);
    await untilQuiet(world.pages.page);
    await world.pages.shown("main .state", /snippet from its settings|will appear here/);
  });

  test.each("sessions events people pages paths overview live explore retention".split(" "))(
    "leads from %s to its snippet",
    async (path) => {
      await world.pages.goto(`/app/p/${world.quiet}/${path}`);
      await untilQuiet(world.pages.page);
      const link = world.pages.page.locator(`main a[href^="/app/p/${world.quiet}/project"]`);
      await link.first().waitFor({ timeout: 50_000 });
    },
  );
});

test("without activation events a funnel opens with what people do most, and says so", async () => {
  const { page } = world.pages;
  await world.pages.goto("/app/p/a-blog/funnels");
  await world.pages.shown(
    ".funnel-builder .card-note",
    /a suggestion from the most frequent events/,
  );
  await eventually(async () => expect(await page.locator(".funnel li").count()).toBe(2));
  await world.pages.shown(".funnel li:first-child", /page_view/);
});

test("a funnel marks one step as the one where most are lost: that of its sentence", async () => {
  await world.pages.goto("/app/p/my-shop/funnels");
  await world.pages.shown(".finding", /The largest drop-off is between page_view and signup/);
  await eventually(async () => {
    const marked = world.pages.page.locator(".funnel li:has(.worst)");
    expect(await marked.locator("b").allInnerTexts()).toEqual(["signup"]);
  });
});

test("where filters leave nothing, they are taken away by the button below", async () => {
  const { page } = world.pages;
  await world.pages.goto("/app/p/my-shop/sessions?filter=country~eq~AQ");
  await page.getByRole("button", { name: "Remove all filters" }).click();
  await world.pages.shown(".session-row", /./);
  await eventually(() => expect(new URL(page.url()).searchParams.has("filter")).toBe(false));
});

describe("a list", () => {
  test("that is empty for a filter says what to do", async () => {
    await world.pages.goto("/app/p/my-shop/sources?filter=country~eq~AQ");
    await world.pages.shown(".card", /Sources.*Remove a filter, or choose a longer period/s);
    await world.pages.shown(".card", /Campaigns.*Add utm_campaign=… .* count them here/s);
  });

  test("is whole in its file, whatever of it is shown", async () => {
    const { page } = world.pages;
    await world.pages.goto("/app/p/my-shop/sites");
    await untilQuiet(page);
    const download = page.waitForEvent("download");
    await page
      .locator(".card", { hasText: "Projects" })
      .getByRole("button", { name: "CSV" })
      .click();
    const text = await Bun.file(await (await download).path()).text();
    expect(text.split("\r\n")[0]).toBe("Project,Events,Share");
    expect(text).toMatch(/my-shop,\d+,\d+%\r\na-blog,\d+,/);
  });
});

test.each(["bots", "sites"])("the line of %s is a table, too, and that a file", async (path) => {
  const { page } = world.pages;
  await world.pages.goto(`/app/p/my-shop/${path}?period=7d`);
  await untilQuiet(page);
  await page.getByRole("button", { name: "Show as a table" }).press("Enter");
  await eventually(async () => {
    const [title = ""] = await page.locator("main h2").allInnerTexts();
    const counts = await page.locator("main table").first().locator("tbody td").allInnerTexts();
    expect(counts).toHaveLength(7);
    const sum = counts.reduce((all, count) => all + Number(count.replace(",", "")), 0);
    expect(sum).toBe(Number(/^[\d,]+/.exec(title)?.[0].replace(",", "")));
    expect(await structureOf(page)).toEqual(sound);
  });
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).first().click();
  const text = await Bun.file(await (await download).path()).text();
  expect(text.trim().split("\r\n")).toHaveLength(8);
});

test("who wants less motion sees none", async () => {
  const { page } = world.pages;
  const moving = `[...document.querySelectorAll("*")].filter((one) => {
    const { transitionDuration, animationDuration } = getComputedStyle(one);
    return [transitionDuration, animationDuration].some((all) =>
      all.split(", ").some((duration) => parseFloat(duration) > 0.01));
  }).length`;
  await world.pages.goto("/app/p/my-shop/overview");
  await untilQuiet(page);
  await eventually(async () => expect(await page.evaluate<number>(moving)).toBeGreaterThan(0));
  await page.emulateMedia({ reducedMotion: "reduce" });
  await eventually(async () => expect(await page.evaluate<number>(moving)).toBe(0));
  await page.emulateMedia({ reducedMotion: null });
});

test("where nobody can pay, nothing leads to a payment", async () => {
  const { page } = world.pages;
  await world.pages.goto("/app/p/my-shop/overview");
  await untilQuiet(page);
  await page.click("#account-menu");
  await world.pages.shown(".account-menu .panel", /Administration/);
  await eventually(async () =>
    expect(await page.locator(".account-menu .panel a").allInnerTexts()).toEqual([
      "Account",
      "Administration",
      "Backups",
      "Disk",
      "Documentation",
      "API reference",
    ]),
  );
  await page.keyboard.press("Escape");
  for (const path of ["/app/settings", "/app/p/my-shop/project", "/app/p/my-shop/overview"]) {
    await world.pages.goto(path);
    await untilQuiet(page);
    expect(await page.locator('a[href*="billing"]').count()).toBe(0);
  }
});

const failures: readonly (readonly [string, RegExp, (route: Route) => Promise<void>])[] = [
  [
    "a server that fails",
    /Could not load these numbers.*on the server/s,
    (route) =>
      route.fulfill({
        status: 500,
        contentType: "application/json",
        body: '{"error":"INTERNAL","message":"Something went wrong on the server."}',
      }),
  ],
  [
    "a proxy without a server",
    /A proxy in front of the server responded with status 502\. Try again in a moment/,
    (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway" }),
  ],
  ["no connection", /No connection.*Cannot reach the server/s, (route) => route.abort()],
];
const isRead = ({ pathname }: URL): boolean =>
  !/^\/(app|auth|projects|account)\b/.test(pathname) && pathname !== "/live";

const isProbe = (route: Route): boolean => new URL(route.request().url()).pathname === "/health";

test("without a connection the last numbers stay, marked with their time, until the server answers again", async () => {
  const { page } = world.pages;
  await world.pages.goto("/app/p/my-shop/overview");
  await untilQuiet(page);
  const tiles = () => page.locator(".tile-value").allInnerTexts();
  const before = await tiles();
  expect(before.length).toBeGreaterThan(3);
  await page.context().setOffline(true);
  await world.pages.shown(".offline", /No connection to the server.*The numbers are from/s);
  const read = await page.locator(".offline time").getAttribute("datetime");
  expect(Math.abs(Date.parse(read ?? "") - world.nowMs)).toBeLessThan(3_600_000);
  expect(await tiles()).toEqual(before);
  await page.context().setOffline(false);
  await world.pages.gone(".offline", /./);
  expect(await tiles()).toEqual(before);
  expect(await page.locator("main [role=alert]").count()).toBe(0);
});

describe.each(failures)("%s", (_, told, fail) => {
  test.each("overview explore?by=event funnels paths sessions people replays".split(" "))(
    "is told on %s, with a button that helps",
    async (path) => {
      const { page } = world.pages;
      let isFailing = true;
      // The page does not find out by itself that the server answers again.
      await using _ = await intercept(page, isRead, (route) =>
        isFailing || isProbe(route) ? fail(route) : route.continue(),
      );
      await world.pages.goto(`/app/p/my-shop/${path}`);
      await world.pages.shown("main [role=alert]", told);
      // What fails after the button was pressed is not asked for by it.
      await untilQuiet(page);
      const before = await alerts().count();
      isFailing = false;
      await alerts().first().getByRole("button", { name: "Try again" }).click();
      await eventually(async () => expect(await alerts().count()).toBeLessThan(before));
    },
  );
});

test("nothing else failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
