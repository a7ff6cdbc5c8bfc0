import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fromBase32, totpCode, totpStepAt } from "../../src/lib/totp";
import { PersonPages } from "../support/browser/person-pages";
import { login } from "../support/server/account";

const hourMs = 60 * 60 * 1_000;

let pages: PersonPages;
/** The server's clock is behind ours until it starts again. */
let offsetMs = -hourMs;
beforeAll(async () => {
  pages = await PersonPages.open(login, {
    ...{ HOST: "127.0.0.1", CLOCK_OFFSET_MS: String(offsetMs) },
  });
});
afterAll(() => pages.close());

let secret = "";
const code = (later = 0) => totpCode(fromBase32(secret), totpStepAt(Date.now() + offsetMs) + later);

describe("a second factor, in a browser", () => {
  test("is turned on in the settings, which show the secret and the recovery codes once", async () => {
    const { page } = pages;
    await pages.goto("/login");
    await pages.logIn(login);
    await page.waitForURL("**/app");
    await pages.goto("/app/settings");
    await page.fill("#factor-password", login.password);
    await page.click("#factor-form .primary");
    await page.waitForSelector(".qr svg");
    secret = (await pages.text("#factor-secret")).trim();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    await pages.look("second-factor-set-up");
    await page.fill("#factor-code", code());
    await page.click("#factor-form .primary");
    await pages.shown("#recovery-codes", /[a-z2-9]{5}-[a-z2-9]{5}/);
    await pages.shown("#factor-state", /10 recovery codes are left/);
    await pages.look("second-factor-on");
  });

  test("is asked for before an action, which then goes on, and before the log-in", async () => {
    await pages.restart(async () => undefined, { CLOCK_OFFSET_MS: "0" });
    offsetMs = 0;
    const { page } = pages;
    await pages.goto("/app/settings");
    await page.click("#key-make");
    await page.waitForSelector("#session-end[open]");
    await page.keyboard.press("Escape");
    await pages.shown("[role=alert]", /Nothing was changed/);
    await page.click("#key-make");
    await page.fill("#password-again", login.password);
    // A code may be of the step before by now, which is taken too.
    await page.fill("#code-again", code());
    await page.click("#log-in-again .primary");
    await pages.shown("#key", /^aak_/);

    await pages.openAnother();
    await pages.goto("/login?next=/app/settings");
    await pages.logIn(login);
    await pages.page.fill("#second-code", "000000");
    await pages.page.click("#login-form button");
    await pages.shown("#alert", /wrong, too old or was used/);
    await pages.page.fill("#second-code", code(1));
    await pages.look("log-in-second-step");
    await pages.page.click("#login-form button");
    await pages.page.waitForURL("**/app/settings");
  });
});
