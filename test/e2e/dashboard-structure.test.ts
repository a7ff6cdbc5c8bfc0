import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { violationsOf } from "../support/browser/accessibility";
import { logIn } from "../support/browser/dashboard-use";
import { painted, sound, structureOf, untilQuiet } from "../support/browser/page-structure";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

/** Every page of a project, and of a person; by day and by night, and at the widths of a desk, a tablet and a phone. */
const pagesOfProject = [
  "overview",
  "overview?filter=country~eq~DE&compare=week",
  "changes?period=7d",
  "changes?metric=conversion&event=signup",
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
  "speed",
  "project",
  "project/goals",
  "project/sharing",
  "project/meaning",
  "project/privacy",
  "project/data",
  "move",
  "live",
];
const pagesOfPerson = [
  "/app?new",
  "/app/settings",
  "/app/admin",
  "/app/admin/backups",
  "/app/admin/disk",
  "/account/billing",
  "/account/billing/agent-upgrade?reason=A+funnel",
];
const widths = [1440, 768, 390];

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

for (const colorScheme of ["light", "dark"] as const) {
  describe(`the pages of the dashboard, ${colorScheme}`, () => {
    test.each([...pagesOfProject, ...pagesOfPerson])("%s", async (path) => {
      const { page } = world.pages;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 1440, height: 900 });
      await world.pages.goto(path.startsWith("/") ? path : `/app/p/${world.shop}/${path}`);
      await untilQuiet(page);
      expect(await page.locator("[role=alert]").count()).toBe(0);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(painted);
        await eventually(async () => {
          expect([width, await structureOf(page)]).toEqual([width, sound]);
          // In dark mode only colours differ.
          const isColourAlone = colorScheme === "dark";
          expect([width, await violationsOf(page, { isColourAlone })]).toEqual([width, []]);
        });
      }
      const folder = process.env.SCREENSHOTS;
      if (folder === undefined) return;
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.screenshot({
        path: `${folder}/${path.replace(/\W+/g, "-")}-${colorScheme}.png`,
      });
    });
  });
}

describe("the pages of a person, by keyboard", () => {
  test.each(pagesOfPerson)("%s", async (path) => {
    const { page } = world.pages;
    await page.setViewportSize({ width: 1440, height: 900 });
    await world.pages.goto(path);
    await untilQuiet(page);
    // What is drawn again meanwhile has lost its mark.
    await eventually(() => expectAllReached(page));
  });
});

async function expectAllReached(page: Page): Promise<void> {
  const controls = await page.evaluate<number>(markControls);
  expect(controls).toBeGreaterThan(10);
  const reached = new Set<number>();
  for (let presses = 0; presses < controls + 5; presses++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate<number>(focusedControl));
  }
  const unreached = Array.from({ length: controls }, (_, at) => at).filter(
    (at) => !reached.has(at),
  );
  expect(
    await page.evaluate(`(${JSON.stringify(unreached)}).map((at) =>
      document.querySelector('[data-control="' + at + '"]').outerHTML.slice(0, 120))`),
  ).toEqual([]);
  expect(reached.has(unseen)).toBe(false);
}

/** What the focus is on, if nothing shows that it is there. */
const unseen = -2;
const markControls = `(() => {
  const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0);
  all.forEach((one, at) => one.setAttribute("data-control", at));
  return all.length;
})()`;
const focusedControl = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body) return -1;
  if (getComputedStyle(one).outlineStyle === "none") return ${unseen};
  return Number(one.getAttribute("data-control") ?? -1);
})()`;

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
