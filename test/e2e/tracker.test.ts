import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  looked,
  named,
  openTrackedSite,
  type StoredEvent,
  type TrackedSite,
} from "../support/browser/tracked-site";

describe("one visit, from the first page to the numbers", () => {
  let world: TrackedSite;
  let events: StoredEvent[];
  beforeAll(async () => {
    world = await openTrackedSite("shop");
    const { page, problems } = await world.visitor();
    await page.goto(`${world.origin}/?utm_source=news&secret=1`);
    expect(await page.evaluate("isSecureContext")).toBe(false);
    expect(await page.evaluate("typeof crypto.randomUUID")).toBe("undefined");
    await page.click("#sign-up");
    await page.evaluate(`window.aa.track("custom", { plan: "pro", email: "ada@example.com" })`);
    await page.evaluate(`window.aa.identify("user-1", { plan: "pro" })`);
    await page.evaluate(looked);
    await page.reload();
    await page.evaluate(looked);
    await page.close({ runBeforeUnload: true });
    expect(problems).toEqual([]);
    await world.events(12);
    // No more than that may come.
    events = await world.settled();
  });
  afterAll(() => world.close());

  test("page view, custom event, identify, reload, close: all of it is stored once", () => {
    expect(named(events, "page_view")).toHaveLength(2);
    expect(named(events, "sign_up")).toHaveLength(1);
    expect(named(events, "custom")).toHaveLength(1);
    const { properties } = named(events, "custom")[0] as StoredEvent;
    expect(properties).toMatchObject({ plan: "pro", browser: "Chrome", os: "Linux", path: "/" });
    expect(properties).not.toHaveProperty("email");
    expect(properties.url).toBe(`${world.origin}/`);
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  test("all of it is one visitor's, whose id is the identified one, in one session", () => {
    expect(new Set(events.map(({ user_id }) => user_id))).toEqual(new Set(["user-1"]));
    expect(new Set(events.map(({ session_id }) => session_id)).size).toBe(1);
  });

  test("impressions, vitals, scroll depth and load times came too", () => {
    const [intro] = named(events, "$impression");
    expect(intro?.properties).toMatchObject({ name: "Intro", place: "top" });
    expect(named(events, "$impression")).toHaveLength(2);
    const [vitals] = named(events, "$web_vitals");
    expect(vitals?.properties.cwv_lcp).toBeGreaterThan(0);
    expect(vitals?.properties.cwv_cls).toBeGreaterThanOrEqual(0);
    expect(named(events, "$web_vitals")).toHaveLength(2);
    const [scroll] = named(events, "$scroll_depth");
    expect(scroll?.properties.scroll_depth).toBeGreaterThan(5);
    expect(scroll?.properties.scroll_depth).toBeLessThan(50);
    const loads = named(events, "$performance");
    // Two loadings of the page, each told once.
    expect(loads).toHaveLength(2);
    const [load] = loads;
    expect(load?.properties.perf_load).toBeGreaterThan(0);
    expect(load?.properties.perf_ttfb).toBeGreaterThan(0);
    expect(load?.properties.perf_dns).toBeGreaterThanOrEqual(0);
  });

  test("the numbers say the same", async () => {
    const stats = await world.read<Record<string, Record<string, number>>>(
      `/stats?project=shop&since=1d`,
    );
    expect(JSON.stringify(stats)).toContain(`"unique_users":1`);
    expect(JSON.stringify(stats)).toContain(`"total_events":${events.length}`);
    const sessions = await world.read<{ sessions: Record<string, unknown>[] }>(
      `/sessions?project=shop&since=1d`,
    );
    expect(sessions.sessions).toHaveLength(1);
    expect(sessions.sessions[0]).toMatchObject({
      entry_page: "/",
      is_bounce: 0,
      user_id: "user-1",
      event_count: events.length,
    });
    const { entry_pages: pages } = await world.read<{ entry_pages: unknown[] }>(
      `/pages?project=shop&since=1d`,
    );
    expect(pages).toEqual([expect.objectContaining({ page: "/", sessions: 1, bounces: 0 })]);
  });
});
