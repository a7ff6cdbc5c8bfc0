import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Request } from "playwright-core";
import {
  askApi,
  dateDaysAgo,
  logIn,
  openPage,
  settled,
  tileOf,
} from "../support/browser/dashboard-use";
import { painted, sound, structureOf } from "../support/browser/page-structure";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

const open = (path: string) => openPage(world, path);
const tile = (name: string) => tileOf(world, name);

const api = <T>(path: string, body?: object) => askApi<T>(world, path, body);
interface Rows {
  readonly rows: readonly Readonly<Record<string, number>>[];
}
const dateAt = (days: number) => dateDaysAgo(world, days);

describe("a filter in the address", () => {
  /** What the pages choose from, and what is live, is never filtered. */
  const unfiltered =
    /^\/(properties|goals|live|projects|project-context|auth|app|admin|experiments|billing|favicon.ico)/;
  /** The page filters its list of sessions, and then asks about each listed session as a whole. */
  const ofListed = '{"field":"session_id","op":"in"';

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
  ])("holds in every read of %s", async (path) => {
    const { page, base } = world.pages;
    // What the page before asks is not meant.
    await page.goto("about:blank");
    const asked: string[] = [];
    const note = (request: Request) => {
      const { pathname, search } = new URL(request.url());
      if (unfiltered.test(pathname)) return;
      asked.push(`${pathname} ${decodeURIComponent(search)} ${request.postData() ?? ""}`);
    };
    page.on("request", note);
    await open(`${path}${path.includes("?") ? "&" : "?"}filter=country~eq~JP`);
    await Bun.sleep(300);
    await settled(world);
    page.off("request", note);
    expect(page.url().startsWith(base)).toBe(true);
    expect(asked.length).toBeGreaterThan(0);
    const held = '{"field":"country","op":"eq","value":"JP"}';
    const others = asked.filter((request) => !request.includes(ofListed));
    expect(others.filter((request) => !request.includes(held))).toEqual([]);
  });

  test("shows the sessions that the API tells", async () => {
    await open("sessions?period=7d&filter=country~eq~JP");
    const filters = encodeURIComponent('[{"field":"country","op":"eq","value":"JP"}]');
    const query = `project=${world.shop}&since=${dateAt(6)}&until=${dateAt(0)}&limit=50`;
    const { sessions } = await api<{ sessions: readonly object[] }>(
      `/sessions?${query}&filters=${filters}`,
    );
    expect(sessions.length).toBeGreaterThan(0);
    expect(sessions.length).toBeLessThan(50);
    await eventually(async () =>
      expect(await world.pages.page.locator(".session-row").count()).toBe(sessions.length),
    );
  });
});

describe("a filter is written", () => {
  const form = (name: string) => world.pages.page.locator(`.filter-form ${name}`);
  const chips = () => world.pages.page.locator(".chip .filter-text").allInnerTexts();
  const held = () => new URL(world.pages.page.url()).searchParams.getAll("filter");
  const eventsUnder = async (filters: readonly object[]): Promise<string> => {
    const { rows } = await api<Rows>("/query", {
      ...{ project: world.shop, metrics: ["event_count"], count_mode: "raw", filters },
      ...{ date_from: dateAt(6), date_to: dateAt(0) },
    });
    return new Intl.NumberFormat("en").format(rows[0]?.event_count ?? -1);
  };

  test("as a list of values, by keyboard, and changed at its chip; back undoes each", async () => {
    const { page } = world.pages;
    await open("overview?period=7d");
    const all = await tile("Events");
    await page.keyboard.press("f");
    await form("select").first().selectOption("country");
    await form("select").nth(1).selectOption("in");
    await form("input").fill("JP");
    await page.keyboard.press("Enter");
    await form("input").fill("FR");
    await page.keyboard.press("Enter");
    await form("button[type=submit]").click();
    const both = { field: "country", op: "in", value: ["JP", "FR"] };
    await eventually(async () => {
      expect(held()).toEqual([JSON.stringify(both)]);
      expect(await chips()).toEqual(["Country is one of Japan, France"]);
      expect(await tile("Events")).toBe(await eventsUnder([both]));
    });
    await page.click("#filter-0");
    await form('button[aria-label="Remove value: JP"]').click();
    await form("button[type=submit]").click();
    await eventually(async () => {
      expect(await chips()).toEqual(["Country is one of France"]);
      expect(await tile("Events")).toBe(await eventsUnder([{ ...both, value: ["FR"] }]));
    });
    await page.goBack();
    await page.goBack();
    await eventually(async () => expect([await chips(), await tile("Events")]).toEqual([[], all]));
    await page.goForward();
    await eventually(async () => expect(await tile("Events")).toBe(await eventsUnder([both])));
  });

  test("as alternatives, among them the beginning of a page and what the person did", async () => {
    const { page } = world.pages;
    await open("overview?period=7d");
    await page.click("#filter-menu");
    await form("select").nth(1).selectOption("prefix");
    await form("input").fill("/blog");
    await form("button.second").click();
    await form("select").nth(2).selectOption("did");
    await form("input").nth(1).fill("purchase");
    await form("button[type=submit]").click();
    const either = {
      any: [{ field: "properties.path", op: "prefix", value: "/blog" }, { did: "purchase" }],
    };
    await eventually(async () => {
      expect(await chips()).toEqual(["Page begins with /blog or Visitor did purchase"]);
      expect(held()).toEqual([JSON.stringify(either)]);
      expect(await tile("Events")).toBe(await eventsUnder([either]));
    });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.reload();
      await settled(world);
      await page.click("#filter-0");
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(painted);
        await page.locator("#filter-0 .filter-text").waitFor();
        await eventually(async () =>
          expect([width, await structureOf(page)]).toEqual([width, sound]),
        );
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("as what is missing, by a field of the session, and by a click on a row without a value", async () => {
    const { page } = world.pages;
    await open("explore?period=7d&by=session.utm_source&metrics=event_count");
    await page.locator(".grid button", { hasText: "(none)" }).click();
    const missing = { field: "session.utm_source", op: "is_null" };
    await eventually(async () => {
      expect(held()).toEqual([JSON.stringify(missing)]);
      expect(await chips()).toEqual(["Session's UTM source is missing"]);
    });
    await open(`overview?period=7d&filter=${encodeURIComponent(JSON.stringify(missing))}`);
    await eventually(async () => expect(await tile("Events")).toBe(await eventsUnder([missing])));
  });

  test("by a click on a channel, which the page of sources tells as the API does", async () => {
    const { page } = world.pages;
    await open("sources?period=7d");
    const { rows } = await api<Rows>("/query", {
      ...{ project: world.shop, metrics: ["unique_users"], group_by: ["session.channel"] },
      ...{ date_from: dateAt(6), date_to: dateAt(0) },
    });
    const told = rows.map((row) => `${row["session.channel"]} ${row.unique_users}`);
    const card = page.locator(".card", { has: page.locator("h2", { hasText: "Channels" }) });
    // All rows of one moment, as they change with the answer; the change stands between name and number.
    const shown = () =>
      card
        .locator(".bars tbody tr")
        .evaluateAll((rows) =>
          rows.map((row) =>
            [...row.querySelectorAll("th, td:not(:has(.delta))")]
              .map(({ innerText }) => innerText)
              .join(" "),
          ),
        );
    await eventually(async () => {
      for (const line of told) expect((await shown()).join("\n")).toContain(line);
    });
    await card.locator("button", { hasText: "Organic Search" }).click();
    await eventually(async () => expect(await chips()).toEqual(["Channel is Organic Search"]));
    const search = { field: "session.channel", op: "eq", value: "Organic Search" };
    await open(
      `overview?period=7d&filter=${encodeURIComponent("session.channel~eq~Organic Search")}`,
    );
    await eventually(async () => expect(await tile("Events")).toBe(await eventsUnder([search])));
  });

  test("by whoever made the address, and shown as text", async () => {
    const { page } = world.pages;
    const values = ['<img src=x onerror="document.title=1">', "\u202Eevil"];
    const odd = [
      { field: "event", op: "not_in", value: values },
      ...[{ field: "event", op: "like", value: "x" }, { any: [1] }, ["no"]],
    ];
    const query = odd.map((one) => `filter=${encodeURIComponent(JSON.stringify(one))}`).join("&");
    await open(`overview?period=7d&${query}&filter=%7Bbroken`);
    const shown = [values[0] ?? "", "\\u{202E}evil"];
    await eventually(async () => {
      expect(await page.locator(".chip").count()).toBe(1);
      expect(await page.locator(".chip bdi").allInnerTexts()).toEqual(shown);
      expect(await page.locator(".chip img").count()).toBe(0);
    });
  });
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
  await settled(world);
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
  await eventually(async () => expect(await tile("Events")).toBe(String(rows[0]?.event_count)));
  await page.click("#period-menu");
  await world.pages.shown("#period-menu + .panel", /Days are in the time zone Pacific\/Auckland/);
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
