import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Json, type TestApp, type TestProject, testApp } from "../support/app/app";

let app: TestApp;
let shop: TestProject;
let gone: TestProject;
const crawler = { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" };

beforeAll(async () => {
  app = await testApp();
  shop = await app.makeProject("shop");
  gone = await app.makeProject("gone");
  for (const project of [shop, gone]) {
    await app.track(project, { event: "page_view" }, { event: "page_view" });
    const body = { token: project.token, event: "page_view" };
    await app.send("POST", "/track", { headers: crawler, body });
  }
});
afterAll(() => app.close());

const names = ({ projects }: Json) => (projects as readonly Json[]).map(({ name }) => name).sort();
const sum = (series: unknown, field: string): number =>
  (series as readonly Json[]).reduce((total, day) => total + Number(day[field]), 0);

/** Filtered requests are counted in memory first, and written at most a second later. */
async function botTraffic(requests: number): Promise<Json> {
  for (let tries = 0; tries < 500; tries++) {
    const answer = await app.get("/account/bot-traffic");
    if (sum(answer.time_series, "requests") === requests) return answer;
    await Bun.sleep(100);
  }
  throw new Error(`There are not ${requests} automated requests.`);
}

describe("what an account sees of all its projects", () => {
  test("is of live ones: a deleted one is in no total, ranking or series, whenever it was deleted", async () => {
    expect(names(await app.get("/account/all-sites"))).toEqual(["gone", "shop"]);
    expect(names(await botTraffic(2))).toEqual(["gone", "shop"]);
    await app.send("DELETE", `/projects/${gone.id}`, { key: app.key });

    const sites = await app.get("/account/all-sites");
    expect(names(sites)).toEqual(["shop"]);
    expect(sum(sites.time_series, "events")).toBe(2);
    expect(sites).toMatchObject({
      summary: { total_projects: 1, active_projects: 1, total_events: { current: 2 } },
      projects: [{ id: shop.id, share_pct: 100 }],
      remaining_projects: 0,
    });

    const bots = await botTraffic(1);
    expect(names(bots)).toEqual(["shop"]);
    expect(bots).toMatchObject({
      summary: {
        total_projects: 1,
        active_projects: 1,
        automated_requests: { current: 1 },
        dropped_events: { current: 1 },
      },
      categories: [{ category: "search_crawler", requests: 1, share_pct: 100 }],
      remaining_projects: 0,
    });
  });

  test("a project made again under the old name begins with nothing", async () => {
    await app.makeProject("gone");
    expect(await app.get("/account/all-sites")).toMatchObject({
      summary: { total_projects: 2, active_projects: 1, total_events: { current: 2 } },
    });
    expect(await app.get("/bot-traffic?project=gone")).toMatchObject({
      summary: { automated_requests: { current: 0 } },
    });
  });
});
