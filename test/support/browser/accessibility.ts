import axe from "axe-core";
import type { Page } from "playwright-core";

interface Looked {
  readonly exceptRules?: readonly string[];
  /** True for a page whose other rules were checked in other colours. */
  readonly isColourAlone?: boolean;
}

/**
 * What axe-core finds wrong with the page as it is shown: `rule: the first elements that break it`. Its script is
 * evaluated from outside, which the policy of the pages does not stop; the page itself loads nothing.
 */
export async function violationsOf(
  page: Page,
  { exceptRules = [], isColourAlone = false }: Looked = {},
): Promise<readonly string[]> {
  const isThere = await page.evaluate<boolean>("window.axe !== undefined");
  if (!isThere) await page.evaluate(`(() => { ${axe.source} })()`);
  const found = await page.evaluate<readonly string[]>(run(isColourAlone ? colourRules : ""));
  return found.filter((one) => !exceptRules.some((rule) => one.startsWith(`${rule}:`)));
}

const colourRules = `, runOnly: ["color-contrast", "link-in-text-block"]`;

// Colours that are still changing are looked at when they have changed.
const run = (
  options: string,
): string => `Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
  .then(() => axe.run(document, { resultTypes: ["violations"]${options} })).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 5).map(({ html, any }) =>
    html.slice(0, 160) + (any[0] === undefined ? "" : " — " + any[0].message)).join(" | ")))`;
