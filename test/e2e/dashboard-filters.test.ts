import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Request } from "playwright-core";
import { login } from "../support/account";
import { type DashboardWorld, openDashboardWorld } from "../support/dashboard-world";
import { untilQuiet } from "../support/page-structure";
import { ask } from "../support/server";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await world.pages.goto("/login?next=/app/p");
  await world.pages.logIn(login);
  await world.pages.page.waitForURL(({ pathname }) => pathname.startsWith("/app/p"));
}, 60_000);
afterAll(() => world.pages.close());

async function open(path: string): Promise<void> {
  await world.pages.goto(`/app/p/${world.shop}/${path}`);
  await settled();
}
/** All answers are there; the pause is for a click that has only just been made. */
async function settled(): Promise<void> {
  await Bun.sleep(80);
  await untilQuiet(world.pages.page);
}
const tile = (name: string) =>
  world.pages.page.locator(".tile", { hasText: name }).locator(".tile-value").innerText();

/** What the API says, to an agent's key. */
async function api<T>(path: string, body?: object): Promise<T> {
  const method = body === undefined ? "GET" : "POST";
  const reply = await ask(world.pages.server.url, method, path, { "X-API-Key": world.key }, body);
  expect([path, reply.status]).toEqual([path, 200]);
  return JSON.parse(reply.body);
}
interface Rows {
  readonly rows: readonly Readonly<Record<string, number>>[];
}
const dateAt = (days: number) =>
  new Date(world.nowMs - days * 86_400_000).toISOString().slice(0, 10);

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
      await settled();
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
  await settled();
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
