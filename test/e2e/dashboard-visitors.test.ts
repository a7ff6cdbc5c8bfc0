import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { money } from "../../src/dashboard/lib/money";
import { violationsOf } from "../support/browser/accessibility";
import { askApi, dateDaysAgo, logIn, openPage, settled } from "../support/browser/dashboard-use";
import { sound, structureOf } from "../support/browser/page-structure";
import { hostileText } from "../support/browser/person-pages";
import { userAgent } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

/** Visitors, their sessions and their recordings, and the ways that lead to them. */
let world: DashboardWorld;
let page: Page;
const api = <T>(path: string, body?: object, status = 200): Promise<T> =>
  askApi<T>(world, path, body, status);

interface Rows {
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
}
interface SessionList {
  readonly sessions: readonly { readonly session_id: string; readonly user_id: string | null }[];
}
const within = () => ({ date_from: dateDaysAgo(world, 29), date_to: dateDaysAgo(world, 0) });
const query = (asked: object) => api<Rows>("/query", { project: world.shop, ...asked });
const newest = async (): Promise<SessionList["sessions"]> =>
  (await api<SessionList>(`/sessions?project=${world.shop}&since=29d&limit=50`)).sessions;

const longId = `${"x".repeat(180)}${hostileText}`;
/** Of the newest sessions with a visitor: the first is still recorded, and the second had rage clicks. */
let recorded: readonly string[];
let buyer = "";

beforeAll(async () => {
  world = await openDashboardWorld();
  ({ page } = world.pages);
  await logIn(world);
  const orders = {
    name: "Orders",
    event: "purchase",
    value: { property: "amount", currency: "EUR" },
  };
  await api("/goals", { project: world.shop, ...orders }, 201);
  await api("/replays/enable", { project: world.shop });
  const { rows } = await query({
    ...{ metrics: ["revenue"], goal: { goal: "Orders" }, group_by: ["user_id"] },
    ...{ ...within(), order_by: "revenue" },
  });
  buyer = String(rows[0]?.user_id);
  const token = await tokenOf();
  const headers = { "User-Agent": userAgent };
  const ids = { previous_id: longId, user_id: buyer };
  const traits = { name: hostileText, plan: longId };
  const body = { token, ...ids, traits };
  const identified = await ask(world.pages.server.url, "POST", "/identify", headers, body);
  expect([identified.status, identified.body.length > 0]).toEqual([202, true]);
  recorded = (await newest()).flatMap(({ session_id, user_id }) => (user_id ? [session_id] : []));
  recorded = recorded.slice(1, 3);
  await record(token, recorded[0] ?? "", false);
  await record(token, recorded[1] ?? "", true);
});
afterAll(() => world.pages.close());

async function tokenOf(): Promise<string> {
  const { projects } = await api<{ projects: { name: string; project_token: string }[] }>(
    "/projects",
  );
  return projects.find(({ name }) => name === world.shop)?.project_token ?? "";
}

/** Five seconds of a page with one button, which is pressed three times in a rage. */
async function record(token: string, sessionId: string, isFinished: boolean): Promise<void> {
  const { url } = world.pages.server;
  const headers = { "User-Agent": userAgent };
  const start = { token, session_id: sessionId, url: "https://my-shop.example.com/" };
  const started = await ask(url, "POST", "/replays/ingest/start", headers, start);
  const { replay_id: id, upload_token } = JSON.parse(started.body);
  const element = (nodeId: number, tagName: string, childNodes: object[] = []) => ({
    ...{ type: 2, id: nodeId, tagName, attributes: {}, childNodes },
  });
  const body = element(4, "body", [element(5, "button")]);
  const node = { type: 0, id: 1, childNodes: [element(2, "html", [element(3, "head"), body])] };
  const { started_at: at } = await api<{ started_at: number }>(`/replays/${id}`);
  const href = "https://my-shop.example.com/";
  const events = [
    { type: 4, timestamp: at, data: { href, width: 800, height: 600 } },
    { type: 2, timestamp: at, data: { node, initialOffset: { top: 0, left: 0 } } },
    ...[1_000, 1_200, 1_400, 5_000].map((ms) => ({
      ...{ type: 3, timestamp: at + ms, data: { source: 2, type: 2, id: 5, x: 9, y: 9 } },
    })),
  ];
  const path = `/replays/ingest/${id}`;
  await ask(url, "POST", `${path}/segments`, headers, { upload_token, seq: 0, events });
  if (!isFinished) return;
  await ask(url, "POST", `${path}/finish`, headers, { upload_token, stop_reason: "session_end" });
}

const cellsOf = (row: number): Promise<string[]> =>
  page.locator("main tbody tr").nth(row).locator("th, td").allInnerTexts();

/** Checks the page at the width of a phone, where its first action is visible without scrolling sideways. */
async function expectSound(action: string): Promise<void> {
  await page.setViewportSize({ width: 390, height: 900 });
  await eventually(async () => {
    expect(await structureOf(page)).toEqual(sound);
    expect(await violationsOf(page)).toEqual([]);
  });
  const box = await page.locator(action).first().boundingBox();
  expect((box?.x ?? 0) + Math.min(box?.width ?? 0, 24)).toBeLessThan(390);
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe("visitors", () => {
  test("have the sources, numbers and money that the API answers, last seen first", async () => {
    const { rows } = await query({
      metrics: ["last_date", "session_count", "page_views", "event_count", "revenue"],
      group_by: ["user_id", "user.first_source", "user.first_country", "user.first_device"],
      ...{
        ...within(),
        count_mode: "raw",
        goal: { goal: "Orders" },
        order_by: "last_date",
        limit: 9,
      },
    });
    await openPage(world, "people");
    for (const [i, row] of rows.filter(({ user_id }) => user_id !== null).entries()) {
      await eventually(async () => {
        const [id, , source, , device, ...numbers] = await cellsOf(i);
        expect(String(row.user_id)).toStartWith((id ?? "").slice(0, 4));
        expect([source, device]).toEqual(
          ["user.first_source", "user.first_device"].map((name) => String(row[name] ?? "–")),
        );
        const counts = [row.session_count, row.page_views, row.event_count].map(String);
        expect(numbers).toEqual([...counts, money(Number(row.revenue), "EUR")]);
      });
    }
    await expectSound("main tbody th a");
    await page.getByLabel("Order").selectOption("revenue");
    await eventually(async () => expect((await cellsOf(0))[0]).toBe(buyer));
  });

  test("have a profile with their name and value before the list of their sessions", async () => {
    const { rows } = await query({ goals: true, user_id: buyer, date_from: "3650d" });
    const [orders] = rows as unknown as { goal_events: number; revenue: number }[];
    await openPage(world, `people/${buyer}`);
    await world.pages.shown(".finding", new RegExp(`^${RegExp.escape(hostileText)} ${buyer}$`));
    const value = `${orders?.goal_events}, ${money(orders?.revenue ?? 0, "EUR")}`;
    await eventually(async () =>
      expect(await page.locator(".facts").innerText()).toContain(`Orders\n${value}`),
    );
    const { sessions } = await api<SessionList>(
      `/sessions?project=${world.shop}&user_id=${buyer}&since=29d&limit=20`,
    );
    expect(await page.locator("a.session-row").count()).toBe(sessions.length);
    expect(await page.title()).not.toBe("taken over");
    await expectSound("a.session-row");
    await page.locator("a.session-row").first().click();
    await page.waitForURL(({ searchParams }) => searchParams.has("session"));
    await page.waitForSelector(".timeline li");
  });

  test("are found from the bars of a funnel, with the filters of the page", async () => {
    const country = { field: "country", op: "eq", value: "DE" };
    const steps = "step=page_view&step=signup&step=purchase";
    for (const [name, last] of [
      ["Who reached it", { did: "purchase" }],
      ["Who dropped off", { did_not: "purchase" }],
    ] as const) {
      await openPage(world, `funnels?filter=country~eq~DE&${steps}`);
      await page.getByRole("link", { name }).last().click();
      await page.waitForURL("**/people?*");
      await settled(world);
      const filters = [country, { did: "page_view" }, { did: "signup" }, last];
      const asked = { metrics: ["unique_users"], filters, ...within() };
      const [row] = (await query(asked)).rows;
      expect(Number(row?.unique_users)).toBeGreaterThan(0);
      await eventually(async () =>
        expect(await page.locator("main tbody tr").count()).toBe(Number(row?.unique_users)),
      );
    }
    await page.locator("main").getByRole("link", { name: "Sessions", exact: true }).click();
    await page.waitForURL(
      ({ pathname, searchParams }) =>
        pathname.endsWith("/sessions") && searchParams.getAll("filter").length === 4,
    );
  });
});

test("sessions have the source, pages and money that the API answers", async () => {
  const sessions = await newest();
  const { rows } = await query({
    ...{ metrics: ["page_views", "revenue"], goal: { goal: "Orders" } },
    group_by: ["session_id", "session.source", "session.device"],
    filters: [{ field: "session_id", op: "in", value: sessions.map((one) => one.session_id) }],
    ...{ date_from: "30d", limit: 50 },
  });
  await openPage(world, "sessions");
  for (const [i, { session_id }] of sessions.entries()) {
    const row = rows.find((one) => one.session_id === session_id);
    const text = () => page.locator(".session-row").nth(i).innerText();
    await eventually(async () => {
      expect(await text()).toContain(row?.page_views === 1 ? "1 page" : `${row?.page_views} pages`);
    });
    expect(await text()).toContain(String(row?.["session.source"]));
    expect(await text()).toContain(String(row?.["session.device"] ?? ""));
    const revenue = Number(row?.revenue);
    if (revenue !== 0) expect(await text()).toContain(money(revenue, "EUR"));
  }
  await expectSound(".session-row");
});

test("events of the tracker itself are shown on request", async () => {
  await openPage(world, "sessions");
  await page.locator(".session-row").nth(1).click();
  await page.waitForSelector(".timeline li");
  const names = () => page.locator(".timeline b").allInnerTexts();
  expect((await names()).filter((name) => name.startsWith("$"))).toEqual([]);
  const session = new URL(page.url()).searchParams.get("session") ?? "";
  const asked = `/events?project=${world.shop}&session_id=${session}&since=29d&limit=1000`;
  const { events } = await api<{ events: object[] }>(asked);
  await page.getByLabel("Show $ events").check();
  await eventually(async () => expect(await names()).toHaveLength(events.length));
});

describe("recordings", () => {
  test("have their page, country and length, also while they run", async () => {
    await openPage(world, "replays");
    const { rows } = await query({
      ...{ metrics: ["page_views"], group_by: ["session_id", "session.entry_page"] },
      filters: [{ field: "session_id", op: "in", value: recorded }],
      date_from: "30d",
    });
    const pageOf = (id: string | undefined) =>
      String(rows.find(({ session_id }) => session_id === id)?.["session.entry_page"]);
    const shownOf = async (state: string) => {
      const row = page.locator("tr", { hasText: state });
      return (await row.locator("td").allInnerTexts()).slice(0, 2);
    };
    await eventually(async () => {
      expect(await shownOf("recording now")).toEqual(["5s", pageOf(recorded[0])]);
      expect(await shownOf("complete")).toEqual(["5s", pageOf(recorded[1])]);
    });
    await expectSound("main tbody th button");
  });

  test("are narrowed by rage clicks, errors and the filters of the page", async () => {
    const count = () => page.locator("main tbody tr").count();
    await page.getByLabel("Only").selectOption("rage_clicks");
    await eventually(async () => expect(await count()).toBe(1));
    await page.getByLabel("Only").selectOption("errors");
    await world.pages.shown("main .card", /No such recordings/);
    await page.getByLabel("Only").selectOption("");
    await eventually(async () => expect(await count()).toBe(2));
    await openPage(world, "replays?filter=country~eq~AQ");
    await world.pages.shown("main .card", /No such recordings/);
  });

  test("open beside their list by keys alone, play, and close again", async () => {
    await openPage(world, "replays");
    const watch = page.getByRole("button", { name: /^Watch/ }).first();
    await watch.focus();
    await page.keyboard.press("Enter");
    const position = page.frameLocator(".player").locator(".track input");
    await eventually(async () => expect(Number(await position.inputValue())).toBeGreaterThan(0));
    expect(await page.locator("main tbody tr").count()).toBe(2);
    await page.getByRole("button", { name: "Close" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".player", { state: "detached" });
    const focused = "document.activeElement.getAttribute('aria-label')";
    const name = `${await watch.getAttribute("aria-label")}`;
    await eventually(async () => expect(await page.evaluate<string>(focused)).toBe(name));
  });

  test("have settings on their page, which say what cannot be", async () => {
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Sessions to record, in percent").fill("12.5");
    await page.getByLabel("Text to replace by stars").fill("..wrong");
    await page.getByRole("button", { name: "Save" }).click();
    await world.pages.shown("[role=alert]", /no CSS selector/);
    await page.getByLabel("Text to replace by stars").fill(".address\n.name");
    await page.getByRole("button", { name: "Save" }).click();
    const settings = `/replays/settings?project=${world.shop}`;
    const wanted = { sample_rate: 0.125, mask_selectors: [".address", ".name"], enabled: true };
    await eventually(async () => expect(await api<object>(settings)).toMatchObject(wanted));
    await expectSound(".form button");
    await page.getByRole("button", { name: "Turn off recording" }).click();
    await page.getByRole("button", { name: "Turn on recording" }).waitFor();
    expect(await api<object>(settings)).toMatchObject({ enabled: false });
  });
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems.filter((one) => !one.includes("400"))).toEqual([]);
});
