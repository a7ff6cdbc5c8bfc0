import type { Page, Route } from "playwright-core";

type Address = string | ((url: URL) => boolean);

/**
 * Answers requests of a page in place of the network until the block ends: `await using _ = await intercept(…)`.
 *
 * Call it before the page is opened. Chromium tells a page that is open of the change in its own time: on a busy
 * machine a request that a key sends right after it passes by, and Playwright does not report that request at all.
 */
export async function intercept(
  page: Page,
  address: Address,
  answer: (route: Route) => unknown,
): Promise<AsyncDisposable> {
  await page.route(address, answer);
  return { [Symbol.asyncDispose]: () => page.unroute(address, answer) };
}

/** A gate for requests of a page: those that come while it is shut wait until it opens. It is open at first. */
export interface Gate extends AsyncDisposable {
  shut(): void;
  open(): void;
}

/** Puts a gate before requests until the block ends, when it opens. Call it before the page is opened, too. */
export async function gateFor(page: Page, address: Address): Promise<Gate> {
  let opened = Promise.withResolvers<void>();
  opened.resolve();
  const open = () => opened.resolve();
  const route = await intercept(page, address, async (held) => {
    await opened.promise;
    // The page may have given the request up meanwhile.
    await held.continue().catch(() => undefined);
  });
  return {
    shut: () => {
      opened = Promise.withResolvers<void>();
    },
    open,
    [Symbol.asyncDispose]: async () => {
      open();
      await route[Symbol.asyncDispose]();
    },
  };
}
