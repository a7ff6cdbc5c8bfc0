import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { codesOf } from "../support/app/second-factor";
import { visitorAgent } from "../support/browser/chromium";
import { hostileText, PersonPages } from "../support/browser/person-pages";
import { login } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";

let pages: PersonPages;
beforeAll(async () => {
  pages = await PersonPages.open(login);
});
afterAll(() => pages.close());

const ann = { email: "ann@example.com", password: login.password };

describe("administration, in a browser", () => {
  test("is in the navigation of an administrator", async () => {
    await pages.goto("/login");
    await pages.logIn(login);
    await pages.page.click("#account-menu");
    await pages.page.click("#admin-link a");
    await pages.page.waitForURL(`${pages.base}/app/admin`);
    await pages.shown("#accounts li", new RegExp(`${login.email}.*administrator`));
  });

  test("makes an account", async () => {
    const { page } = pages;
    await page.click("#new summary");
    await page.fill("#new-email", ann.email);
    await page.fill("#new-password", ann.password);
    await pages.look("admin-new");
    await page.click("#new-form button");
    await pages.shown("#done", /ann@example.com/);
    await pages.shown("#accounts li", /ann@example.com.*Pro, 0 projects/);
  });

  test("shows what people say as they said it", async () => {
    const cookie = await pages.post("/auth/login", ann);
    const said = { message: `${hostileText}\nSecond line`, command: "stats", project: "shop" };
    await pages.post("/account/feedback", said, { Cookie: cookie });
    await pages.page.reload();
    await pages.shown("#feedback li", /taken over.*Second line.*ann@example.com/s);
    await eventually(async () =>
      expect(await pages.page.title()).toBe("Administration · Sightline"),
    );
    await pages.look("admin");
  });

  test("changes an account's plan and password", async () => {
    const { page } = pages;
    const cookie = await pages.post("/auth/login", ann);
    await page.click('button[aria-label="Change ann@example.com"]');
    await page.selectOption("#change-tier", "free");
    await page.fill("#change-password", "another horse battery");
    await pages.look("admin-change");
    await page.click("#change-form button[type=submit]");
    await pages.shown("#accounts li", /ann@example.com.*Free/);
    expect(await pages.status({ Cookie: cookie })).toBe(401);

    await page.click('button[aria-label="Change ann@example.com"]');
    await page.check("#change-complimentary");
    await page.click("#change-form button[type=submit]");
    await pages.shown("#accounts li", /ann@example.com.*complimentary/);
  });

  test("helps somebody who cannot log in: with a link for a new password, and without the second factor", async () => {
    const { page } = pages;
    const cookie = await pages.post("/auth/login", { ...ann, password: "another horse battery" });
    const asAnn = { Origin: pages.base, Cookie: cookie };
    const call = async (path: string, body: object) =>
      JSON.parse((await ask(pages.server.url, "POST", path, asAnn, body)).body);
    const { secret } = await call("/auth/two-factor/setup", { password: "another horse battery" });
    await call("/auth/two-factor/enable", { code: codesOf(secret)() });
    const codeAsked = async (password: string) => {
      const sent = { Origin: pages.base, "User-Agent": visitorAgent };
      const reply = await ask(pages.server.url, "POST", "/auth/login", sent, { ...ann, password });
      return reply.status;
    };
    expect(await codeAsked("another horse battery")).toBe(401);

    await page.click('button[aria-label="Change ann@example.com"]');
    await page.getByRole("button", { name: "Link for a new password" }).click();
    await pages.shown("#reset-url", /#pwt_/);
    await pages.look("admin-getting-in");
    const token = /#(pwt_\w+)/.exec(await pages.text("#reset-url"))?.[1];
    await pages.post("/auth/reset", { token, password: ann.password });
    await page.getByRole("button", { name: "Turn off the second factor" }).click();
    await pages.confirm();
    await pages.shown("#getting-in", /Their second factor is off/);
    await page.click("#change-cancel");
    expect(await codeAsked(ann.password)).toBe(200);
  });

  test("tells in the form what is wrong with it", async () => {
    const { page } = pages;
    await page.click('button[aria-label="Change ann@example.com"]');
    await page.fill("#change-email", login.email);
    await page.click("#change-form button[type=submit]");
    await pages.shown("#change-form [role=alert]", /account/);
    await page.click("#change-cancel");
    await pages.shown("#accounts li", /ann@example.com/);
  });

  test("deletes an account", async () => {
    await pages.page.click('button[aria-label="Delete ann@example.com"]');
    await pages.confirm();
    await pages.shown("#done", /Deleted/);
    await pages.gone("#accounts li", /ann@example.com/);
  });

  test("is refused to others, and not in their navigation", async () => {
    const bob = { email: "bob@example.com", password: login.password };
    await pages.post("/auth/signup", bob);
    await pages.openAnother();
    await pages.goto("/login?next=/app/admin");
    await pages.logIn(bob);
    await pages.shown("#alert", /administrator/);
    expect(await pages.page.isVisible("#admin")).toBe(false);
    expect(await pages.page.isVisible("#admin-link")).toBe(false);
  });

  test("loads nothing from elsewhere and reports no error", () => {
    expect(pages.problems).toEqual([]);
  });
});
