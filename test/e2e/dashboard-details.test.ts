import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import { askApi, dateDaysAgo, logIn, openPage, settled } from "../support/browser/dashboard-use";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

/** The panel with all values of a list, the page of all pages, and the change of each row. */
let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

type Cells = Readonly<Record<string, string | number | null>>;
const month = () => ({ date_from: dateDaysAgo(world, 29), date_to: dateDaysAgo(world, 0) });
const ask = async <T = Cells>(body: object): Promise<readonly T[]> =>
  (
    await askApi<{ rows: T[] }>(world, "/query", {
      ...{ project: world.shop, count_mode: "raw", ...month(), ...body },
    })
  ).rows;
/** The numbers of a row without their changes. */
const numbersOf = async (row: Locator): Promise<readonly string[]> =>
  (await row.locator("td").allInnerTexts()).map((text) => text.split("\n")[0] ?? "");
const rowsOf = (label: string) =>
  world.pages.page.locator(`section[aria-label='${label}'] tbody tr`);
const params = () => new URL(world.pages.page.url()).searchParams;

test("a list opens in a panel with more numbers, which are those of the API", async () => {
  const { page } = world.pages;
  await openPage(world, "overview");
  await page.getByRole("button", { name: "Details: country" }).click();
  await settled(world);
  expect(params().get("details")).toBe("countries");
  const metrics = ["unique_users", "session_count", "page_views"];
  const rows = await ask({ metrics, group_by: ["country"], order_by: "unique_users" });
  const named = rows.filter(({ country }) => country !== null);
  await eventually(async () => {
    const cells = await numbersOf(rowsOf("All values: Country").first());
    expect(cells.slice(0, 3)).toEqual(metrics.map((metric) => String(named[0]?.[metric])));
    expect(await rowsOf("All values: Country").count()).toBe(named.length);
  });
});

test("the panel is searched, sorted by any column, and closed by Escape", async () => {
  const { page } = world.pages;
  await openPage(world, "overview?details=countries");
  const names = () => rowsOf("All values: Country").locator("th bdi").allInnerTexts();
  await eventually(async () => expect((await names()).length).toBeGreaterThan(2));
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Country", exact: true }).click();
  const sorted = await names();
  expect(sorted.length).toBeGreaterThan(2);
  await dialog.getByRole("searchbox").fill("germ");
  await eventually(async () => expect(await names()).toEqual(["Germany"]));
  // A field of search is emptied by the first one.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await eventually(() => expect(params().has("details")).toBe(false));
});

test("a value of the panel filters the page and closes the panel", async () => {
  const { page } = world.pages;
  await openPage(world, "overview?details=countries");
  await page.getByRole("dialog").getByRole("button", { name: "Germany" }).click();
  await settled(world);
  expect(params().get("filter")).toBe("country~eq~DE");
  expect(params().has("details")).toBe(false);
});

test("all pages stand with views, entries and exits, as the API counts them", async () => {
  await openPage(world, "pages");
  const views = await ask({
    ...{ metrics: ["page_views"], group_by: ["properties.path"], order_by: "page_views" },
    filters: [{ field: "event", op: "eq", value: "page_view" }],
  });
  const path = String(views[0]?.["properties.path"]);
  const countOf = async (field: string) => {
    const rows = await ask({ metrics: ["session_count"], group_by: [field], limit: 1_000 });
    return String(rows.find((row) => row[field] === path)?.session_count ?? 0);
  };
  const [entries, exits] = [
    await countOf("session.entry_page"),
    await countOf("session.exit_page"),
  ];
  await eventually(async () => {
    const row = rowsOf("All values: Page").filter({
      has: world.pages.page.locator("bdi", { hasText: new RegExp(`^${path}$`) }),
    });
    const cells = await numbersOf(row.first());
    expect([cells[2], cells[3], cells[4]]).toEqual([String(views[0]?.page_views), entries, exits]);
  });
});

test("a goal that is chosen in the panel has its columns, and any column can be left out", async () => {
  const { page } = world.pages;
  const { id } = await askApi<{ id: string }>(
    world,
    "/goals",
    {
      ...{ project: world.shop, name: "Order", event: "purchase" },
      value: { property: "amount", currency: "EUR" },
    },
    201,
  );
  await openPage(world, "overview?period=last-week&details=sources");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Goal").selectOption("Order");
  await settled(world);
  expect(params().get("goal")).toBe(id);
  const weekday = (new Date(world.nowMs).getUTCDay() + 6) % 7;
  const [first] = await ask<Cells & { previous: Cells }>({
    ...{ metrics: ["unique_users", "conversions", "revenue"], group_by: ["session.source"] },
    ...{ goal: { goal: id }, order_by: "unique_users", compare: "previous" },
    date_from: dateDaysAgo(world, weekday + 7),
    date_to: dateDaysAgo(world, weekday + 1),
  });
  const row = rowsOf("All values: Source").first();
  await eventually(async () => {
    const cells = await numbersOf(row);
    expect([cells[0], cells[5]]).toEqual([String(first?.unique_users), String(first?.conversions)]);
    expect(cells[7]?.replace(/\.\d+$/, "")).toBe(`€${Math.round(Number(first?.revenue))}`);
    expect(await row.locator(".delta").count()).toBeGreaterThan(3);
  });
  await dialog.locator("summary").click();
  await dialog.getByLabel("Bounce rate").uncheck();
  await eventually(async () => {
    expect(params().get("hide")).toBe("bounce_rate");
    expect(await dialog.locator("thead").innerText()).not.toContain("Bounce rate");
    expect(await row.locator("td").count()).toBe(7);
  });
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "CSV" }).click(),
  ]);
  const [head = "", ...lines] = readFileSync(await file.path(), "utf8")
    .trim()
    .split(/\r?\n/);
  expect(head).toEndWith("Session duration,Conversions,Conversion rate,Revenue");
  expect(lines.length).toBe(await rowsOf("All values: Source").count());
});

test("while comparing, each row of a list has its change", async () => {
  await openPage(world, "overview?period=7d");
  const [first] = await ask<{ country: string; unique_users: number; previous: Cells }>({
    ...{ metrics: ["unique_users"], group_by: ["country"], compare: "previous" },
    ...{ date_from: dateDaysAgo(world, 6), order_by: "unique_users" },
  });
  const before = Number(first?.previous.unique_users);
  const change = Number(first?.unique_users) - before;
  const card = world.pages.page.locator("section.card", {
    has: world.pages.page.getByRole("heading", { name: "Countries" }),
  });
  await eventually(async () => {
    const shown = await card.locator("tbody tr").first().locator(".delta").innerText();
    if (before === 0) expect(shown).toBe("new");
    else if (change === 0) expect(shown).toContain("=");
    else expect(shown).toContain(change > 0 ? "↑" : "↓");
    if (before > 0 && before < 10 && change !== 0) expect(shown).toContain(`${Math.abs(change)}`);
  });
});
