import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { violationsOf } from "../support/browser/accessibility";
import {
  askApi,
  dateDaysAgo,
  logIn,
  openPage,
  settled,
  tileOf,
} from "../support/browser/dashboard-use";
import { painted, sound, structureOf, untilQuiet } from "../support/browser/page-structure";
import { hostileText } from "../support/browser/person-pages";
import { eventually } from "../support/suite/eventually";
import {
  type DashboardWorld,
  openDashboardWorld,
  setClock,
} from "../support/world/dashboard-world";

/** The goals of the overview, and their numbers beside its lists: each is the number of the API. */
let world: DashboardWorld;
let order = "";
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

type Cells = Readonly<Record<string, number>>;
interface Numbers {
  readonly conversions: number;
  readonly conversion_rate: number;
  readonly revenue: number | null;
}
const week = () => ({ date_from: dateDaysAgo(world, 6), date_to: dateDaysAgo(world, 0) });
const page = () => world.pages.page;
const card = (title: string) =>
  page().locator("section.card", {
    has: page().getByRole("heading", { name: title, exact: true }),
  });
const params = () => new URL(page().url()).searchParams;
const chips = () => page().locator(".chip .filter-text").allInnerTexts();
/** The number before its change, by row and column: all of one moment, as the rows change with the answer. */
const numbersIn = (title: string): Promise<readonly (readonly string[])[]> =>
  card(title)
    .locator(".bars tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => {
        const cells = [...row.querySelectorAll("td.num")];
        const name = row.querySelector("th bdi")?.textContent ?? "";
        return [name, ...cells.map(({ innerText }) => innerText.split("\n")[0]?.trim() ?? "")];
      }),
    );
const percent = (rate: number): string => {
  const value = rate * 100;
  if (value === 0) return "0%";
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}%`;
};
const euros = (sum: number): string =>
  new Intl.NumberFormat("en", {
    ...{ style: "currency", currency: "EUR" },
    maximumFractionDigits: sum < 100 ? 2 : 0,
  }).format(sum);

test("a project without goals says what a goal is, and leads to where one is made", async () => {
  await openPage(world, "overview?period=7d");
  await eventually(async () => expect(await card("Goals").innerText()).toContain("No goals yet"));
  const link = card("Goals").getByRole("link", { name: "Create a goal" });
  expect(new URL((await link.getAttribute("href")) ?? "", page().url()).pathname).toEndWith(
    `/${world.shop}/project/goals`,
  );
});

test("the card has the numbers that the API answers, with their changes", async () => {
  const make = (goal: object) =>
    askApi<{ id: string }>(world, "/goals", { project: world.shop, ...goal }, 201);
  const value = { property: "amount", currency: "EUR" };
  ({ id: order } = await make({ name: "Order", event: "purchase", value }));
  await make({ name: hostileText, page: "/docs*" });
  const { rows } = await askApi<{ rows: (Numbers & { previous: Numbers })[] }>(world, "/query", {
    ...{ project: world.shop, goals: true, compare: "previous", ...week() },
  });
  await openPage(world, "overview?period=7d");
  await eventually(async () =>
    expect((await numbersIn("Goals")).map((row) => row.slice(1))).toEqual(
      rows.map(({ conversions, conversion_rate, revenue }) => [
        ...[String(conversions), percent(conversion_rate)],
        revenue === null ? "–" : euros(revenue),
      ]),
    ),
  );
  expect(rows[0]?.revenue).toBeGreaterThan(0);
  const deltas = await card("Goals").locator("tbody tr").first().locator(".delta").count();
  expect(deltas).toBeGreaterThan(1);
});

describe("a chosen goal", () => {
  test("is chosen and left by keyboard, and is in the address", async () => {
    await openPage(world, "overview?period=7d");
    const choice = card("Goals").getByRole("button", { name: "Order", exact: true });
    await choice.focus();
    await page().keyboard.press("Enter");
    await eventually(async () => {
      expect(params().get("goal")).toBe(order);
      expect(await choice.getAttribute("aria-pressed")).toBe("true");
      expect(await chips()).toEqual(["Goal Order"]);
    });
    await page().keyboard.press("Enter");
    await eventually(async () => {
      expect(params().has("goal")).toBe(false);
      expect(await card("Sources").locator("thead").innerText()).not.toContain("Conversion rate");
    });
  });

  test("has its rate and revenue beside every value, as the API counts them", async () => {
    await openPage(world, `overview?period=7d&goal=${order}&sources=campaign`);
    const isView = { field: "event", op: "eq", value: "page_view" };
    for (const [title, field, filters] of [
      ["Sources", "session.utm_campaign", []],
      ["Pages", "properties.path", [isView]],
      ["Countries", "country", []],
    ] as const) {
      const { rows } = await askApi<{ rows: (Numbers & Record<string, unknown>)[] }>(
        world,
        "/query",
        {
          ...{ project: world.shop, group_by: [field], filters, ...week() },
          metrics: ["unique_users", "conversions", "conversion_rate", "revenue"],
          ...{ goal: { goal: "Order" }, order_by: "unique_users", limit: 8 },
        },
      );
      const told = rows
        .filter((row) => row[field] !== null)
        .map((row) => [
          ...[String(row.unique_users), percent(row.conversion_rate)],
          euros(row.revenue ?? Number.NaN),
        ]);
      expect([title, told.length > 0]).toEqual([title, true]);
      await eventually(async () => {
        const shown = (await numbersIn(title)).map((row) => row.slice(1));
        expect(shown.slice(0, told.length)).toEqual(told);
      });
    }
  });

  test("that is gone leaves the lists as they are", async () => {
    await openPage(world, "overview?period=7d&goal=goal_0000000000000000");
    await eventually(async () => {
      expect(await card("Sources").locator("thead").innerText()).toContain("Share");
      expect(await page().locator("[role=alert]").count()).toBe(0);
    });
  });
});

test("a click on an event leaves the sessions with it, and the same click takes it back", async () => {
  await openPage(world, "overview?period=7d");
  const choice = card("Events").getByRole("button", { name: "purchase" });
  await choice.click();
  const did = { session_did: "purchase" };
  const { rows } = await askApi<{ rows: Record<string, unknown>[] }>(world, "/query", {
    ...{ project: world.shop, metrics: ["session_count"], filters: [did], ...week() },
  });
  await eventually(async () => {
    expect(params().getAll("filter")).toEqual([JSON.stringify(did)]);
    expect(await chips()).toEqual(["Sessions with purchase"]);
    expect(await tileOf(world, "Sessions")).toBe(String(rows[0]?.session_count));
    expect((await numbersIn("Pages")).length).toBeGreaterThan(3);
  });
  await choice.click();
  await eventually(async () => expect(await chips()).toEqual([]));
});

test("a click on the sign beside a goal leaves the sessions that reached it", async () => {
  await openPage(world, "overview?period=7d");
  const only = card("Goals").getByRole("button", { name: "Only sessions with Order" });
  await only.press("Enter");
  const did = { session_did: { goal: order } };
  const { rows } = await askApi<{ rows: Record<string, unknown>[] }>(world, "/query", {
    ...{ project: world.shop, metrics: ["session_count"], filters: [did], ...week() },
  });
  await eventually(async () => {
    expect(params().getAll("filter")).toEqual([JSON.stringify(did)]);
    expect(await chips()).toEqual(["Sessions with Order"]);
    expect(await tileOf(world, "Sessions")).toBe(String(rows[0]?.session_count));
    expect((await numbersIn("Goals"))[0]?.slice(0, 3)).toEqual([
      ...["Order", String(rows[0]?.session_count), "100%"],
    ]);
  });
  await only.press("Enter");
  await eventually(async () => expect(await chips()).toEqual([]));
});

test("the sentences above the numbers are those of the API's numbers, and lead on", async () => {
  const weekUpTo = async (last: number) => {
    const [from, to] = [dateDaysAgo(world, last + 6), dateDaysAgo(world, last)];
    const { rows } = await askApi<{ rows: (Cells & { previous: Cells })[] }>(world, "/query", {
      ...{ project: world.shop, metrics: ["unique_users"], compare: "previous" },
      ...{ date_from: from, date_to: to },
    });
    return { from, to, visitors: rows[0]?.unique_users, before: rows[0]?.previous.unique_users };
  };
  // The page says less about a week that had as many visitors as the week before.
  const weeks = await Promise.all([1, 2, 3].map(weekUpTo));
  const told = weeks.find((one) => one.visitors !== one.before);
  const { from = "", to = "", visitors = 0, before = 0 } = told ?? {};
  const query = `project=${world.shop}&metric=users&since=${from}&until=${to}`;
  const found = await askApi<{ current: { value: number } }>(world, `/changes?${query}`);
  expect(found.current.value).toBe(visitors);
  await openPage(world, `overview?period=${from}..${to}`);
  const text = () => page().locator(".summary").innerText();
  await eventually(async () => {
    expect(await text()).toStartWith(`${visitors} visitors, `);
    expect(await text()).toContain(`${visitors > before ? "more" : "fewer"} than the week before.`);
    expect(await text()).toContain("Visitors usually vary");
    expect(await text()).toMatch(/Order was reached in \d+ sessions/);
  });
  await page().locator(".summary").getByRole("link", { name: "Order" }).click();
  await eventually(async () => expect(params().get("goal")).toBe(order));
  await page()
    .locator(".summary")
    .getByRole("link", { name: /usually vary/ })
    .click();
  await page().waitForURL(({ pathname }) => pathname.endsWith("/changes"));
  expect(params().get("metric")).toBe("users");
  await openPage(world, "overview?period=7d&compare=none");
  expect(await page().locator(".summary").count()).toBe(0);
});

test("sessions with and without an event are written in the editor", async () => {
  await openPage(world, "overview?period=7d");
  const form = page().locator(".filter-form");
  await page().keyboard.press("f");
  await form.locator("select").first().selectOption("did");
  await form.locator("select").nth(1).selectOption("session_did_not");
  await form.locator("input").fill("signup");
  await form.locator("button[type=submit]").click();
  await eventually(async () => expect(await chips()).toEqual(["Sessions without signup"]));
  await page().locator("#filter-0").click();
  await form.locator("select").first().selectOption("goal");
  await form.locator("select").nth(2).selectOption({ label: "Order" });
  await form.locator("button[type=submit]").click();
  await eventually(async () => expect(await chips()).toEqual(["Sessions with Order"]));
});

test("a link shows the numbers of goals under their names, and nothing to make one with", async () => {
  const { url } = await askApi<{ url: string }>(
    world,
    "/shares",
    { project: world.shop, name: "Goals" },
    201,
  );
  const own = page();
  await world.pages.openAnother();
  await setClock(world.pages, world.nowMs);
  await page().goto(`${url}?period=7d&goal=${order}`);
  await untilQuiet(page());
  await eventually(async () => {
    expect((await numbersIn("Goals")).map(([name]) => name)).toEqual(["Order", hostileText]);
    expect(await chips()).toEqual(["Goal Order"]);
    expect(await card("Sources").locator("thead").innerText()).toContain("Revenue");
  });
  world.pages.page = own;
});

test.each(["light", "dark"] as const)("is readable and fits at every width, %s", async (scheme) => {
  await page().emulateMedia({ colorScheme: scheme });
  await openPage(world, `overview?period=7d&goal=${order}`);
  for (const width of [1440, 768, 390]) {
    await page().setViewportSize({ width, height: 900 });
    await page().evaluate(painted);
    await settled(world);
    await eventually(async () => {
      expect([width, await structureOf(page())]).toEqual([width, sound]);
      const violations = await violationsOf(page(), { isColourAlone: scheme === "dark" });
      expect([width, violations]).toEqual([width, []]);
    });
  }
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
