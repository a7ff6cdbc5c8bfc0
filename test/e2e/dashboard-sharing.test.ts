import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { violationsOf } from "../support/browser/accessibility";
import { askApi, dateDaysAgo, logIn, openPage, tileOf } from "../support/browser/dashboard-use";
import { painted, sound, structureOf, untilQuiet } from "../support/browser/page-structure";
import { hostileText } from "../support/browser/person-pages";
import { userAgent } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import {
  type DashboardWorld,
  openDashboardWorld,
  setClock,
} from "../support/world/dashboard-world";

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
  await logIn(world);
});
afterAll(() => world.pages.close());

const open = (path: string) => openPage(world, path);

test("what is seen is saved as a view, opened from another page, and deleted", async () => {
  const { page } = world.pages;
  await open("sessions?period=7d&filter=country~eq~DE");
  const address = new URL(page.url());
  await page.click("#view-menu");
  await page.fill("#view-name", hostileText);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await world.pages.shown(".views li", /taken over/);
  await open("overview");
  await page.click("#view-menu");
  await page.click(".views .open-view");
  await page.waitForURL(
    ({ pathname, search }) => pathname + search === address.pathname + address.search,
  );
  await untilQuiet(page);
  await eventually(async () => expect(await page.locator(".chip").count()).toBe(1));
  await page.goBack();
  await page.waitForURL(({ pathname }) => pathname.endsWith("/overview"));
  await page.click("#view-menu");
  await page.locator('.views [aria-label^="Delete the view"]').click();
  await world.pages.gone(".views li", /taken over/);
});

test("a view is renamed in the menu, by keys alone", async () => {
  const { page } = world.pages;
  const press = (keys: string) => page.keyboard.press(keys);
  const focused = (name: string) => page.locator(`:focus[aria-label="${name}"]`).waitFor();
  await open("pages?period=7d");
  await page.locator("#view-menu").focus();
  await press("Enter");
  await page.keyboard.type("Pages of the week");
  await press("Enter");
  await world.pages.shown(".views li", /Pages of the week/);
  await page.locator(".views .open-view").focus();
  await press("ArrowDown");
  await press("Enter");
  await page.keyboard.type("Not this one");
  await press("Escape");
  await focused("Rename the view Pages of the week");
  await press("Enter");
  await page.keyboard.type("Seven days");
  await press("Enter");
  await world.pages.shown(".views li", /^Seven days$/);
  await focused("Rename the view Seven days");
  const { views } = await askApi<{ views: { name: string; address: string }[] }>(
    world,
    `/views?project=${world.shop}`,
  );
  expect(views.map(({ name, address }) => [name, address])).toEqual([
    ["Seven days", `/app/p/${world.shop}/pages?period=7d`],
  ]);
});

test("a link that shares the project shows it to anybody, until it is revoked", async () => {
  const { page } = world.pages;
  await open("project/sharing");
  await page.fill("#share-name", "For the agency");
  await page.fill("#share-password", "open sesame");
  await page.getByLabel("Live and individual events").check();
  await page.click("#share-form button[type=submit]");
  await world.pages.shown(
    "#shares li",
    /For the agency.*with a password, also shows live and individual events/s,
  );
  const link = await world.pages.text("#shares pre");
  expect(link.startsWith(`${world.pages.base}/share/sht_`)).toBe(true);
  await world.pages.openAnother();
  const visitor = world.pages.page;
  await visitor.goto(link);
  await visitor.fill("input[name=password]", "open sesame");
  await visitor.click("button");
  await world.pages.shown("h1", /Overview/);
  await world.pages.shown(".shared-by", /For the agency: my-shop, shared by admin@example.com/);
  await untilQuiet(visitor);
  world.pages.page = page;
  await page.click('button[aria-label="Revoke For the agency"]');
  await world.pages.confirm();
  await world.pages.gone("#shares li", /For the agency/);
  expect((await visitor.goto(link))?.status()).toBe(401);
});

describe("what a link shows", () => {
  interface Made {
    readonly id: string;
    readonly url: string;
  }
  const share = (more: object): Promise<Made> => {
    const body = { project: world.shop, name: "For <b>you", ...more };
    return askApi<Made>(world, "/shares", body, 201);
  };
  const japan = { field: "country", op: "in", value: ["JP", "FR"] };

  test("are the numbers under its filters, on every page but those of single visitors", async () => {
    const { url } = await share({ filters: [japan] });
    await world.pages.openAnother();
    const visitor = world.pages.page;
    await setClock(world.pages, world.nowMs);
    await visitor.goto(`${url}?period=7d`);
    await untilQuiet(visitor);
    const { rows } = await askApi<{ rows: Record<string, number>[] }>(world, "/query", {
      ...{ project: world.shop, metrics: ["unique_users"], filters: [japan] },
      ...{ date_from: dateDaysAgo(world, 6), date_to: dateDaysAgo(world, 0) },
    });
    await eventually(async () =>
      expect(await tileOf(world, "Visitors")).toBe(String(rows[0]?.unique_users)),
    );
    const locked = visitor.locator(".chip.locked");
    await eventually(async () => {
      expect(await locked.innerText()).toBe("Country is one of Japan, France");
      expect(await locked.locator("button").count()).toBe(0);
    });
    await eventually(async () => {
      const pages = await visitor.locator(".side a").allInnerTexts();
      expect(pages.map((text) => text.split("\n")[0])).toEqual([
        ...["Overview", "What changed", "Explore", "Funnels", "Retention", "Paths", "Pages"],
        ...["Sources", "Speed and errors"],
      ]);
    });
    const none = "#account-menu, #project-menu, #view-menu, .live";
    await eventually(async () => expect(await visitor.locator(none).count()).toBe(0));
    await visitor.goto(`${url}?page=sessions`);
    await world.pages.shown(".state", /This page does not exist/);
    await visitor.goto(`${url}?page=funnels`);
    await world.pages.shown(".funnel dd", /\d/);
    expect(await visitor.locator(".funnel dd a").count()).toBe(0);
  });

  test.each(["", "explore", "funnels", "retention", "paths", "pages", "sources"])(
    "is reached by keyboard, by day and night, and fits: %s",
    async (name) => {
      const { url } = await share({});
      await world.pages.openAnother();
      const visitor = world.pages.page;
      await setClock(world.pages, world.nowMs);
      await visitor.goto(url);
      await untilQuiet(visitor);
      const keys: Readonly<Record<string, string>> = {
        ...{ explore: "e", funnels: "f", retention: "r", paths: "h", pages: "p", sources: "u" },
      };
      if (name !== "") {
        await visitor.keyboard.press("g");
        await visitor.keyboard.press(keys[name] ?? "");
        await visitor.waitForURL(({ searchParams }) => searchParams.get("page") === name);
      }
      await untilQuiet(visitor);
      await eventually(async () =>
        expect(await visitor.locator("[role=alert]").allInnerTexts()).toEqual([]),
      );
      for (const colorScheme of ["light", "dark"] as const) {
        await visitor.emulateMedia({ colorScheme });
        await visitor.goto(visitor.url());
        await untilQuiet(visitor);
        for (const width of [1440, 1024, 390]) {
          await visitor.setViewportSize({ width, height: 900 });
          await visitor.evaluate(painted);
          await eventually(async () => {
            expect([width, await structureOf(visitor)]).toEqual([width, sound]);
            expect([width, await violationsOf(visitor)]).toEqual([width, []]);
          });
        }
      }
    },
  );

  test("shows Live where it names events, by asking again and again", async () => {
    const { url } = await share({ pages: ["events"] });
    await world.pages.openAnother();
    const visitor = world.pages.page;
    await setClock(world.pages, world.nowMs);
    await visitor.goto(url);
    await untilQuiet(visitor);
    await visitor.keyboard.press("g");
    await visitor.keyboard.press("l");
    await world.pages.shown("#live-status", /^Live: my-shop$/);
    const visitors = async () => Number(await visitor.locator("#live-visitors").innerText());
    await world.pages.shown("#live-visitors", /^\d+$/);
    const before = await visitors();
    const { projects } = await askApi<{ projects: { name: string; project_token: string }[] }>(
      world,
      "/projects",
    );
    const token = projects.find(({ name }) => name === world.shop)?.project_token;
    const event = { token, event: "seen_by_a_guest", user_id: "somebody-new" };
    const headers = { "User-Agent": userAgent };
    const sent = await ask(world.pages.server.url, "POST", "/track", headers, event);
    expect(sent.status).toBe(202);
    await world.pages.shown("#feed", /seen_by_a_guest/);
    await eventually(async () =>
      expect(await visitors()).toBeGreaterThanOrEqual(Math.min(1, before)),
    );
    await eventually(async () => {
      expect(await structureOf(visitor)).toEqual(sound);
      expect(await violationsOf(visitor)).toEqual([]);
    });
  });

  test("shows recordings where it names them, which play beside their list", async () => {
    await record();
    const { url } = await share({ pages: ["replays"] });
    await world.pages.openAnother();
    const visitor = world.pages.page;
    await setClock(world.pages, world.nowMs);
    await visitor.goto(url);
    await untilQuiet(visitor);
    await visitor.keyboard.press("g");
    await visitor.keyboard.press("y");
    await world.pages.shown("main table td", /recording/);
    await eventually(async () => expect(await visitor.locator("main table a").count()).toBe(0));
    await eventually(async () => {
      expect(await structureOf(visitor)).toEqual(sound);
      expect(await violationsOf(visitor)).toEqual([]);
    });
    await visitor.getByRole("button", { name: "Watch" }).click();
    await visitor.frameLocator(".player").locator("body[data-loaded]").waitFor();
  });

  /** A page of a visitor, as the recorder sends it. */
  async function record(): Promise<void> {
    const { server } = world.pages;
    const { project_token: token } = (
      await askApi<{ projects: { name: string; project_token: string }[] }>(world, "/projects")
    ).projects.find(({ name }) => name === world.shop) ?? { project_token: "" };
    await askApi(world, "/replays/enable", { project: world.shop });
    const headers = { "User-Agent": userAgent };
    const start = { token, session_id: "recorded", url: "https://my-shop.example.com/" };
    const started = await ask(server.url, "POST", "/replays/ingest/start", headers, start);
    expect(started.status).toBe(201);
    const { replay_id, upload_token } = JSON.parse(started.body);
    const element = (id: number, tagName: string, childNodes: object[] = []) => ({
      ...{ type: 2, id, tagName, attributes: {}, childNodes },
    });
    const html = element(2, "html", [element(3, "head"), element(4, "body")]);
    const node = { type: 0, id: 1, childNodes: [html] };
    const events = [
      {
        type: 4,
        timestamp: world.nowMs,
        data: { href: "https://x.example/", width: 800, height: 600 },
      },
      {
        type: 2,
        timestamp: world.nowMs,
        data: { node, initialOffset: { top: 0, left: 0 } },
      },
    ];
    const segment = { upload_token, seq: 0, events };
    const path = `/replays/ingest/${replay_id}/segments`;
    expect((await ask(server.url, "POST", path, headers, segment)).status).toBe(202);
  }

  test("shows events where it names them, and ends with a sentence when it is revoked", async () => {
    const { id, url } = await share({ pages: ["events"] });
    await world.pages.openAnother();
    const visitor = world.pages.page;
    await setClock(world.pages, world.nowMs);
    await visitor.goto(`${url}?page=events`);
    await world.pages.shown(".stream bdi", /<img src=x/);
    const revoked = await ask(world.pages.server.url, "DELETE", `/shares/${id}`, {
      "X-API-Key": world.key,
    });
    expect(revoked.status).toBe(200);
    await visitor.keyboard.press("g");
    await visitor.keyboard.press("e");
    await world.pages.shown("h1", /This link no longer works/);
    await world.pages.shown("main p", /Ask admin@example.com for a new one/);
    const reply = await visitor.goto(url);
    expect([reply?.status(), reply?.headers()["x-robots-tag"]]).toEqual([401, undefined]);
    await eventually(async () =>
      expect(await visitor.locator("main").innerText()).toContain("revoked or expired"),
    );
  });
});

test("nothing failed, broke the policy of the pages, or was asked from elsewhere", () => {
  expect(world.pages.problems).toEqual([]);
});
