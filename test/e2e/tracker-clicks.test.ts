import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "puppeteer-core";
import { launchFirefox, until } from "../support/browser/firefox";
import {
  named,
  openTrackedSite,
  type StoredEvent,
  type TrackedSite,
} from "../support/browser/tracked-site";
import { eventually } from "../support/suite/eventually";

let world: TrackedSite;
let firefox: Browser;
beforeAll(async () => {
  world = await openTrackedSite("clicks");
  firefox = await launchFirefox(world.hosts);
});
afterAll(async () => {
  await firefox.close();
  await world.close();
});

/** What a browser is asked to do with the page of unusual elements. */
interface Hand {
  /** Clicks at the middle of an element, which `find` finds in the page. */
  click(find: string, button: "left" | "middle"): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  leave(): Promise<unknown>;
}
const selected = (selector: string): string => `document.querySelector("${selector}")`;
const inShadow = (selector: string): string =>
  `document.querySelector("#shadow").shadowRoot.querySelector("${selector}")`;
const middleOf = (find: string): string => `(() => {
  const box = ${find}.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
})()`;

async function chromium(): Promise<Hand> {
  const { page } = await world.visitor();
  await page.goto(`${world.origin}/clicks`);
  return {
    async click(find, button) {
      const [x, y] = (await page.evaluate(middleOf(find))) as [number, number];
      await page.mouse.click(x, y, { button });
    },
    evaluate: (expression) => page.evaluate(expression),
    leave: () => page.goto("about:blank"),
  };
}
async function inFirefox(): Promise<Hand> {
  const page = await firefox.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(`${world.origin}/clicks`);
  await until(page, "typeof window.aa", (type) => type === "function");
  return {
    async click(find, button) {
      const [x, y] = (await page.evaluate(middleOf(find))) as [number, number];
      await page.mouse.click(x, y, { button });
    },
    evaluate: (expression) => page.evaluate(expression),
    leave: () => page.goto("about:blank"),
  };
}

describe("clicks that lie deeper than the document", () => {
  for (const [browser, open] of [
    ["Chromium", chromium],
    ["Firefox", inFirefox],
  ] as const) {
    test(`shadow roots, drawings, maps, labels and the middle button, in ${browser}`, async () => {
      const hand = await open();
      const visitor = await hand.evaluate("window.aa.getIdentity().anonymousId");
      // The page stays; what the tracker does to links comes before that.
      await hand.evaluate(
        `for (const type of ["click", "auxclick"]) addEventListener(type, (event) => {
          if (event.composedPath()[0].closest("a,area")) event.preventDefault();
        }); 0`,
      );
      await hand.click(inShadow("#in-shadow b"), "left");
      await hand.click(inShadow("#marked-in-shadow"), "left");
      await hand.click(selected("#drawn rect"), "left");
      await hand.click(selected("img"), "left");
      await hand.click(selected("#agree span"), "left");
      await hand.click(selected("#agree input"), "left");
      await hand.click(selected("#large"), "left");
      await hand.click(selected("#partner"), "middle");
      const hrefs = await hand.evaluate(
        `[${inShadow("#in-shadow")}.href, ${selected("#drawn")}.href.baseVal, ${selected("#area")}.href,
          ${selected("#partner")}.href]`,
      );
      expect(hrefs).toEqual(
        ["shadow?", "drawn?", "area?", "shop?x=1&"].map(
          (end) => `http://partner.example.org/${end}_aa=${visitor}`,
        ),
      );
      await hand.leave();
      await eventually(async () => {
        const sent = (await world.settled()).filter(({ user_id }) => user_id === visitor);
        expect(named(sent, "$click").map(hrefOf).sort()).toEqual(
          ["area", "drawn", "shadow", "shop"].map((end) => `http://partner.example.org/${end}`),
        );
        expect(named(sent, "outgoing_link")).toHaveLength(4);
        expect(named(sent, "in_shadow")).toHaveLength(1);
        expect(named(sent, "agree")).toHaveLength(2);
        expect(named(sent, "size")).toHaveLength(1);
      });
    });
  }
});

const hrefOf = ({ properties }: StoredEvent): unknown => properties.href;
