import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "puppeteer-core";
import { askApi, dateDaysAgo } from "../support/browser/dashboard-use";
import { launchFirefox, until } from "../support/browser/firefox";
import { painted } from "../support/browser/page-structure";
import { login, userAgent } from "../support/server/account";
import { ask } from "../support/server/server";
import { eventually } from "../support/suite/eventually";
import { type DashboardWorld, openDashboardWorld } from "../support/world/dashboard-world";

/** The ways through the dashboard, once, in the other browser; what each page has to be is held in Chromium. */
let world: DashboardWorld;
let firefox: Browser;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  world = await openDashboardWorld();
  firefox = await launchFirefox([new URL(world.pages.base).hostname]);
  page = await firefox.newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.setViewport({ width: 1440, height: 900 });
  const late = Date.now() - world.nowMs;
  await page.evaluateOnNewDocument(`{
    const real = Date.now.bind(Date);
    Date.now = () => real() - ${late};
    window.refused = [];
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      window.refused.push(violatedDirective + " " + blockedURI));
  }`);
});
afterAll(async () => {
  await firefox.close();
  await world.pages.close();
});

const isQuiet = `document.querySelector("main :is(h2, .tile, .state)") !== null &&
  document.querySelector("[aria-busy=true], .waiting") === null`;
/** What was just pressed is drawn first, and what that asks for is then under way. */
const quiet = (): Promise<void> => until(page, `${painted}.then(() => ${isQuiet})`, Boolean);
async function open(path: string): Promise<void> {
  const address = path.startsWith("/") ? path : `/app/p/${world.shop}/${path}`;
  await page.goto(world.pages.base + address);
  await quiet();
}
/** Presses the button once it is there. */
const press = (name: string) =>
  until(
    page,
    `(() => {
      const found = [...document.querySelectorAll("main button")]
        .find((one) => one.innerText.trim() === ${JSON.stringify(name)});
      found?.click();
      return found !== undefined;
    })()`,
    Boolean,
  );
/** What was just opened may still be drawn. */
const drawn = (selector: string) =>
  until(page, `document.querySelector(${JSON.stringify(selector)}) !== null`, Boolean);
async function click(selector: string): Promise<void> {
  await drawn(selector);
  await page.click(selector);
}
async function type(selector: string, text: string): Promise<void> {
  await drawn(selector);
  await page.type(selector, text);
}
const textOf = (selector: string) =>
  page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`);
const addressed = (part: string) =>
  until(page, "location.href", (href) => String(href).includes(part));

describe("the dashboard in Firefox", () => {
  test("is entered by its log-in", async () => {
    await page.goto(`${world.pages.base}/login?next=/app/p`);
    await drawn("#login-form input:focus");
    await type("#email", login.email);
    await type("#password", login.password);
    await click("#login-form button");
    await addressed(`/app/p/${world.shop}/overview`);
    await quiet();
  });

  test("says what the API says", async () => {
    await open("overview?period=yesterday");
    const { rows } = await askApi<{ rows: { event_count: number }[] }>(world, "/query", {
      project: world.shop,
      metrics: ["event_count"],
      count_mode: "raw",
      date_from: dateDaysAgo(world, 1),
      date_to: dateDaysAgo(world, 1),
    });
    const tiles = `[...document.querySelectorAll(".tile")].map((one) =>
      one.querySelector(".tile-name").innerText + " " + one.querySelector(".tile-value").innerText)`;
    const told = `Events ${rows[0]?.event_count}`;
    await eventually(async () => expect(await page.evaluate(tiles)).toContain(told));
  });

  test("is narrowed by a click on a row, and widened by going back", async () => {
    await open("overview");
    const row = 'document.querySelector(".bars button.name bdi")';
    await page.evaluate(`${row}.scrollIntoView({ block: "center" })`);
    await click(".bars button.name");
    await addressed("filter=");
    await until(page, 'document.querySelectorAll(".chip").length', (count) => count === 1);
    await page.goBack();
    await until(page, 'document.querySelectorAll(".chip").length', (count) => count === 0);
  });

  test("is led by keys: to a page, and by the palette to another", async () => {
    await open("overview");
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    await until(page, 'document.querySelectorAll(".funnel li").length', (count) => count === 3);
    await page.keyboard.down("Control");
    await page.keyboard.press("k");
    await page.keyboard.up("Control");
    await drawn(".palette[open] input:focus");
    await page.keyboard.type("retention");
    await page.keyboard.press("Enter");
    await until(page, 'document.querySelector(".cohorts") !== null', Boolean);
    await addressed("/retention");
  });

  test("shows what happens while it happens", async () => {
    await open("live");
    await until(page, 'document.querySelector("#live-status").innerText', (text) =>
      String(text).startsWith("Live:"),
    );
    const { projects } = await askApi<{ projects: { name: string; project_token: string }[] }>(
      world,
      "/projects",
    );
    const token = projects.find(({ name }) => name === world.shop)?.project_token;
    const headers = { "User-Agent": userAgent };
    const body = { token, event: "seen_in_firefox", user_id: "u1" };
    expect((await ask(world.pages.server.url, "POST", "/track", headers, body)).status).toBe(202);
    await until(page, 'document.querySelector("#feed")?.innerText ?? ""', (text) =>
      String(text).includes("seen_in_firefox"),
    );
  });

  test("asks what is put together by clicks, and takes the answer along as a file", async () => {
    await open("explore?by=event&period=7d");
    await press("Country");
    await addressed("by=event%2Ccountry");
    await quiet();
    await eventually(async () => {
      expect(await textOf("main thead")).toMatch(/Event.*Country/s);
      expect(await textOf(".request pre")).toContain('"group_by": [ "event", "country" ]');
    });
    // The file is read where it is made; it is not to be saved on this machine.
    await page.evaluate(`void (window.saved = new Promise((done) => {
      URL.createObjectURL = (blob) => void blob.text().then(done) ?? "";
      HTMLAnchorElement.prototype.click = () => undefined;
    }))`);
    await press("CSV");
    expect(String(await page.evaluate("window.saved"))).toMatch(
      /^event,country,.*\r\n.*page_view/s,
    );
  });

  test("follows one session, and one person", async () => {
    await open("sessions");
    await click(".session-row");
    await until(page, 'document.querySelectorAll(".timeline li").length', Boolean);
    await addressed("session=");
    await open("people");
    await type("#person-search", "u1");
    await page.keyboard.press("Enter");
    await addressed("/people/u1");
    await until(page, 'document.querySelectorAll(".journey li").length', Boolean);
  });

  test("writes a note, a goal and an experiment", async () => {
    await open("overview?period=7d");
    await page.evaluate('document.querySelector(".line-chart svg[role=img]").focus()');
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await until(page, 'document.querySelector("#note-title:focus") !== null', Boolean);
    await page.keyboard.type("Written in Firefox");
    await page.keyboard.press("Enter");
    await until(
      page,
      'document.querySelector(".line-chart .note text")?.textContent ?? ""',
      (text) => String(text).includes("Written"),
    );
    await open("project/meaning");
    await page.evaluate(`[...document.querySelectorAll("main label")]
      .find((one) => one.innerText.startsWith("Purpose")).querySelector("textarea").focus()`);
    await page.keyboard.type("More of it, ");
    await press("Save context");
    await until(page, 'document.querySelector("main").innerText', (text) =>
      String(text).includes("Saved"),
    );
    await open("experiments?new=yes");
    await type("#experiment-name", "firefox-headline");
    await type("#experiment-goal", "signup");
    await click("#experiment-form .primary");
    await until(page, 'document.querySelector("main h2")?.innerText ?? ""', (text) =>
      String(text).includes("firefox-headline"),
    );
  });

  test("saves a view and opens it, and shows a shared link to nobody's account", async () => {
    await open("pages?period=7d");
    await click("#view-menu");
    await type("#view-name", "Pages of the week");
    await page.keyboard.press("Enter");
    await until(page, 'document.querySelectorAll(".views li").length', Boolean);
    await open("overview");
    await click("#view-menu");
    await click(".views .open-view");
    await addressed("/pages?period=7d");
    const body = { project: world.shop, name: "For Firefox", pages: ["events"] };
    const { url } = await askApi<{ url: string }>(world, "/shares", body, 201);
    await page.goto(`${url}?page=live`);
    await until(page, 'document.querySelector("#live-status")?.innerText ?? ""', (text) =>
      String(text).startsWith("Live:"),
    );
    await eventually(async () =>
      expect(await page.evaluate('document.querySelector("#account-menu")')).toBeNull(),
    );
  });

  test("is left by logging out", async () => {
    await open("overview");
    await click("#account-menu");
    await click("#logout");
    await addressed("/login");
    await drawn("#login-form input:focus");
    await type("#email", login.email);
    await type("#password", login.password);
    await click("#login-form button");
    await addressed("/app");
  });

  const pages = "overview explore?by=event funnels retention paths pages sources sessions people";
  const more = "people/u1 events experiments replays bots sites project live";
  const personal = "/app?new /app/settings /app/admin /account/billing";
  test.each(`${pages} ${more} ${personal}`.split(" "))(
    "has %s whole, on a desk and on a phone",
    async (path) => {
      await open(path);
      await eventually(async () => expect(await textOf("h1")).not.toBe(""));
      expect(await textOf("[role=alert]")).toBe("");
      for (const width of [1440, 390]) {
        await page.setViewport({ width, height: 900 });
        await until(page, "innerWidth", (is) => is === width);
        const wide =
          '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".stage"))';
        await until(page, wide, (px) => Number(px) <= 0);
      }
      expect(await page.evaluate("window.refused")).toEqual([]);
    },
  );

  test("fails nowhere", () => {
    expect(problems).toEqual([]);
  });
});
