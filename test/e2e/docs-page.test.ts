import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { violationsOf } from "../support/browser/accessibility";
import { visitorAgent } from "../support/browser/chromium";
import { logIn } from "../support/browser/dashboard-use";
import { sound, structureOf, untilQuiet } from "../support/browser/page-structure";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

/**
 * Rules that Swagger UI's page breaks: groups are headings of the third level, and the introduction is in no landmark.
 */
const ofSwagger = ["heading-order", "region"];
const groups = () => world.pages.page.locator(".opblock-tag");
async function openDocs(): Promise<void> {
  await world.pages.goto("/docs/api");
  await groups().first().waitFor();
}

describe("/docs/api, in a browser", () => {
  test("has the reads first, and every group closed", async () => {
    await openDocs();
    await eventually(async () =>
      expect(await groups().first().getAttribute("data-tag")).toBe("Reads"),
    );
    await eventually(async () => expect(await groups().count()).toBeGreaterThan(10));
    expect(await world.pages.page.locator(".opblock").count()).toBe(0);
    await groups().first().click();
    await world.pages.shown(".opblock", /\/stats/);
  });

  test("is reached from the dashboard, and leads back to the project", async () => {
    const { page } = world.pages;
    await world.pages.goto("/app/p/a-blog/pages");
    await page.click("#account-menu");
    await page.getByText("API reference").click();
    await page.waitForURL("**/docs/api");
    await page.getByRole("link", { name: "Back to the dashboard" }).click();
    await page.waitForURL("**/app/p/a-blog/overview");
  });

  test("is as dark as the dashboard was told to be", async () => {
    const { page } = world.pages;
    const backOf = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.emulateMedia({ colorScheme: "light" });
    await openDocs();
    await eventually(async () => expect(await backOf()).toBe("rgb(246, 246, 243)"));
    await page.emulateMedia({ colorScheme: "dark" });
    await openDocs();
    await eventually(async () => expect(await backOf()).toBe("rgb(14, 17, 22)"));
    await world.pages.goto("/app/p/my-shop/pages");
    await untilQuiet(page);
    await page.keyboard.press("n");
    await openDocs();
    await eventually(async () => expect(await backOf()).toBe("rgb(246, 246, 243)"));
    await page.evaluate('localStorage.removeItem("sightline:theme")');
  });

  test.each(["light", "dark"] as const)("can be read by everybody, %s", async (colorScheme) => {
    const { page } = world.pages;
    await page.emulateMedia({ colorScheme });
    await openDocs();
    for (const width of [1440, 768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await eventually(async () =>
        expect([width, await violationsOf(page, { exceptRules: ofSwagger })]).toEqual([width, []]),
      );
      await eventually(async () =>
        expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(
          false,
        ),
      );
    }
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined)
      await page.screenshot({ path: `${folder}/reference-${colorScheme}.png` });
  });
});

describe("the pages of /docs, in a browser", () => {
  const colours = ["light", "dark"] as const;
  const addresses = ["/docs", "/docs/definitions", "/docs/guides/frameworks", "/docs/nothing"];

  test.each(colours)(
    "can be read by everybody, on desktops and phones, %s",
    async (colorScheme) => {
      const { page } = world.pages;
      await page.emulateMedia({ colorScheme });
      for (const address of addresses) {
        await world.pages.goto(address);
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 900 });
          const isColourAlone = colorScheme === "dark";
          const found = await violationsOf(page, { isColourAlone });
          expect([address, width, found]).toEqual([address, width, []]);
          expect([address, width, await structureOf(page)]).toEqual([address, width, sound]);
        }
      }
    },
  );

  test("find a section by words in headings and text, with the keyboard alone", async () => {
    const { page } = world.pages;
    await world.pages.goto("/docs/guides/agents");
    await page.keyboard.press("/");
    await page.keyboard.type("bounce");
    await world.pages.shown("#matches [role=status]", /result/);
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await page.locator("#matches").isVisible()).toBe(false);
    await page.keyboard.type("sessions r1");
    await world.pages.shown("#matches li:first-child mark", /sessions/i);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/[a-z-]+#/);
    await page.keyboard.press("/");
    await page.keyboard.type("nowhere-at-all");
    await world.pages.shown("#matches [role=status]", /No results/);
  });

  test("copy a block of code, and say so", async () => {
    const { page } = world.pages;
    await world.pages.goto("/docs/guides/frameworks");
    const button = page.locator(".code button").first();
    await button.click();
    await eventually(async () => expect(await button.innerText()).not.toBe("Copy"));
    expect(await button.innerText()).toBe("Copied");
  });

  test("are reached from a number of the dashboard, at its definition", async () => {
    const { page } = world.pages;
    await world.pages.goto("/app/p/my-shop/overview");
    await untilQuiet(page);
    await page.getByRole("link", { name: "Definition: Bounce rate", exact: true }).click();
    await page.waitForURL("**/docs/definitions#query-post-query.bounce_rate");
    expect(await page.locator(":target").innerText()).toBe("bounce_rate");
  });

  test("are whole without scripts, where only the search is missing", async () => {
    const context = await world.pages.page.context().browser()?.newContext({
      javaScriptEnabled: false,
      userAgent: visitorAgent,
    });
    const page = await context?.newPage();
    await page?.goto(`${world.pages.base}/docs/definitions`);
    expect(await page?.locator("search").isVisible()).toBe(false);
    expect(await page?.locator("article h2").count()).toBeGreaterThan(20);
    expect(await page?.locator("#pages a").count()).toBeGreaterThan(20);
    await context?.close();
  });

  test("breaks no policy, fails nowhere and asks nobody elsewhere", () => {
    expect(world.pages.problems).toEqual([]);
  });
});
