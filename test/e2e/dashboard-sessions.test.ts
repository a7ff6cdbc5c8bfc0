import { afterAll, beforeAll, expect, test } from "bun:test";
import { askApi, dateDaysAgo, logIn, openPage, tileOf } from "../support/browser/dashboard-use";
import { userAgent } from "../support/server/account";
import { ask } from "../support/server/server";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld({ hasHostileEvent: false });
  await logIn(world);
  const { projects } = await askApi<{ projects: { name: string; project_token: string }[] }>(
    world,
    "/projects",
  );
  const token = projects.find(({ name }) => name === world.shop)?.project_token;
  const midnightMs = Date.parse(dateDaysAgo(world, 0));
  const events = [-60_000, 60_000].map((ms) => ({
    ...{ event: "page_view", session_id: "over-midnight", user_id: "somebody" },
    ...{ timestamp: midnightMs + ms, properties: { path: "/late" } },
  }));
  const headers = { "User-Agent": userAgent, "Content-Type": "application/json" };
  await ask(world.pages.server.url, "POST", "/track/batch", headers, { token, events });
});
afterAll(() => world.pages.close());

const today = () => dateDaysAgo(world, 0);

test("the overview counts a session that began the day before, and says so", async () => {
  const [row] = (
    await askApi<{ rows: { session_count: number }[] }>(world, "/query", {
      ...{ project: world.shop, metrics: ["session_count"], date_from: today() },
    })
  ).rows;
  await openPage(world, "overview?period=today");
  expect(await tileOf(world, "Sessions")).toBe(String(row?.session_count));
  const tile = world.pages.page.locator(".tile", { hasText: "Sessions" });
  expect(await tile.getAttribute("title")).toContain("at least one event in this period");
});

test.each(["sessions?", "pages?type=entry&", "paths?"])(
  "%s counts the sessions that started, and calls them so",
  async (path) => {
    await openPage(world, `${path}period=today`);
    const text = await world.pages.page.locator("main").innerText();
    expect(text).toContain("Sessions started");
    expect(text).toContain("Counts sessions that started in this period.");
  },
);

test("what changed explains it too", async () => {
  await openPage(world, "changes?period=7d&metric=sessions");
  // It is folded away under "How this is judged".
  const text = await world.pages.page.locator("main").textContent();
  expect(text).toContain("Counts sessions that started in this period.");
});

test("one session lies between both counts", async () => {
  const { rows } = await askApi<{ rows: { session_count: number }[] }>(world, "/query", {
    ...{ project: world.shop, metrics: ["session_count"], date_from: today() },
  });
  const { distribution } = await askApi<{ distribution: { sessions: number }[] }>(
    world,
    `/sessions/distribution?project=${world.shop}&since=${today()}`,
  );
  const started = distribution.reduce((sum, { sessions }) => sum + sessions, 0);
  expect(Number(rows[0]?.session_count) - started).toBe(1);
});
