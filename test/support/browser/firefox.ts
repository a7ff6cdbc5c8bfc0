import { existsSync } from "node:fs";
import puppeteer, { type Browser, type Page } from "puppeteer-core";

const place = "/usr/bin/firefox-esr";

/**
 * The installed Firefox, over WebDriver BiDi, which a Firefox as distributions build it speaks. `hosts` are names that
 * lead to this machine.
 */
export function launchFirefox(hosts: readonly string[]): Promise<Browser> {
  if (!existsSync(place)) {
    throw new Error(
      "These tests need Firefox: .ci/run installs it, or `apt-get install firefox-esr`.",
    );
  }
  return puppeteer.launch({
    browser: "firefox",
    executablePath: place,
    headless: true,
    extraPrefsFirefox: { "network.dns.localDomains": hosts.join(",") },
  });
}

/** Waits until what the page answers to an expression is as expected; asked from outside, past its policy. */
export async function until(
  page: Page,
  expression: string,
  isDone: (answer: unknown) => boolean,
  timeoutMs = 50_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  // While a page is left for another, neither can be asked.
  const ask = (): Promise<unknown> => page.evaluate(expression).catch(() => undefined);
  for (let answer = await ask(); !isDone(answer); answer = await ask()) {
    if (performance.now() > deadline) throw new Error(`${expression} is ${JSON.stringify(answer)}`);
    await Bun.sleep(50);
  }
}
