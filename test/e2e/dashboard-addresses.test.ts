import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  askApi,
  dateDaysAgo,
  logIn,
  openPage,
  settled,
  tileOf,
} from "../support/browser/dashboard-use";
import { gateFor } from "../support/browser/intercepted";
import { userAgent } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

let world: DashboardWorld;
let token: string | undefined;
let shopId = "";
beforeAll(async () => {
  world = await openDashboardWorld({ hasHostileEvent: false });
  await logIn(world);
  const { projects } = await askApi<{
    projects: { id: string; name: string; project_token: string }[];
  }>(world, "/projects");
  const shop = projects.find(({ name }) => name === world.shop);
  token = shop?.project_token;
  shopId = shop?.id ?? "";
});
afterAll(() => world.pages.close());

const main = () => world.pages.page.locator("main");
const send = (events: readonly object[]) =>
  ask(
    world.pages.server.url,
    "POST",
    "/track/batch",
    { "User-Agent": userAgent, "Content-Type": "application/json" },
    { token, events },
  );

test("a page gets its answer although the palette, which waits for it too, is closed meanwhile", async () => {
  const { page } = world.pages;
  await using gate = await gateFor(page, "**/properties?*");
  gate.shut();
  await world.pages.goto(`/app/p/${world.shop}/paths?period=14d`);
  await page.locator("main .waiting").waitFor();
  await page.keyboard.press("Control+k");
  await page.locator("dialog[open]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  // Another read is shown meanwhile: requests that nobody waits for are given up then.
  await page.click("#api-button");
  gate.open();
  await main().getByText("Entry page").first().waitFor();
  const drawer = page.locator(".drawer");
  await eventually(async () => expect(await drawer.innerText()).toContain("/properties"));
  await page.click("#api-button");
});

test.each(["2026-02-31..2026-03-05", "0001-01-01..9999-12-31", "4000d"])(
  "an impossible period (%s) says so, at once, and the page shows the last 30 days",
  async (period) => {
    await openPage(world, `overview?period=${period}`);
    const notice = world.pages.page.locator(".unreadable");
    expect(await notice.innerText()).toContain(period);
    expect(await world.pages.page.locator("#period-menu").innerText()).toContain("Last 30 days");
    expect(Number((await tileOf(world, "Events")).replace(/\D/g, ""))).toBeGreaterThan(0);
  },
);

test("the dashboard replaces the id of a project in the address by its name", async () => {
  const { page } = world.pages;
  await world.pages.goto(`/app/p/${shopId}/move?period=14d`);
  await main().getByText("Move out: export").first().waitFor();
  expect(new URL(page.url()).pathname).toBe(`/app/p/${world.shop}/move`);
  expect(new URL(page.url()).search).toBe("?period=14d");
});

test("a filter that the page cannot read is named, and not applied silently", async () => {
  await openPage(world, "overview?filter=country~is~DE");
  expect(await world.pages.page.locator(".unreadable").innerText()).toContain("country~is~DE");
  await openPage(world, "overview?filter=country~eq~DE");
  expect(await world.pages.page.locator(".unreadable").count()).toBe(0);
});

test("a step of a funnel may have any name, and is the same after a reload", async () => {
  const name = "paid|by card~eq~{1}";
  const at = (ms: number) => world.nowMs - 3_600_000 + ms;
  const one = { session_id: "odd", user_id: "odd" };
  await send([
    { ...one, event: "signup", timestamp: at(0) },
    { ...one, event: name, timestamp: at(1_000) },
  ]);
  const { page } = world.pages;
  const query = new URLSearchParams([
    ["step", "signup"],
    ["step", JSON.stringify({ event: name, filters: [] })],
  ]);
  await openPage(world, `funnels?period=7d&${query}`);
  expect(await main().innerText()).toContain(name);
  // The names to choose from come by a request of their own, which no page waits for.
  const withNames = () =>
    eventually(async () => {
      const text = await main().innerText();
      expect(text).toContain("UTM source");
      return text;
    });
  const before = await withNames();
  await page.reload();
  await settled(world);
  expect(await withNames()).toBe(before);
});

test("days that are over are read again after a late event", async () => {
  const { page } = world.pages;
  const date = dateDaysAgo(world, 3);
  const late = (id: string) => ({
    ...{ event: "late", session_id: id, user_id: id },
    timestamp: Date.parse(date) + 3_600_000,
  });
  const overview = `overview?period=${date}..${date}`;
  await openPage(world, overview);
  const before = Number(await tileOf(world, "Events"));
  await send([late("late-1"), late("late-2")]);
  // A minute later by the clock of the page, which then comes back from another period.
  await page.evaluate("{ const real = Date.now.bind(Date); Date.now = () => real() + 61_000; }");
  await page.keyboard.press("d");
  await settled(world);
  await page.goBack();
  await settled(world);
  await eventually(async () => expect(Number(await tileOf(world, "Events"))).toBe(before + 2));
});
