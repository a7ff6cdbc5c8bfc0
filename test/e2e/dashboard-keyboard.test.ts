import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { visitorAgent } from "../support/browser/chromium";
import { askApi, openPage, settled } from "../support/browser/dashboard-use";
import { focusOn, press, tabTo, type } from "../support/browser/keyboard";
import { untilQuiet } from "../support/browser/page-structure";
import { openOn } from "../support/browser/person-pages";
import { login, userAgent } from "../support/server/account";
import { ask, removeFolder, startServer, temporaryFolder } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

/** Each way through the dashboard without a pointer: all is reached, seen where it is, and left again. */
let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld({ hasHostileEvent: false });
});
afterAll(() => world.pages.close());

const page = () => world.pages.page;
const parameter = (name: string) => new URL(page().url()).searchParams.get(name);

test("a person logs in", async () => {
  await world.pages.goto("/login?next=/app/p/my-shop/overview");
  await focusOn(page(), "#email");
  await page().keyboard.type(login.email);
  await type(page(), "#password", login.password);
  await page().keyboard.press("Enter");
  await page().waitForURL("**/app/p/my-shop/overview");
  await untilQuiet(page());
});

describe("the toolbar", () => {
  test("a project is chosen, and the focus stays at its menu", async () => {
    await openPage(world, "overview");
    await page().keyboard.press("p");
    await focusOn(page(), ".project-menu .panel [aria-current=true]");
    await page().keyboard.press("ArrowDown");
    await page().keyboard.press("Enter");
    await page().waitForURL("**/app/p/a-blog/overview");
    await focusOn(page(), "#project-menu");
  });

  test("a period is chosen, left by Escape, and the days before it by an arrow", async () => {
    await openPage(world, "overview");
    await press(page(), "#period-menu");
    await focusOn(page(), ".period .panel [aria-checked=true]");
    await page().keyboard.press("ArrowDown");
    await page().keyboard.press("Enter");
    await page().waitForURL("**period=90d");
    await focusOn(page(), "#period-menu");
    await page().keyboard.press("Enter");
    await focusOn(page(), ".period .panel [aria-checked=true]");
    await page().keyboard.press("Escape");
    await focusOn(page(), "#period-menu");
    await page().keyboard.press("ArrowLeft");
    await page().waitForURL(/period=\d{4}-\d\d-\d\d\.\./);
  });

  test("a filter is made, changed and taken away", async () => {
    await openPage(world, "overview");
    await page().keyboard.press("f");
    await tabTo(page(), ".filter-form select");
    await page().keyboard.type("Country");
    await type(page(), ".filter-form input", "DE");
    await page().keyboard.press("Enter");
    await page().waitForURL("**filter=country*");
    await focusOn(page(), "#filter-menu");
    await settled(world);
    await tabTo(page(), ".chip button[aria-label^='Remove']");
    await page().keyboard.press("Enter");
    await eventually(() => expect(parameter("filter")).toBeNull());
    await focusOn(page(), "#filter-menu");
  });

  test("what is seen is saved as a view, and the view is opened", async () => {
    await openPage(world, "pages?period=7d");
    await press(page(), "#view-menu");
    await type(page(), "#view-name", "By keyboard");
    await page().keyboard.press("Enter");
    await page().locator(".open-view", { hasText: "By keyboard" }).waitFor();
    await page().keyboard.press("Escape");
    await focusOn(page(), "#view-menu");
    await page().keyboard.press("g");
    await page().keyboard.press("o");
    await page().waitForURL("**/overview*");
    await settled(world);
    await press(page(), "#view-menu");
    await tabTo(page(), ".open-view");
    await page().keyboard.press("Enter");
    await page().waitForURL("**/pages?period=7d");
  });

  test("a page is found by name, and the list of requests opens and closes", async () => {
    await openPage(world, "overview");
    await page().keyboard.press("/");
    await page().locator("dialog input:focus").waitFor();
    await page().keyboard.type("Retention");
    await page().keyboard.press("Enter");
    await page().waitForURL("**/retention*");
    await settled(world);
    await press(page(), "#api-button");
    await page().locator(".drawer li").first().waitFor();
    await tabTo(page(), ".drawer summary");
    await page().keyboard.press("Enter");
    await page().locator(".drawer details[open] pre").first().waitFor();
    await page().keyboard.press("a");
    await page().locator(".drawer li").first().waitFor({ state: "detached" });
  });
});

test("a step is added to a funnel, and taken away", async () => {
  await openPage(world, "funnels?step=page_view&step=signup");
  // The events to choose from come by a request of their own, which no page waits for.
  const purchase = page().locator("[aria-label='Add a step'] option", { hasText: "purchase" });
  await purchase.waitFor({ state: "attached" });
  await tabTo(page(), "[aria-label='Add a step']");
  // On the way to an event others are selected, and none of them is added.
  await page().keyboard.press("ArrowDown");
  await page().keyboard.type("purchase");
  await page().keyboard.press("Enter");
  await page().waitForURL("**step=purchase*");
  expect(new URL(page().url()).searchParams.getAll("step")).toHaveLength(3);
  await settled(world);
  await tabTo(page(), ".funnel-builder li:nth-child(3) [aria-label='Remove step']");
  await page().keyboard.press("Enter");
  await eventually(() => expect(page().url()).not.toContain("purchase"));
});

test("a link is made that others may read, and revoked", async () => {
  await openPage(world, "project/sharing");
  await type(page(), "#share-name", "For the board");
  await page().keyboard.press("Enter");
  const shares = async () =>
    (await askApi<{ shares: { name: string }[] }>(world, `/shares?project=${world.shop}`)).shares;
  await world.pages.shown("main", /For the board/);
  expect((await shares()).map(({ name }) => name)).toEqual(["For the board"]);
  await tabTo(page(), "button[aria-label='Revoke For the board']");
  await page().keyboard.press("Enter");
  await page().locator("#question[open]").waitFor();
  await tabTo(page(), "#question-yes");
  await page().keyboard.press("Enter");
  await eventually(async () => expect(await shares()).toEqual([]));
});

test("an experiment is made and ended", async () => {
  await openPage(world, "experiments");
  await press(page(), "#experiment-new");
  await type(page(), "#experiment-name", "keys");
  await type(page(), "#experiment-goal", "signup");
  await press(page(), "#experiment-form .primary");
  await world.pages.shown("h2", /^keys$/);
  await settled(world);
  await press(page(), ".manage button:nth-child(3)");
  await page().locator("#question[open]").waitFor();
  await press(page(), "#question-yes");
  await world.pages.shown(".finding", /won/);
});

test("a project is deleted by who writes its name", async () => {
  await askApi(
    world,
    "/projects",
    { name: "to-be-gone", allowed_origins: "https://gone.example.com" },
    201,
  );
  await world.pages.goto("/app/p/to-be-gone/project/danger");
  await untilQuiet(page());
  await type(page(), ".row-form input[autocomplete=off]", "to-be-gone");
  await press(page(), ".row-form .danger");
  await page().waitForURL(({ pathname }) => !pathname.includes("to-be-gone"));
  const { projects } = await askApi<{ projects: { name: string }[] }>(world, "/projects");
  expect(projects.map(({ name }) => name)).not.toContain("to-be-gone");
});

describe("what stands before the dashboard", () => {
  test("a program that wants in is let in", async () => {
    const { url } = world.pages.server;
    const sent = { client_type: "cli", client_name: "Helper", mode: "detached" };
    const agent = { "User-Agent": userAgent };
    const started = await ask(url, "POST", "/agent-sessions/start", agent, sent);
    const { authorize_url, auth_request_id, poll_token } = JSON.parse(started.body);
    await page().goto(authorize_url);
    await world.pages.shown("h1", /May this program use your account/);
    await press(page(), "form[id^='approve-'] button");
    await page().locator("form.answer").first().waitFor({ state: "detached" });
    const poll = { auth_request_id, poll_token };
    const polled = await ask(url, "POST", "/agent-sessions/poll", agent, poll);
    expect([polled.status, JSON.parse(polled.body).status]).toEqual([200, "approved"]);
  });

  test("the first account is made", async () => {
    const dataDir = temporaryFolder();
    const server = await startServer({ dataDir });
    const context = await page().context().browser()?.newContext({ userAgent: visitorAgent });
    const first = await context?.newPage();
    try {
      if (first === undefined) throw new Error("There is no browser.");
      await openOn(first, server.url);
      await first.waitForURL("**/setup");
      await focusOn(first, "#email");
      await first.keyboard.type(login.email);
      await type(first, "#password", login.password);
      await first.keyboard.press("Enter");
      await first.waitForURL("**/app");
      await press(first, "#make-key");
      await first.locator("#key").waitFor();
    } finally {
      await context?.close();
      await server.kill();
      removeFolder(dataDir);
    }
  });
});

describe("the palette", () => {
  test("finds a setting by another word, and puts the focus on its card", async () => {
    await openPage(world, "overview");
    await page().keyboard.press("Control+k");
    await focusOn(page(), ".palette[open] input");
    await page().keyboard.type("invite");
    await page().keyboard.press("Enter");
    await page().waitForURL("**/app/settings");
    await eventually(async () =>
      expect(await page().locator("h2:focus").allInnerTexts()).toEqual(["Team"]),
    );
  });

  test("keeps an event as a condition on sessions, so that their pages stay", async () => {
    await openPage(world, "overview");
    await page().keyboard.press("Control+k");
    await focusOn(page(), ".palette[open] input");
    await page().keyboard.type("purchase event");
    // The events are found once their names have come.
    await page().locator("#command-0", { hasText: "purchase" }).waitFor();
    await page().keyboard.press("Enter");
    await page().waitForURL(({ searchParams }) => searchParams.has("filter"));
    expect(parameter("filter")).toContain("session_did");
  });
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
