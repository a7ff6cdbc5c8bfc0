import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askApi, dateDaysAgo, logIn, openPage } from "../support/browser/dashboard-use";
import { intercept } from "../support/browser/intercepted";
import { sound, structureOf, untilQuiet } from "../support/browser/page-structure";
import { login } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

/** What happens to what somebody wrote, or asked for, when the session has ended meanwhile. */
let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld({ hasHostileEvent: false });
  await logIn(world);
});
afterAll(() => world.pages.close());

interface Context {
  readonly project_context: {
    readonly goals: readonly string[];
    readonly annotations: readonly { readonly title: string }[];
  };
}
const contextOf = async () =>
  (await askApi<Context>(world, `/project-context?project=${world.shop}`)).project_context;

const endSession = () => world.pages.page.context().clearCookies();
const logInAgain = async (password = login.password): Promise<void> => {
  const { page } = world.pages;
  await page.locator("#password-again").waitFor();
  await page.fill("#password-again", password);
  await page.locator("#log-in-again .primary").click();
};
const untilGone = () => world.pages.page.locator("#session-end").waitFor({ state: "detached" });

/** Returns everything that this tab keeps for itself, as one text. */
const kept = (): Promise<string> =>
  world.pages.page.evaluate(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])",
  );

describe("a session that ends while somebody writes", () => {
  test("is begun again where they are, and what they wrote is kept and sent", async () => {
    const { page } = world.pages;
    await openPage(world, "project/meaning");
    const goals = page.getByLabel("Purpose");
    await goals.fill("More people who stay");
    await endSession();
    await page.getByRole("button", { name: "Save context" }).click();
    await page.locator("#session-end[open]").waitFor();
    await eventually(async () => expect(await structureOf(page)).toEqual(sound));
    expect((await contextOf()).goals).toEqual(["More people who buy"]);
    expect(await kept()).not.toContain("More people who stay");

    await logInAgain("not the password");
    await world.pages.shown("#session-end [role=alert]", /password/i);
    await logInAgain();
    await untilGone();
    await page.locator("[role=status].done").first().waitFor();
    await eventually(async () => expect(await goals.inputValue()).toBe("More people who stay"));
    await eventually(async () =>
      expect((await contextOf()).goals).toEqual(["More people who stay"]),
    );
    expect(await kept()).not.toContain(login.password);
  });

  test("is begun again above a question that is open, by keyboard alone", async () => {
    const { page } = world.pages;
    // With a filter nothing is fetched in advance: it is the note whose request finds that the session has ended.
    await openPage(world, "overview?period=7d&filter=event~neq~none");
    await page.locator(".line-chart svg[role=img]").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator("#note-title:focus").waitFor();
    await page.keyboard.type("Written before");
    await endSession();
    await page.keyboard.press("Enter");
    await page.locator("#password-again:focus").waitFor();
    await page.keyboard.type(login.password);
    await page.keyboard.press("Enter");
    await untilGone();
    await world.pages.gone("#note-form", /./);
    await eventually(async () =>
      expect((await contextOf()).annotations.map(({ title }) => title)).toContain("Written before"),
    );
  });

  test("stays ended if the person wants no other, and the form says so", async () => {
    const { page } = world.pages;
    await openPage(world, "project/meaning");
    const goals = page.getByLabel("Purpose");
    await goals.fill("Still here");
    await endSession();
    await page.getByRole("button", { name: "Save context" }).click();
    await page.locator("#password-again:focus").waitFor();
    await page.keyboard.press("Escape");
    await world.pages.shown("main [role=alert]", /You are logged out/);
    // The page looks for arriving events every 2 s, and must not ask for the password by itself.
    await Bun.sleep(2_500);
    expect(await page.locator("#session-end").count()).toBe(0);
    await eventually(async () => expect(await goals.inputValue()).toBe("Still here"));
    await page.getByRole("button", { name: "Save context" }).click();
    await logInAgain();
    await untilGone();
    await page.locator("[role=status].done").first().waitFor();
    await eventually(async () => expect((await contextOf()).goals).toEqual(["Still here"]));
  });
});

describe("a session that ends while somebody looks", () => {
  test("is begun again, and what was asked for comes", async () => {
    const { page } = world.pages;
    await openPage(world, "overview?period=7d");
    await endSession();
    await page.keyboard.press("q");
    await logInAgain();
    await untilGone();
    await untilQuiet(page);
    await page.waitForURL(({ searchParams }) => searchParams.get("period") === "90d");
    await world.pages.gone("main [role=alert]", /./);
  });

  test("is begun again once, also if a request that was sent before is refused after it", async () => {
    const { page } = world.pages;
    const late = Promise.withResolvers<void>();
    let isEnded = false;
    let heldStatus = 0;
    // The first request is answered for the session that has ended, and the browser hears of it after the log-in.
    await using _ = await intercept(page, "**/query", async (route) => {
      if (!isEnded || heldStatus !== 0) return route.continue();
      heldStatus = -1;
      const { origin: Origin = "" } = await route.request().allHeaders();
      const body: object = route.request().postDataJSON();
      const reply = await ask(world.pages.server.url, "POST", "/query", { Origin }, body);
      heldStatus = reply.status;
      await late.promise;
      await route.fulfill({ status: reply.status, json: JSON.parse(reply.body) });
    });
    await openPage(world, "overview?period=7d&filter=event~neq~none");
    await endSession();
    isEnded = true;
    await page.keyboard.press("q");
    await logInAgain();
    await untilGone();
    late.resolve();
    await untilQuiet(page);
    expect(heldStatus).toBe(401);
    expect(await page.locator("#session-end").count()).toBe(0);
    await world.pages.gone("main [role=alert]", /./);
    expect(new URL(page.url()).searchParams.get("period")).toBe("90d");
  });

  test("or by somebody else, from the log-in and back to here", async () => {
    const { page } = world.pages;
    await openPage(world, "overview?period=7d");
    await endSession();
    await page.keyboard.press("q");
    await page.getByRole("button", { name: "Use another account" }).click();
    await page.waitForURL("**/login?next=*");
    await world.pages.logIn(login);
    await page.waitForURL("**/app/p/my-shop/overview?period=90d");
    await untilQuiet(page);
  });
});

test("who logs out is led to the log-in alone, whatever is refused before the answer is there", async () => {
  const { page } = world.pages;
  const left = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<void>();
  // The server ends the session at once; the browser hears of it when the test has seen what it waits for.
  await using _ = await intercept(page, "**/auth/logout", async (route) => {
    const headers = await route.request().allHeaders();
    const { origin: Origin = "", cookie: Cookie = "" } = headers;
    const reply = await ask(world.pages.server.url, "POST", "/auth/logout", { Origin, Cookie });
    left.resolve();
    await refused.promise;
    const cleared = { "set-cookie": reply.headers.get("set-cookie") ?? "" };
    await route.fulfill({ status: reply.status, headers: cleared, json: JSON.parse(reply.body) });
  });
  page.on("response", (response) => {
    if (response.url().endsWith("/query") && response.status() === 401) refused.resolve();
  });
  await openPage(world, "overview?period=7d");
  await page.click("#account-menu");
  await page.locator("#logout").click();
  await left.promise;
  const period = `${dateDaysAgo(world, 40)}..${dateDaysAgo(world, 36)}`;
  await page.evaluate(`history.pushState(null, "", "?period=${period}");
    dispatchEvent(new PopStateEvent("popstate"))`);
  await refused.promise;
  await page.waitForURL(({ pathname }) => pathname === "/login");
  await page.locator("#login-form").waitFor();
  expect(new URL(page.url()).search).toBe("");
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
