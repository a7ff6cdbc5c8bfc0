import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * What axe-core finds wrong with the page as it is shown: `rule: the first elements that break it`. Its script is
 * evaluated from outside, which the policy of the pages does not stop; the page itself loads nothing.
 */
export async function violationsOf(
  page: Page,
  exceptRules: readonly string[] = [],
): Promise<readonly string[]> {
  await page.evaluate(`window.axe === undefined && (() => { ${axe.source} })()`);
  const found = await page.evaluate<readonly string[]>(run);
  return found.filter((one) => !exceptRules.some((rule) => one.startsWith(`${rule}:`)));
}

// Colours that are still changing are looked at when they have changed.
const run = `Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
  .then(() => axe.run(document, { resultTypes: ["violations"] })).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 5).map(({ html, any }) =>
    html.slice(0, 160) + (any[0] === undefined ? "" : " — " + any[0].message)).join(" | ")))`;
