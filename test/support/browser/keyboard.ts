import { expect } from "bun:test";
import type { Page } from "playwright-core";

/** More than the controls of any page. */
const pressesMax = 150;

/** What has the focus: whether the selector means it, and whether it is seen there. */
const focused = (selector: string): string => `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body) return { isIt: false, isSeen: true, what: "nothing" };
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const isSeen = outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  return { isIt: one.matches(${JSON.stringify(selector)}), isSeen, what: one.outerHTML.slice(0, 120) };
})()`;

interface Focused {
  readonly isIt: boolean;
  readonly isSeen: boolean;
  readonly what: string;
}

/** Goes from control to control by Tab until one is reached; each on the way shows that it has the focus. */
export async function tabTo(page: Page, selector: string, key = "Tab"): Promise<void> {
  await page.locator(selector).first().waitFor();
  const unseen = new Set<string>();
  for (let presses = 0; presses <= pressesMax; presses++) {
    const { isIt, isSeen, what } = await page.evaluate<Focused>(focused(selector));
    if (!isSeen) unseen.add(what);
    if (isIt) {
      expect([...unseen]).toEqual([]);
      return;
    }
    await page.keyboard.press(key);
  }
  throw new Error(`No way by ${key} to ${selector}.`);
}

/** Waits until the focus is on what the selector means: a page moves it a moment after the key. */
export async function focusOn(page: Page, selector: string): Promise<void> {
  await page.locator(`${selector}:focus`).first().waitFor();
}

export async function type(page: Page, selector: string, text: string): Promise<void> {
  await tabTo(page, selector);
  await page.keyboard.type(text);
}
export async function press(page: Page, selector: string): Promise<void> {
  await tabTo(page, selector);
  await page.keyboard.press("Enter");
}
