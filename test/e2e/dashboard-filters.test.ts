import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Request } from "playwright-core";
import { askApi, dateDaysAgo, logIn, openPage, settled, tileOf } from "../support/dashboard-use";
import { type DashboardWorld, openDashboardWorld } from "../support/dashboard-world";
import { ask } from "../support/server";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
}, 60_000);
afterAll(() => world.pages.close());

const open = (path: string) => openPage(world, path);
const tile = (name: string) => tileOf(world, name);

const api = <T>(path: string, body?: object) => askApi<T>(world, path, body);
interface Rows {
  readonly rows: readonly Readonly<Record<string, number>>[];
}
const dateAt = (days: number) => dateDaysAgo(world, days);

describe("a filter in the address", () => {
  /** What the pages choose from, and what is live, is never filtered. */
  const unfiltered =
    /^\/(properties|live|projects|project-context|auth|app|experiments|billing|favicon.ico)/;

  test.each([
    "overview?period=yesterday",
    "overview?period=7d",
    "explore?by=event",
    "explore?property=browser",
    "funnels",
    "retention",
    "paths",
    "pages",
    "sources",
    "sessions",
    "events",
    "people",
  ])(
    "holds in every read of %s",
    async (path) => {
      const { page, base } = world.pages;
      const asked: string[] = [];
      const note = (request: Request) => {
        const { pathname, search } = new URL(request.url());
        if (unfiltered.test(pathname)) return;
        asked.push(`${pathname} ${decodeURIComponent(search)} ${request.postData() ?? ""}`);
      };
      page.on("request", note);
      await open(`${path}${path.includes("?") ? "&" : "?"}filter=country~eq~JP`);
      await Bun.sleep(300);
      await settled(world);
      page.off("request", note);
      expect(page.url().startsWith(base)).toBe(true);
      expect(asked.length).toBeGreaterThan(0);
      const held = '{"field":"country","op":"eq","value":"JP"}';
      expect(asked.filter((request) => !request.includes(held))).toEqual([]);
    },
    20_000,
  );

  test("shows the sessions that the API tells", async () => {
    await open("sessions?period=7d&filter=country~eq~JP");
    const filters = encodeURIComponent('[{"field":"country","op":"eq","value":"JP"}]');
    const query = `project=${world.shop}&since=${dateAt(6)}&until=${dateAt(0)}&limit=50`;
    const { sessions } = await api<{ sessions: readonly object[] }>(
      `/sessions?${query}&filters=${filters}`,
    );
    expect(sessions.length).toBeGreaterThan(0);
    expect(sessions.length).toBeLessThan(50);
    expect(await world.pages.page.locator(".session-row").count()).toBe(sessions.length);
  }, 20_000);
});

test("dates are those of the project's time zone", async () => {
  const { page } = world.pages;
  const { projects } = await api<{ projects: { id: string; name: string }[] }>("/projects");
  const id = projects.find(({ name }) => name === "a-blog")?.id;
  const path = `/projects/${id}`;
  const headers = { "X-API-Key": world.key };
  const zone = { timezone: "Pacific/Auckland" };
  const changed = await ask(world.pages.server.url, "PATCH", path, headers, zone);
  expect(changed.status).toBe(200);
  await world.pages.goto("/app/p/a-blog/overview?period=today");
  await settled(world);
  // At 15:00 UTC the next day has begun there, at 3 or 4 o'clock.
  const date = dateAt(-1);
  const { rows } = await api<Rows>("/query", {
    project: "a-blog",
    metrics: ["event_count"],
    count_mode: "raw",
    date_from: date,
    date_to: date,
  });
  expect(rows[0]?.event_count).toBeGreaterThan(0);
  expect(await tile("Events")).toBe(String(rows[0]?.event_count));
  await page.click("#period-menu");
  await world.pages.shown("#period-menu + .panel", /Days are those of Pacific\/Auckland/);
}, 20_000);

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
