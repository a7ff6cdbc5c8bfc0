import { afterAll, beforeAll, expect, test } from "bun:test";
import { askApi, logIn, openPage, settled } from "../support/browser/dashboard-use";
import { userAgent } from "../support/server/account";
import { ask } from "../support/server/server";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

/** A path as browsers send it, and as people read it. */
const stored = `/${encodeURIComponent("სამი")}/a%2Fb`;
const readable = "/სამი/a%2Fb";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld({ hasHostileEvent: false });
  await logIn(world);
  const { projects } = await askApi<{ projects: { name: string; project_token: string }[] }>(
    world,
    "/projects",
  );
  const token = projects.find(({ name }) => name === world.shop)?.project_token;
  const events = Array.from({ length: 90 }, (_, i) => ({
    ...{ event: "page_view", session_id: `s${i % 30}`, user_id: `u${i % 30}` },
    ...{ timestamp: world.nowMs - 60_000 - i * 1_000, properties: { path: stored } },
  }));
  const headers = { "User-Agent": userAgent, "Content-Type": "application/json" };
  await ask(world.pages.server.url, "POST", "/track/batch", headers, { token, events });
});
afterAll(() => world.pages.close());

test.each(["overview", "pages", "paths", "sessions", "events", "explore?by=properties.path"])(
  "%s shows letters, and no percent signs in their place",
  async (path) => {
    const { page } = world.pages;
    await openPage(world, path);
    if (path === "paths") await page.getByText(readable).first().click();
    await page.getByText(readable).first().waitFor();
    expect(await page.locator("main").innerText()).not.toContain("%E1");
  },
);

test("a filter that is chosen from a list keeps the stored form, and the title tells it", async () => {
  const { page } = world.pages;
  await openPage(world, "overview");
  const row = page.getByRole("button", { name: readable }).first();
  expect(await row.locator("bdi").getAttribute("title")).toBe(stored);
  await row.click();
  await settled(world);
  const [filter = ""] = new URL(page.url()).searchParams.getAll("filter");
  expect(filter.endsWith(stored)).toBe(true);
  expect(await page.locator(".chip").first().innerText()).toContain(readable);
  const { rows } = await askApi<{ rows: { event_count: number }[] }>(world, "/query", {
    ...{ project: world.shop, date_from: "1d", metrics: ["event_count"], count_mode: "raw" },
    filters: [{ field: "properties.path", op: "eq", value: stored }],
  });
  expect(rows[0]?.event_count).toBe(90);
});

test("a file of the list has the stored form", async () => {
  const { page } = world.pages;
  await openPage(world, "pages");
  const started = page.waitForEvent("download");
  await page.getByRole("button", { name: /CSV/ }).first().click();
  const text = await Bun.file(await (await started).path()).text();
  expect(text).toContain(stored);
  expect(text).not.toContain(readable);
});
