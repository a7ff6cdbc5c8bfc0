import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import type { Request } from "playwright-core";
import {
  askApi,
  dateDaysAgo,
  logIn,
  openPage,
  settled,
  tileOf,
} from "../support/browser/dashboard-use";
import { intercept } from "../support/browser/intercepted";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

const bytesMax = 15_000;
/** Requests of the frame and not of the numbers, and those that POST /query does not answer. */
const others =
  /^\/(app|auth|account|admin|members|projects|project-context|live|billing|history|changes|favicon.ico)/;

/** What was read for numbers while something was done. */
async function readsWhile(work: () => Promise<void>): Promise<Request[]> {
  const { page } = world.pages;
  const sent: Request[] = [];
  const note = (request: Request) => {
    if (!others.test(new URL(request.url()).pathname)) sent.push(request);
  };
  page.on("request", note);
  await work();
  page.off("request", note);
  return sent;
}

/** Returns where the line of the chart begins, as a share of its width. */
async function lineBegins(): Promise<number> {
  const { page } = world.pages;
  const chart = page.locator(".line-chart svg[role=img]");
  const line = chart.locator(".line.main path:not(.area)").first();
  const [d, width] = [await line.getAttribute("d"), await chart.getAttribute("width")];
  return Number(/^M([\d.]+)/.exec(d ?? "")?.[1]) / Number(width);
}

interface Asked {
  readonly project: string;
  readonly context: boolean;
  readonly queries: readonly {
    readonly group_by?: readonly string[];
    readonly goals?: true;
    readonly date_from: string;
    readonly date_to: string;
  }[];
}
const askedIn = (request: Request | undefined): Asked => JSON.parse(request?.postData() ?? "{}");
/**
 * The dates of the totals that are asked for, or null where none are. Other numbers of a window may be asked for with
 * those of another: yesterday is the day before today.
 */
function windowOf(request: Request | undefined): string | null {
  if (!request?.url().endsWith("/query")) return null;
  const totals = askedIn(request).queries.find(
    ({ group_by = [], goals }) => group_by.length === 0 && goals === undefined,
  );
  return totals === undefined ? null : `${totals.date_from}..${totals.date_to}`;
}

/** Tells whether it asks for the numbers of goals, which come after all others. */
const asksForGoals = (request: Request): boolean =>
  askedIn(request).queries?.some(({ goals }) => goals === true) ?? false;

/** Returns the bytes that a browser gets over the wire; Chromium reports sizes of answers with their heads. */
async function compressedBytes(body: string): Promise<number> {
  const response = await fetch(`${world.pages.server.url}/query`, {
    method: "POST",
    headers: { "X-API-Key": world.key, "Accept-Encoding": "gzip" },
    body,
    decompress: false,
  } as RequestInit);
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(response.headers.get("content-encoding")).toBe("gzip");
  expect(JSON.parse(gunzipSync(bytes).toString()).results.length).toBe(9);
  return bytes.length;
}

describe("the numbers of the overview", () => {
  test.each(["30d", "90d", "yesterday", "today"])(
    "of %s come by one request of at most 15 kB, and those of goals after it",
    async (period) => {
      await world.pages.goto("/app/settings");
      await settled(world);
      const all = await readsWhile(async () => openPage(world, `overview?period=${period}`));
      // A page that has been quiet for a while fetches the periods beside its own.
      const sent = all.filter(
        (one) => !asksForGoals(one) && [null, windowOf(all[0])].includes(windowOf(one)),
      );
      expect(sent.map((one) => new URL(one.url()).pathname)).toEqual(["/query"]);
      const { context, queries } = askedIn(sent[0]);
      expect([context, queries.length]).toEqual([false, 9]);
      const ofGoals = all.find(asksForGoals);
      expect([all[0] === sent[0], all[1] === ofGoals]).toEqual([true, true]);
      expect(askedIn(ofGoals).queries).toHaveLength(1);
      expect(await compressedBytes(sent[0]?.postData() ?? "")).toBeLessThan(bytesMax);
    },
  );

  test("of a large project begin with the totals, which wait for none of the others", async () => {
    const { page } = world.pages;
    // All that makes it large is what the list of projects says of it.
    const list = await askApi<{ projects: object[] }>(world, "/projects");
    const projects = list.projects.map((one) => ({ ...one, total_events: 10_000_000 }));
    await using _ = await intercept(page, "**/projects", (route) =>
      route.fulfill({ json: { ...list, projects } }),
    );
    const held = Promise.withResolvers<void>();
    await using __ = await intercept(page, "**/query", async (route) => {
      if (askedIn(route.request()).queries.length > 1) await held.promise;
      await route.continue();
    });
    await world.pages.goto("/app/settings");
    await settled(world);
    const sent = await readsWhile(async () => {
      // With a filter nothing is fetched in advance.
      await world.pages.goto(`/app/p/${world.shop}/overview?period=7d&filter=event~neq~none`);
      await eventually(async () => expect(await tileOf(world, "Visitors")).toMatch(/^\d/));
      expect(await page.locator(".card .waiting").count()).toBeGreaterThan(2);
      held.resolve();
      await settled(world);
    });
    expect(sent.map((one) => askedIn(one).queries.length)).toEqual([1, 8, 1]);
    const { results } = await askApi<{ results: { rows: Record<string, number>[] }[] }>(
      world,
      "/query",
      askedIn(sent[0]),
    );
    expect(await tileOf(world, "Visitors")).toBe(String(results[0]?.rows[0]?.unique_users));
    await page.keyboard.press("a");
    await world.pages.shown(".drawer li", /8 queries in one request/);
    await world.pages.shown(".drawer li", /^Totals/);
    await page.keyboard.press("a");
  });

  test("are those that the same request gives to an agent, and the drawer shows it", async () => {
    const { page } = world.pages;
    await world.pages.goto("/app/settings");
    await settled(world);
    const [sent] = await readsWhile(async () => openPage(world, "overview?period=7d"));
    const { results } = await askApi<{
      results: { group_by: string[]; rows: Record<string, number>[] }[];
    }>(world, "/query", askedIn(sent));
    const totals = results.find(({ group_by }) => group_by.length === 0)?.rows[0];
    await eventually(async () => {
      expect(await tileOf(world, "Visitors")).toBe(String(totals?.unique_users));
      expect(await tileOf(world, "Page views")).toBe(String(totals?.page_views));
    });
    await page.keyboard.press("a");
    const entry = page.locator(".drawer li", { hasText: "9 queries in one request" });
    await eventually(async () =>
      expect(await entry.locator("small").innerText()).toMatch(/^\d+ ms, [\d.]+ kB$/),
    );
    await entry.locator("summary").click();
    const curl = await entry.locator("pre").innerText();
    expect(JSON.parse(/-d '(.*)'$/s.exec(curl)?.[1] ?? "")).toEqual(askedIn(sent));
    await page.keyboard.press("a");
  });

  test("of one list are asked for alone when another of its kind is chosen", async () => {
    const { page } = world.pages;
    // With a filter nothing is fetched in advance.
    await openPage(world, "overview?period=7d&filter=event~neq~none");
    const sent = await readsWhile(async () => {
      const asked = page.waitForRequest("**/query");
      await page.getByRole("radio", { name: "Browsers" }).click();
      await asked;
      await settled(world);
    });
    expect(sent.map((one) => askedIn(one).queries.map(({ group_by }) => group_by))).toEqual([
      [["properties.browser"]],
    ]);
    await eventually(async () =>
      expect(await page.locator(".card", { hasText: "Devices" }).innerText()).toContain("Firefox"),
    );
  });

  test("of a single day are told by the hour, each of them", async () => {
    const { page } = world.pages;
    await openPage(world, "overview?period=yesterday&metric=bounce");
    await page.getByRole("button", { name: "Show as a table" }).click();
    await eventually(async () =>
      expect(await page.locator(".card tbody tr", { hasText: /\d\d:00/ }).count()).toBe(24),
    );
    await page.getByRole("button", { name: "Show as a table" }).click();
  });

  test("before the first event are unknown and not 0, in line and table, under a filter too", async () => {
    const { page } = world.pages;
    const { first_event_at } = await askApi<{ first_event_at: number }>(
      world,
      `/projects/${world.shop}`,
    );
    const unknownDays =
      (Date.parse(new Date(first_event_at).toISOString().slice(0, 10)) -
        Date.parse(dateDaysAgo(world, 89))) /
      86_400_000;
    expect(unknownDays).toBeGreaterThan(20);
    for (const filter of ["", "&filter=country~eq~AQ"]) {
      await openPage(world, `overview?period=90d${filter}`);
      // The date of the first event is an answer of its own.
      await eventually(async () => expect(await lineBegins()).toBeGreaterThan(unknownDays / 90));
      await page.getByRole("button", { name: "Show as a table" }).click();
      const rows = page.locator(".card tbody tr");
      await rows.nth(89).waitFor();
      const cells = await rows.locator("td:nth-child(2)").allInnerTexts();
      expect(cells.slice(0, 90 - unknownDays).every((text) => /^\d/.test(text))).toBe(true);
      expect(cells.slice(90 - unknownDays, 90).every((text) => text === "")).toBe(true);
      await page.getByRole("button", { name: "Show as a table" }).click();
    }
  });

  test("of an hour without sessions are 0 where they count, and unknown where they are means", async () => {
    const { page } = world.pages;
    for (const [metric, told] of [["sessions", "0"] as const, ["bounce", ""] as const]) {
      await openPage(world, `overview?period=yesterday&metric=${metric}`);
      await page.getByRole("button", { name: "Show as a table" }).click();
      const night = page.locator(".card tbody tr", { hasText: "03:00" });
      await night.waitFor();
      expect(await night.locator("td").first().innerText()).toBe(told);
      await page.getByRole("button", { name: "Show as a table" }).click();
    }
  });

  test("of a period are there before it is chosen, once somebody has pointed at it", async () => {
    const { page } = world.pages;
    const answered: (string | null)[] = [];
    const asked: (string | null)[] = [];
    const noteAnswer = (request: Request) => void answered.push(windowOf(request));
    const note = (request: Request) => void asked.push(windowOf(request));
    page.on("requestfinished", noteAnswer);
    await openPage(world, "overview");
    await page.keyboard.press("t");
    await page.waitForSelector("#period-menu + .panel");
    for (let choice = 0; choice < 4; choice++) await page.keyboard.press("ArrowUp");
    const beside = [[0, 0] as const, [1, 1] as const, [6, 0] as const].map(
      ([first, last]) => `${dateDaysAgo(world, first)}..${dateDaysAgo(world, last)}`,
    );
    // What is still under way makes way for what is chosen, and is asked for again when its turn comes.
    await eventually(() => expect(answered).toEqual(expect.arrayContaining(beside)));
    page.off("requestfinished", noteAnswer);
    await page.keyboard.press("Escape");
    await settled(world);
    page.on("request", note);
    for (const key of ["w", "y", "d"]) {
      await page.keyboard.press(key);
      await settled(world);
    }
    page.off("request", note);
    expect(asked.filter((one) => one !== null && beside.includes(one))).toEqual([]);
  });
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
