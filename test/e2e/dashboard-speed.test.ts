import { afterAll, beforeAll, expect, test } from "bun:test";
import { askApi, dateDaysAgo, logIn, openPage, settled } from "../support/browser/dashboard-use";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

/** The page of speed and errors: /pricing became slow eight days ago, and the cart breaks in Firefox. */
const dayMs = 86_400_000;
const daysBefore = 12;
const slowDays = 8;
const message = "cart is <b>undefined</b>";
let world: DashboardWorld;

beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
  for (let day = daysBefore; day >= 1; day--) await sendDay(day);
});
afterAll(() => world.pages.close());

async function sendDay(daysAgo: number): Promise<void> {
  const lcpMs = daysAgo <= slowDays ? 4_600 : 1_900;
  const event = (name: string, at: number, properties: object) => ({
    event: name,
    user_id: `measured-${at}`,
    session_id: `measured-${at}-${daysAgo}`,
    timestamp: world.nowMs - daysAgo * dayMs + at * 1_000,
    properties: { device: "desktop", browser: "Firefox", ...properties },
  });
  const events = Array.from({ length: 8 }, (_, at) => [
    event("$web_vitals", at, { path: "/pricing", cwv_lcp: lcpMs + at, cwv_cls: 0.02, cwv_inp: 90 }),
    event("$web_vitals", at, { path: "/docs", cwv_lcp: 900 + at, cwv_cls: 0.3 }),
  ]).flat();
  if (daysAgo <= 3) events.push(event("$error", 1, { path: "/cart", message, source: "cart.js" }));
  events.push(event("$404", 2, { path: "/old-page", referrer: "https://example.org/list" }));
  events.push(
    event("outgoing_link", 3, { href: "https://example.net/a", hostname: "example.net" }),
  );
  events.push(event("$download", 4, { href: "https://shop.example/list.pdf", extension: "pdf" }));
  const { projects } = await askApi<{ projects: { name: string; project_token: string }[] }>(
    world,
    "/projects",
  );
  const token = projects.find(({ name }) => name === world.shop)?.project_token;
  const headers = { "User-Agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0" };
  const reply = await ask(world.pages.server.url, "POST", "/track/batch", headers, {
    token,
    events,
  });
  expect(reply.status).toBe(202);
}

interface Answer {
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
}
const p75 = (event: string) =>
  askApi<Answer>(world, "/query", {
    ...{ project: world.shop, metrics: ["p75:properties.cwv_lcp", "event_count", "unique_users"] },
    ...{ date_from: dateDaysAgo(world, 29), date_to: dateDaysAgo(world, 0), count_mode: "raw" },
    filters: [{ field: "event", op: "eq", value: event }],
  });
const rowOf = (table: string, text: string) =>
  world.pages.page.locator(`section[aria-label='${table}'] tbody tr`, { hasText: text }).first();
const params = () => new URL(world.pages.page.url()).searchParams;

test("shows each vital's 75th percentile with its rating, as the API has it", async () => {
  await openPage(world, "speed");
  const { rows } = await p75("$web_vitals");
  const lcpMs = Number(rows[0]?.["p75:properties.cwv_lcp"]);
  const tile = world.pages.page.locator(".vitals .tile", { hasText: "LCP" });
  await eventually(async () => {
    expect(await tile.locator(".tile-value").innerText()).toBe(
      `${(lcpMs / 1_000).toFixed(1)} s poor`,
    );
    expect(await world.pages.page.locator(".card-note").first().innerText()).toContain(
      `${rows[0]?.event_count} page views were measured`,
    );
  });
});

test("says since when a page is slower, and only of that page", async () => {
  await openPage(world, "speed");
  const day = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short" });
  const since = day.format(world.nowMs - slowDays * dayMs);
  await eventually(async () => {
    expect(await rowOf("Speed of pages", "/pricing").innerText()).toContain(
      `${since}: 1.9 s → 4.6 s`,
    );
    expect(await rowOf("Speed of pages", "/docs").innerText()).not.toContain("→");
  });
});

test("a page's row filters the whole page, and the choice of a vital is in the address", async () => {
  await openPage(world, "speed");
  await rowOf("Speed of pages", "/docs").getByRole("button").click();
  await settled(world);
  expect(params().get("filter")).toBe("properties.path~eq~/docs");
  await world.pages.page.locator(".vitals .tile", { hasText: "CLS" }).click();
  await eventually(() => expect(params().get("vital")).toBe("cls"));
  const tile = world.pages.page.locator(".vitals .tile", { hasText: "CLS" });
  await eventually(async () => {
    expect(await tile.locator(".tile-value").innerText()).toBe("0.3 poor");
    expect(await rowOf("Speed of pages", "/pricing").count()).toBe(0);
  });
});

test("lists errors as texts with times, visitors and dates, and leads to the visitors", async () => {
  await openPage(world, "speed");
  const row = rowOf("Table of errors", message);
  const { rows } = await p75("$error");
  await eventually(async () => {
    const cells = await row.locator("td").allInnerTexts();
    expect(cells.slice(0, 2).map(Number)).toEqual([
      Number(rows[0]?.event_count),
      Number(rows[0]?.unique_users),
    ]);
    expect(cells[2]).not.toBe("");
    expect(cells[3]).not.toBe(cells[2]);
  });
  await row.getByRole("link").click();
  await settled(world);
  expect(new URL(world.pages.page.url()).pathname).toEndWith("/people");
  const had = {
    did: "$error",
    filters: [{ field: "properties.message", op: "eq", value: message }],
  };
  expect(
    params()
      .getAll("filter")
      .map((text) => JSON.parse(text)),
  ).toEqual([had]);
  await eventually(async () =>
    expect(
      await world.pages.page.locator("section[aria-label='Table of visitors'] tbody tr").count(),
    ).toBe(1),
  );
});

test("lists missing pages, outgoing links and downloads", async () => {
  await openPage(world, "speed");
  const names = async (title: string) =>
    world.pages.page
      .locator("section.card", { has: world.pages.page.getByRole("heading", { name: title }) })
      .locator("tbody .name bdi")
      .allInnerTexts();
  await eventually(async () => {
    expect(await names("Missing pages")).toContain("/old-page");
    expect(await names("Outgoing links")).toContain("example.net");
    expect(await names("Downloads")).toContain("https://shop.example/list.pdf");
  });
});
