import { afterAll, beforeAll, expect, test } from "bun:test";
import { askApi, dateDaysAgo, logIn, openPage, settled } from "../support/browser/dashboard-use";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

/** Everyday questions that a new user of the dashboard could not answer, or answered wrongly. */
let world: DashboardWorld;
let order = "";
const campaign = "brought-buyers";
const message = "wallet is undefined";
const first = "user.first_utm_campaign";

beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
  const value = { property: "amount", currency: "EUR" };
  const goal = { project: world.shop, name: "Order", event: "purchase", value };
  ({ id: order } = await askApi<{ id: string }>(world, "/goals", goal, 201));
  await sendVisits();
});
afterAll(() => world.pages.close());

/** Two visitors of a campaign: one comes back directly a day later and buys, the other has an error. */
async function sendVisits(): Promise<void> {
  const dayMs = 86_400_000;
  const event = (user: string, name: string, daysAgo: number, properties: object) => ({
    ...{ event: name, user_id: user, session_id: `${user}-${daysAgo}` },
    timestamp: world.nowMs - daysAgo * dayMs,
    properties: { path: "/offer", device: "mobile", ...properties },
  });
  const events = [
    event("came-back", "page_view", 3, { utm_campaign: campaign }),
    event("came-back", "purchase", 2, { amount: 40 }),
    event("had-error", "page_view", 2, { utm_campaign: campaign }),
    event("had-error", "$error", 2, { message }),
  ];
  const { projects } = await askApi<{ projects: { name: string; project_token: string }[] }>(
    world,
    "/projects",
  );
  const token = projects.find(({ name }) => name === world.shop)?.project_token;
  const headers = { "User-Agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0" };
  const { url } = world.pages.server;
  const reply = await ask(url, "POST", "/track/batch", headers, { token, events });
  expect(reply.status).toBe(202);
}

const page = () => world.pages.page;
const card = (title: string | RegExp) =>
  page().locator("section.card", { has: page().getByRole("heading", { name: title }) });
type Rows = { readonly rows: readonly Readonly<Record<string, number | string | null>>[] };
const query = (asked: object) =>
  askApi<Rows>(world, "/query", {
    ...{ project: world.shop, goal: { goal: order } },
    ...{ date_from: dateDaysAgo(world, 6), date_to: dateDaysAgo(world, 0) },
    ...asked,
  });

test("Explore tells which campaign first brought the buyers, for a goal of the project", async () => {
  const metrics = ["unique_users", "conversions", "revenue"];
  await openPage(world, `explore?period=7d&metrics=${metrics}&by=${first}`);
  await page().getByLabel("Event or goal").selectOption("Order");
  await settled(world);
  const { rows } = await query({ metrics, group_by: [first] });
  const spring = rows.find((row) => row[first] === campaign);
  expect(spring).toMatchObject({ unique_users: 2, conversions: 1, revenue: 40 });
  await eventually(async () => {
    const row = page().locator("tbody tr", { hasText: campaign });
    expect(await row.locator("td.num").allInnerTexts()).toEqual(["2", "1", "40"]);
  });
  expect(
    await page()
      .getByText(/were ignored/)
      .count(),
  ).toBe(0);
});

test("an experiment accepts the name of a goal, and warns about an unknown name", async () => {
  await openPage(world, "experiments?new=yes");
  await page().getByLabel("Name", { exact: false }).first().fill("button");
  await page().fill("#experiment-goal", "Ordr");
  await world.pages.shown("#experiment-form", /No goal has this name, and no event/);
  await page().fill("#experiment-goal", "order");
  await world.pages.gone("#experiment-form", /No goal has this name, and no event/);
  await page().click("#experiment-form button[type=submit]");
  await world.pages.shown(".finding", /Goal: Order, counted/);
  const { experiments } = await askApi<{ experiments: { goal_event: string }[] }>(
    world,
    `/experiments?project=${world.shop}`,
  );
  expect(experiments.map(({ goal_event }) => goal_event)).toContain("purchase");
});

test("the table of errors shows the conversion rate of the sessions that had each error", async () => {
  await openPage(world, "speed?period=7d");
  await settled(world);
  const errors = [{ field: "event", op: "eq", value: "$error" }];
  const asked = { metrics: ["conversion_rate"], group_by: ["properties.message"], filters: errors };
  const { rows } = await query(asked);
  expect(rows.find((row) => row["properties.message"] === message)?.conversion_rate).toBe(0);
  await eventually(async () => {
    const row = card("JavaScript errors").locator("tbody tr", { hasText: message });
    expect(await row.locator("td").nth(2).innerText()).toBe("0%");
  });
  await world.pages.shown(".card-note", /^Of all sessions, [\d.]+% reached Order\.$/);
});

test("a value of a funnel's breakdown filters the funnel and the list of visitors who dropped off", async () => {
  await openPage(world, "funnels?period=7d&step=page_view&step=purchase&breakdown=device");
  await settled(world);
  await card("By Device").getByRole("button", { name: "mobile" }).click();
  await settled(world);
  expect(new URL(page().url()).searchParams.getAll("filter")).toEqual([
    "properties.device~eq~mobile",
  ]);
  const dropped = page().locator("a.link[href*=did_not]").first();
  expect(decodeURIComponent((await dropped.getAttribute("href")) ?? "")).toContain("mobile");
});

test("a page links to its overview, a file name has project and dates, and one bar scrolls", async () => {
  await openPage(world, "pages?period=7d&filter=properties.path~eq~/offer");
  const link = page().locator("main").getByRole("link", { name: "Overview" });
  expect(await link.getAttribute("href")).toContain("offer");
  await openPage(world, "overview?period=7d&sources=campaign");
  await settled(world);
  expect(await card("Sources").locator("thead th").first().innerText()).toBe("Campaigns");
  const file = page().waitForEvent("download");
  await card("Sources").getByText("CSV").click();
  const dates = `${dateDaysAgo(world, 6)}-${dateDaysAgo(world, 0)}`;
  expect((await file).suggestedFilename()).toBe(`${world.shop}-campaigns-${dates}.csv`);
  const [scrolled, height] = await page().evaluate<number[]>(
    "[document.documentElement.scrollHeight, innerHeight]",
  );
  expect(scrolled).toBe(height);
});

test("a guest sees no comparison with a period before the first event, with or without a filter", async () => {
  const { url } = await askApi<{ url: string }>(
    world,
    "/shares",
    { project: world.shop, name: "Guest" },
    201,
  );
  for (const filter of ["", "&filter=properties.device~eq~mobile"]) {
    await page().goto(`${url}?period=90d${filter}`);
    await world.pages.shown(".legend", /stored since \d+ \w+ 20\d\d, so totals are not compared/);
    await settled(world);
    expect((await page().locator(".tile").allInnerTexts()).join()).not.toContain("from");
  }
});
