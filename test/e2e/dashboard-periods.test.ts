import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  askApi,
  dateDaysAgo,
  logIn,
  openPage,
  settled,
  tileOf,
} from "../support/browser/dashboard-use";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

describe("the periods of the overview", () => {
  test("have last week one choice away, with the numbers that the API has of these dates", async () => {
    const { page } = world.pages;
    await openPage(world, "overview");
    await page.keyboard.press("t");
    await page.getByRole("radio", { name: "Last week" }).click();
    await settled(world);
    expect(new URL(page.url()).searchParams.get("period")).toBe("last-week");
    const weekday = (new Date(world.nowMs).getUTCDay() + 6) % 7;
    const { rows } = await askApi<{ rows: { unique_users: number }[] }>(world, "/query", {
      ...{ project: world.shop, metrics: ["unique_users"] },
      ...{ date_from: dateDaysAgo(world, weekday + 7), date_to: dateDaysAgo(world, weekday + 1) },
    });
    await eventually(async () =>
      expect(await tileOf(world, "Visitors")).toBe(String(rows[0]?.unique_users)),
    );
  });

  test("are drawn by day, week or month, each bucket with the number of the API", async () => {
    const { page } = world.pages;
    await openPage(world, "overview?period=90d");
    await page.getByRole("radio", { name: "week", exact: true }).click();
    await settled(world);
    expect(new URL(page.url()).searchParams.get("bucket")).toBe("week");
    await page.getByRole("button", { name: "Show as a table" }).click();
    const { rows } = await askApi<{ rows: { week: string; unique_users: number }[] }>(
      world,
      "/query",
      {
        ...{ project: world.shop, metrics: ["unique_users"], group_by: ["week"] },
        ...{ date_from: dateDaysAgo(world, 89), date_to: dateDaysAgo(world, 0) },
        ...{ order_by: "week", order: "desc" },
      },
    );
    expect(rows.length).toBeGreaterThan(3);
    await eventually(async () => {
      const cells = await page.locator(".card tbody tr td:nth-child(2)").allInnerTexts();
      expect(cells.slice(0, rows.length)).toEqual(rows.map((row) => String(row.unique_users)));
    });
    await page.getByRole("button", { name: "Show as a table" }).click();
  });

  test("of all time begin with the first month that has events", async () => {
    const { page } = world.pages;
    await openPage(world, "overview?period=all");
    await page.getByRole("button", { name: "Show as a table" }).click();
    const { first_event_at } = await askApi<{ first_event_at: number }>(
      world,
      `/projects/${world.shop}`,
    );
    const first = new Date(first_event_at);
    const now = new Date(world.nowMs);
    const months =
      12 * (now.getUTCFullYear() - first.getUTCFullYear()) +
      now.getUTCMonth() -
      first.getUTCMonth();
    await eventually(async () =>
      expect(await page.locator("section[aria-label=Values] tbody tr").count()).toBe(months + 1),
    );
    await page.getByRole("button", { name: "Show as a table" }).click();
  });
});

describe("a reader in America", () => {
  beforeAll(() =>
    world.pages.page.addInitScript(
      'Object.defineProperty(navigator, "language", { get: () => "en-US" })',
    ),
  );
  const weekday = () => new Date(world.nowMs).getUTCDay();

  test("has last week from Sunday on, and dates with the month first", async () => {
    const { page } = world.pages;
    await openPage(world, "sites?period=last-week");
    await page.getByRole("button", { name: "Show as a table" }).press("Enter");
    const day = new Intl.DateTimeFormat("en-US", {
      timeZone: "UTC",
      day: "numeric",
      month: "short",
    });
    const [first, last] = [weekday() + 7, weekday() + 1].map((days) =>
      day.format(world.nowMs - days * 86_400_000),
    );
    await eventually(async () => {
      const rows = await page.locator("main table").first().locator("tbody th").allInnerTexts();
      expect(rows).toHaveLength(7);
      expect(rows.at(0)).toContain(last);
      expect(rows.at(-1)).toContain(first);
    });
  });

  test("gets a file with exact dates", async () => {
    const { page } = world.pages;
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "CSV" }).first().click();
    const text = await Bun.file(await (await download).path()).text();
    expect(text.split("\r\n")[1]).toStartWith(`${dateDaysAgo(world, weekday() + 1)},`);
  });
});
