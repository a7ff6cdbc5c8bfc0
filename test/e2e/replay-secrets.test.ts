import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import {
  eventsOf,
  hasSnapshot,
  openCollector,
  type ReplayCollector,
  until,
} from "../support/replay-collector";

let collector: ReplayCollector;
beforeAll(async () => {
  collector = await openCollector();
}, 60_000);
afterEach(async () => {
  for (const context of collector.browser.contexts()) await context.close();
  collector.forget();
});
afterAll(() => collector.close());

const sent = (): string => collector.segments.map(({ text }) => text).join("\n");
const leaked = (): string[] => [...new Set(sent().match(/SECRET-[A-Z-]*/g) ?? [])];

/** Uses a page as somebody would, and looks what has been sent when they have left. */
async function use(path: string, act: (page: Page) => Promise<unknown>): Promise<void> {
  const { page, problems } = await collector.visit(path);
  await until(() => hasSnapshot(collector));
  await act(page);
  await page.waitForTimeout(600);
  await page.goto(`${collector.origin}/away`);
  await Bun.sleep(500);
  expect(hasSnapshot(collector)).toBe(true);
  // Under a policy that allows nothing inline, nothing is reported either.
  expect(problems).toEqual([]);
}

describe("of what is secret nothing leaves the browser", () => {
  test("of a shop: fields, masked, blocked, editable elements, addresses, frames, shadow trees", async () => {
    await use("/shop", async (page) => {
      await page.locator("[name=name]").pressSequentially("SECRET-TYPED");
      await page.locator("[name=password]").pressSequentially("SECRET-WORD");
      await page.locator("[name=note]").pressSequentially("SECRET-NOTE");
      await page.locator("#rich").pressSequentially("SECRET-RICH");
      await page.locator("[name=diet]").check();
      await page.locator("[name=news]").check();
      await page.locator("[name=country]").selectOption("2");
      await page.locator(".add").first().click();
    });
    expect(leaked()).toEqual([]);
    // What is not secret is there, so the recording is one.
    expect(sent()).toContain("Chair 0");
    expect(sent()).toContain(`"data-aa-href":"${collector.origin}/account"`);
  }, 30_000);

  test("of a single-page site: addresses of routes and links", async () => {
    await use("/docs", (page) => page.click("nav a:nth-child(2)"));
    expect(leaked()).toEqual([]);
    expect(sent()).toContain("Paragraph 39");
  }, 30_000);

  test("of an application: fields that come later, and an editor that is a document", async () => {
    await use("/app", (page) => page.waitForTimeout(1_500));
    expect(leaked()).toEqual([]);
    expect(sent()).toContain("Order 199");
  }, 30_000);

  test("nor whether a box is ticked, which radio or option is chosen, in a snapshot or later", async () => {
    await use("/shop", async (page) => {
      await page.locator("[name=diet]").check();
      await page.locator("[name=news]").check();
      await page.locator("[name=country]").selectOption("2");
      await page.evaluate(
        `document.querySelector("[name=news]").setAttribute("aria-checked", "true")`,
      );
      // A second snapshot, now that they are chosen.
      await page.evaluate("window.aaReplay.stop(); window.aaReplay.start()");
      await until(() => eventsOf(collector).filter(({ type }) => type === 2).length === 2);
    });
    expect(eventsOf(collector).filter(({ type }) => type === 2).length).toBe(2);
    expect(sent()).not.toMatch(/"(?:checked|selected|aria-checked)":/);
    expect(sent()).not.toContain('"isChecked":true');
    expect(sent()).toContain('"isChecked":false');
  }, 30_000);
});

test("data attributes are kept, as the documents say", async () => {
  await use("/docs", (page) => page.evaluate(`document.body.setAttribute("data-plan", "kept")`));
  expect(sent()).toContain('"data-plan":"kept"');
}, 30_000);
