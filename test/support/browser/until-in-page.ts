import type { Frame, Page } from "playwright-core";
import { eventually } from "../suite/eventually";

/**
 * Waits until a page says that a JavaScript expression, or what it promises, is true. `waitForFunction` of the library
 * evaluates a text in the page, which the page's content security policy forbids from the second look on.
 */
export const untilInPage = (page: Page | Frame, expression: string): Promise<void> =>
  eventually(async () => {
    const holds = await page.evaluate<boolean>(`(async () => Boolean(await (${expression})))()`);
    if (!holds) throw new Error(`The page never said that this is true: ${expression}`);
  });
