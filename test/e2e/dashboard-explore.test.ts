import { afterAll, beforeAll, expect, test } from "bun:test";
import { askApi, dateDaysAgo, logIn, openPage, settled } from "../support/browser/dashboard-use";
import { intercept } from "../support/browser/intercepted";
import { sound, structureOf } from "../support/browser/page-structure";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

type Row = Readonly<Record<string, string | number | null>>;
const rowsOf = async (asked: object): Promise<readonly Row[]> => {
  const dates = { date_from: dateDaysAgo(world, 6), date_to: dateDaysAgo(world, 0) };
  const body = { project: world.shop, ...dates, ...asked };
  return (await askApi<{ rows: readonly Row[] }>(world, "/query", body)).rows;
};
/** The rows that are shown, cell by cell. */
const table = (): Promise<string[][]> =>
  world.pages.page
    .locator(".grid tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
const whole = new Intl.NumberFormat("en");
const params = () => new URL(world.pages.page.url()).searchParams;
const choice = (name: string) =>
  world.pages.page.locator(".builder").getByRole("button", { name, exact: true });

test("a question is put together by clicks: numbers by a property and a field of the session", async () => {
  const { page } = world.pages;
  await openPage(world, "explore?period=7d&filter=event~eq~purchase");
  await page.getByLabel("Property or session field").selectOption("properties.os");
  await page.getByLabel("Property or session field").selectOption("session.country");
  await choice("Day").click();
  await choice("Visitors").click();
  await page.getByLabel("Calculation").selectOption("sum");
  await page.getByLabel("Measured property").selectOption("amount");
  await page.getByLabel("Calculation").selectOption("p95");
  await page.getByLabel("Measured property").selectOption("amount");
  await settled(world);
  const asked = {
    metrics: ["event_count", "sum:properties.amount", "p95:properties.amount"],
    group_by: ["properties.os", "session.country"],
  };
  await eventually(() =>
    expect([params().get("metrics"), params().get("by")]).toEqual([
      asked.metrics.join(","),
      asked.group_by.join(","),
    ]),
  );
  const filters = [{ field: "event", op: "eq", value: "purchase" }];
  const rows = await rowsOf({ ...asked, filters, count_mode: "raw" });
  expect(rows.length).toBeGreaterThan(3);
  await eventually(async () => {
    const numbers = (await table()).map(([os, , ...cells]) => [os, ...cells]);
    expect(numbers).toEqual(
      rows.map((row) => [
        String(row["properties.os"]),
        ...asked.metrics.map((metric) => whole.format(Number(row[metric]))),
      ]),
    );
    expect(await structureOf(page)).toEqual(sound);
  });
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const text = await Bun.file(await (await download).path()).text();
  expect(text.split("\r\n")[0]).toBe([...asked.group_by, ...asked.metrics].join(","));
  expect(text.trim().split("\r\n").length).toBe(rows.length + 1);
});

test("conversions ask for their goal first, and back takes it away", async () => {
  const { page } = world.pages;
  await openPage(world, "explore?period=7d&by=country&metrics=session_count");
  await choice("Conversions").click();
  await choice("Conversion rate").click();
  await world.pages.shown(".state", /Choose a goal/);
  await page.getByLabel("Event or goal").selectOption("signup");
  await settled(world);
  const metrics = ["session_count", "conversions", "conversion_rate"];
  const rows = await rowsOf({ metrics, group_by: ["country"], goal: { event: "signup" } });
  await eventually(async () => {
    const [first = []] = await table();
    expect(first[2]).toBe(whole.format(Number(rows[0]?.conversions)));
    expect(first[3]).toBe(`${(Number(rows[0]?.conversion_rate) * 100).toFixed(1)}%`);
  });
  await page.goBack();
  await world.pages.shown(".state", /Choose a goal/);
});

test("another period stands beside, with the change, in the table and in its file", async () => {
  const { page } = world.pages;
  await openPage(world, "explore?period=7d&by=country&metrics=event_count");
  await choice("Previous period").click();
  await page.waitForURL(({ searchParams }) => searchParams.get("beside") === "previous");
  const asked = { group_by: ["country"], count_mode: "raw", compare: "previous" };
  type Compared = { readonly rows: readonly Readonly<Record<string, Record<string, number>>>[] };
  const dates = { date_from: dateDaysAgo(world, 6), date_to: dateDaysAgo(world, 0) };
  const body = { project: world.shop, ...dates, ...asked };
  const { rows } = await askApi<Compared>(world, "/query", body);
  const [first = {}] = rows;
  const change = Number(first.change_pct?.event_count);
  await eventually(async () => {
    const [cells = []] = await table();
    expect(cells.slice(1)).toEqual([
      whole.format(Number(first.event_count)),
      whole.format(Number(first.previous?.event_count)),
      `${change > 0 ? "+" : ""}${whole.format(change)}%`,
    ]);
  });
  await world.pages.shown(".card-note", /Before: .* Both periods end at 15:\d\d UTC/);
  await eventually(async () => expect(await structureOf(page)).toEqual(sound));
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const text = await Bun.file(await (await download).path()).text();
  const columns = ["country", "event_count", "previous.event_count", "change_pct.event_count"];
  expect(text.split("\r\n")[0]).toBe(columns.join(","));
});

test.each(["hour", "week", "month"])("numbers by the %s are a line and a table", async (by) => {
  await openPage(world, `explore?period=7d&by=${by}&metrics=page_views`);
  const rows = await rowsOf({ metrics: ["page_views"], group_by: [by], order_by: by });
  const { page } = world.pages;
  await eventually(async () => {
    const cells = await table();
    expect(cells.map(([, count]) => count)).toEqual(
      rows.slice(0, 200).map((row) => whole.format(Number(row.page_views))),
    );
    const lines = await page.locator(".line-chart .line").count();
    expect(lines).toBe(rows.length < 2 ? 0 : 1);
    expect(await structureOf(page)).toEqual(sound);
  });
});

test("an address of before, with one property, asks the same", async () => {
  await openPage(world, "explore?period=7d&property=plan&metrics=event_count");
  const rows = await rowsOf({ group_by: ["properties.plan"], count_mode: "raw" });
  await eventually(async () =>
    expect((await table()).map(([, count]) => count)).toEqual(
      rows.map((row) => whole.format(Number(row.event_count))),
    ),
  );
});

test("what is hidden in a value is seen", async () => {
  await openPage(world, "explore?period=7d&by=properties.browser");
  await world.pages.shown(".grid bdi", /^\\u\{202E\}gpj\.exe$/);
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});

test("retention is one request of any number of visitors, and averages are of complete periods", async () => {
  const { page } = world.pages;
  const cohort = (date: string, retained: readonly number[]) => {
    const rates = retained.map((active) => active / retained[0]);
    return { date, users: retained[0], retained, rates, complete: retained.length - 1 };
  };
  const answer = {
    ...{ project: world.shop, period: "week", users_analyzed: 24_000 },
    cohorts: [
      cohort("2026-01-05", [8_000, 4_000, 2_000, 10]),
      cohort("2026-01-12", [8_000, 4_000, 10]),
      cohort("2026-01-19", [8_000, 10]),
    ],
    average_rates: [1, 0.5, 0.25],
  };
  const asked: string[] = [];
  const isRetention = ({ pathname }: URL) => pathname === "/retention";
  await using _ = await intercept(page, isRetention, (route) => {
    asked.push(route.request().url());
    return route.fulfill({ json: answer });
  });
  await openPage(world, "retention");
  await page.getByText("24,000 visitors").waitFor();
  await page.locator(".line-chart svg[role=img]").focus();
  await page.keyboard.press("ArrowLeft");
  await eventually(async () => expect(await page.locator(".tip b").innerText()).toBe("week 2"));
  await settled(world);
  expect(asked).toHaveLength(1);
});

test("retention by first source has a row for each value, with the numbers of the API", async () => {
  const { page } = world.pages;
  await openPage(world, "retention");
  const isAsked = (url: string) => url.includes("/retention?") && url.includes("breakdown=");
  const sent = page.waitForRequest((request) => isAsked(request.url()));
  const by = page.locator("label.inline", { hasText: /^By/ }).locator("select");
  await by.selectOption({ label: "First source" });
  await page.getByRole("heading", { name: "By first source" }).waitFor();
  await settled(world);
  expect(params().get("by")).toBe("user.first_source");
  type Answer = {
    readonly breakdowns: readonly {
      readonly value: string | null;
      readonly users: number;
      readonly average_rates: readonly number[];
      readonly cohorts: readonly { readonly users: number; readonly complete: number }[];
    }[];
  };
  const { pathname, search } = new URL((await sent).url());
  const { breakdowns } = await askApi<Answer>(world, pathname + search);
  expect(breakdowns.length).toBeGreaterThan(1);
  const shown = await page
    .getByRole("region", { name: "First source" })
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const isEnough = ({ cohorts }: Answer["breakdowns"][number]) =>
    cohorts.reduce((sum, { users, complete }) => sum + (complete > 1 ? users : 0), 0) >= 10;
  expect(shown.map(([value, users]) => [value, users])).toEqual(
    breakdowns.map(({ value, users }) => [value, whole.format(users)]),
  );
  for (const [at, [, , next = ""]] of shown.entries()) {
    const { average_rates: rates } = breakdowns[at];
    if (rates.length < 2) continue;
    expect([shown[at], next]).toEqual([
      shown[at],
      expect.stringMatching(isEnough(breakdowns[at]) ? /^[<\d.]+%$/ : /^\d of \d$/),
    ]);
  }
});

test("paths are asked of all sessions of the period, and the numbers are the API's", async () => {
  const { page } = world.pages;
  const sent = page.waitForRequest((request) => new URL(request.url()).pathname === "/paths");
  await openPage(world, "paths?goal=purchase");
  const body: object = (await sent).postDataJSON();
  expect(body).not.toHaveProperty("candidate_session_cap");
  const dates = { since: dateDaysAgo(world, 29), until: dateDaysAgo(world, 0) };
  const asked = { project: world.shop, goal_event: "purchase", ...dates, entry_limit: 12 };
  const { entry_paths: entries } = await askApi<{
    entry_paths: readonly { entry_page: string; sessions: number; conversions: number }[];
  }>(world, "/paths", asked);
  const most = entries.toSorted((a, b) => b.conversions - a.conversions)[0];
  expect(most.conversions).toBeGreaterThan(0);
  const shown = `${whole.format(most.conversions)} of ${whole.format(most.sessions)}`;
  // Two entry pages may have the same numbers.
  await page.getByText(shown, { exact: true }).first().waitFor();
});

test("paths end in a goal, too, and the name and numbers of each block are read by keys", async () => {
  const { page } = world.pages;
  const goal = { project: world.shop, name: "Installed", page: "/docs/install" };
  const { id } = await askApi<{ id: string }>(world, "/goals", goal, 201);
  await openPage(world, "paths");
  await page.getByLabel("Paths to").selectOption({ label: goal.name });
  await page.waitForURL(({ searchParams }) => searchParams.get("goal_id") === id);
  const { entry_paths: entries } = await askApi<{
    entry_paths: readonly {
      entry_page: string;
      conversions: number;
      tree: readonly { type: string; value: string; sessions: number }[];
    }[];
  }>(world, "/paths", {
    ...{ project: world.shop, goal_event: { goal: id }, entry_limit: 12, max_steps: 4 },
    ...{ since: dateDaysAgo(world, 29), until: dateDaysAgo(world, 0) },
  });
  const { entry_page, tree } = entries.toSorted((a, b) => b.conversions - a.conversions)[0];
  const [first] = tree.filter(({ type }) => type !== "drop_off");
  await world.pages.shown("main h2", new RegExp(`sessions from ${entry_page} reach Installed`));
  await page.locator(".flow-node[tabindex='0']").focus();
  await world.pages.shown(
    ".flow-told",
    new RegExp(`^${first.value}: ${first.sessions} sessions, `),
  );
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await world.pages.shown(
    ".flow-told",
    new RegExp(`^${first.value}: ${first.sessions} sessions, `),
  );
});
