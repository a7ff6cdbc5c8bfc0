import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { logIn } from "../support/dashboard-use";
import { type DashboardWorld, openDashboardWorld } from "../support/dashboard-world";
import { sound, structureOf, untilQuiet } from "../support/page-structure";

/** Every page, as `look` sees it: by day and by night, and at the widths of a desk, a tablet and a phone. */
const shownPages = [
  "overview",
  "overview?filter=country~eq~DE&compare=week",
  "explore?by=event",
  "funnels",
  "retention?first=signup",
  "paths",
  "pages",
  "sessions",
  "events",
  "experiments",
  "bots",
  "sites",
  "sources",
  "people",
  "people/u1",
  "replays",
  "project",
];
const widths = [1440, 1024, 390];

/** Charts learn their width after the layout, and are drawn in the frame that follows. */
const painted = `new Promise((done) => {
  const next = (frames) => (frames === 0 ? done() : requestAnimationFrame(() => next(frames - 1)));
  next(4);
})`;

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
}, 60_000);
afterAll(() => world.pages.close());

for (const colorScheme of ["light", "dark"] as const) {
  describe(`the pages of the dashboard, ${colorScheme}`, () => {
    test.each(shownPages)(
      "%s",
      async (path) => {
        const { page } = world.pages;
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width: 1440, height: 900 });
        await world.pages.goto(`/app/p/${world.shop}/${path}`);
        await page.waitForLoadState("networkidle");
        await untilQuiet(page);
        expect(await page.locator("[role=alert]").count()).toBe(0);
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          await page.evaluate(painted);
          expect([width, await structureOf(page)]).toEqual([width, sound]);
        }
        const folder = process.env.SCREENSHOTS;
        if (folder === undefined) return;
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.screenshot({
          path: `${folder}/${path.replace(/\W+/g, "-")}-${colorScheme}.png`,
        });
      },
      30_000,
    );
  });
}

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
