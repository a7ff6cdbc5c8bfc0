import { afterAll, beforeAll, expect, test } from "bun:test";
import { askApi, dateDaysAgo, logIn, openPage, settled } from "../support/browser/dashboard-use";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

/** The page that says what changed, in a shop to which many came from Sweden some days ago. */
let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
  await sendSwedes();
});
afterAll(() => world.pages.close());

const newcomers = 900;
const batchEvents = 100;

async function sendSwedes(): Promise<void> {
  const { projects } = await askApi<{ projects: { name: string; project_token: string }[] }>(
    world,
    "/projects",
  );
  const token = projects.find(({ name }) => name === world.shop)?.project_token;
  const dayMs = 86_400_000;
  const events = Array.from({ length: newcomers }, (_, at) => ({
    event: "page_view",
    user_id: `swede-${at}`,
    session_id: `swede-${at}`,
    timestamp: world.nowMs - 3 * dayMs + at * 1_000,
    properties: { path: "/pricing", utm_source: "fika" },
  }));
  for (let from = 0; from < events.length; from += batchEvents) {
    const body = { token, events: events.slice(from, from + batchEvents) };
    const headers = { "X-Country": "SE", "User-Agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0" };
    const reply = await ask(world.pages.server.url, "POST", "/track/batch", headers, body);
    expect(reply.status).toBe(202);
  }
}

const open = (path: string) => openPage(world, path);
const params = () => new URL(world.pages.page.url()).searchParams;
const text = (selector: string) => world.pages.page.locator(selector).first().innerText();

interface Changes {
  readonly verdict: string;
  readonly current: { readonly value: number };
  readonly needs: { readonly dates: number; readonly have: number } | null;
  readonly drivers: readonly { readonly dimension: string; readonly value: string }[];
}

test("says what the API says: what changed, and which values account for it", async () => {
  await open("changes?period=7d");
  const answer = await askApi<Changes>(
    world,
    `/changes?project=${world.shop}&metric=sessions&since=${dateDaysAgo(world, 7)}&until=${dateDaysAgo(world, 1)}`,
  );
  expect(answer.verdict).toBe("specific");
  expect(answer.drivers.map(({ value }) => value)).toContain("SE");
  const drivers = world.pages.page.locator("section[aria-label='Main drivers'] tbody tr");
  await eventually(async () => {
    expect(await text(".stack h2")).toBe("A significant change in a few values");
    expect(await text(".finding b")).toBe(answer.current.value.toLocaleString("en"));
    const shown = await drivers.allInnerTexts();
    expect(shown.some((row) => row.includes("Country") && row.includes("Sweden"))).toBe(true);
    expect(shown.some((row) => row.includes("Source") && row.includes("fika"))).toBe(true);
  });
});

test("a row filters the page, and is taken back", async () => {
  const { page } = world.pages;
  await open("changes?period=7d");
  await page.getByRole("button", { name: "Sweden" }).first().click();
  await eventually(async () => {
    expect(params().get("filter")).toBe("session.country~eq~SE");
    expect(await text(".finding b")).toBe(String(newcomers));
  });
  await page.goBack();
  await page.waitForURL(({ searchParams }) => !searchParams.has("filter"));
});

test("the number is chosen, and a conversion needs a goal", async () => {
  const { page } = world.pages;
  await open("changes?period=7d");
  await page.getByRole("radio", { name: "Conversion" }).click();
  await world.pages.shown(".state", /Choose a goal/);
  await eventually(() => expect(params().get("metric")).toBe("conversion"));
  await page.locator(".controls select").selectOption("signup");
  await page.waitForURL(({ searchParams }) => searchParams.get("event") === "signup");
  await settled(world);
  const there = page.url();
  await world.pages.shown(".finding b", /%/);
  const before = await text(".finding b");
  await page.goto(there);
  await eventually(async () => expect(await text(".finding b")).toBe(before));
});

test("a goal is chosen like an event, and its number is the API's", async () => {
  const { page } = world.pages;
  const goal = { project: world.shop, name: "Read <b>all</b>", page: "/docs*" };
  const { id } = await askApi<{ id: string }>(world, "/goals", goal, 201);
  await open("changes?period=7d");
  await page.locator(".controls select").selectOption({ label: goal.name });
  await page.waitForURL(({ searchParams }) => searchParams.get("goal_id") === id);
  const dates = `since=${dateDaysAgo(world, 7)}&until=${dateDaysAgo(world, 1)}`;
  const path = `/changes?project=${world.shop}&metric=sessions&goal=${id}&${dates}`;
  const { current } = await askApi<Changes>(world, path);
  expect(current.value).toBeGreaterThan(0);
  await world.pages.shown(
    ".finding",
    new RegExp(`^${current.value} sessions with Read <b>all</b> from`),
  );
  await page.locator(".controls select").selectOption({ label: "All events" });
  await page.waitForURL(({ searchParams }) => !searchParams.has("goal_id"));
});

test("where too few dates are stored it says how many it takes, and tables are shown when asked for", async () => {
  const { page } = world.pages;
  await open("changes?period=30d");
  const { needs } = await askApi<Changes>(
    world,
    `/changes?project=${world.shop}&since=${dateDaysAgo(world, 30)}&until=${dateDaysAgo(world, 1)}`,
  );
  expect(needs?.have).toBeLessThan(needs?.dates ?? 0);
  const told = `Sightline needs ${needs?.dates} dates before this period; ${needs?.have} are there.`;
  await world.pages.shown(".finding", new RegExp(told));
  expect(await page.locator("main table:visible").count()).toBe(0);
});

test("z-scores are shown to whoever asks how it is judged", async () => {
  const { page } = world.pages;
  await open("changes?period=7d");
  const z = page.getByRole("columnheader", { name: "z", exact: true });
  expect(await z.count()).toBe(0);
  await page.getByText("How this is judged").press("Enter");
  await z.first().waitFor();
  await world.pages.shown(".judged", /z-score of \d+\.\d.*significant beyond ±\d/s);
});

test("its request is among those of the view, as curl", async () => {
  const { page } = world.pages;
  await open("changes?period=7d");
  await page.keyboard.press("a");
  await page.locator(".drawer summary", { hasText: "What changed" }).click();
  await eventually(async () =>
    expect(await page.locator(".drawer details[open] pre").innerText()).toContain(
      "/changes?project=",
    ),
  );
  await page.keyboard.press("a");
});

test("a table is taken along", async () => {
  const { page } = world.pages;
  await open("changes?period=7d");
  const file = page.waitForEvent("download");
  await page.getByTitle("Save as drivers.csv").click();
  expect((await file).suggestedFilename()).toContain("drivers");
});

test("comparisons of the overview lead to it, with their number and filters", async () => {
  const { page } = world.pages;
  await open("overview?period=7d&metric=sessions&filter=country~eq~DE");
  await page.getByRole("link", { name: "What changed?" }).first().click();
  await page.waitForURL(({ pathname }) => pathname.endsWith("/changes"));
  await settled(world);
  expect(Object.fromEntries(params())).toEqual({
    ...{ period: "7d", metric: "sessions", filter: "country~eq~DE" },
  });
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await page.waitForURL(({ pathname }) => pathname.endsWith("/overview"));
});

test("a project without events says what to do", async () => {
  await world.pages.goto(`/app/p/${world.quiet}/changes`);
  await world.pages.shown(".state", /This project has no events yet\./);
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
