import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { colourOf } from "../support/browser/colour";
import { logInOn } from "../support/browser/person-pages";
import { until } from "../support/browser/replay-collector";
import {
  clicksIn,
  forgeRecording,
  newVisitor,
  openRecordedWorld,
  type RecordedEvent,
  type RecordedWorld,
} from "../support/browser/replay-visits";
import { login } from "../support/server/account";
import { eventually } from "../support/suite/eventually";

/** A visitor is recorded by a real browser, the executable keeps it, and its viewer plays it. */
interface Summary {
  readonly id: string;
  readonly status: string;
  readonly analytics_session_id: string;
  readonly has_full_snapshot: boolean;
  readonly event_count: number;
}

let world: RecordedWorld;
let replay: Summary;
let viewer: string;
/** When the page was switched over, in seconds of the recording: a busy machine clicks later. */
let switchedAt: number;
const project = "recorded";
const replays = async (): Promise<Summary[]> =>
  (await world.read<{ replays: Summary[] }>(`/replays?project=${project}`)).replays;

beforeAll(async () => {
  world = await openRecordedWorld(project);
  const page = await newVisitor(world.browser);
  await page.goto(`${world.site}/light`);
  await untilSnapshots(1);
  await page.waitForTimeout(3_000);
  await page.click("#switch");
  await page.waitForTimeout(2_500);
  await page.goto(`${world.site}/shop`);
  await untilSnapshots(2);
  await page.locator("[name=name]").pressSequentially("SECRET-TYPED");
  await page.locator(".add").first().click();
  await page.waitForTimeout(1_000);
  await page.goto(`${world.site}/away`);
  await page.waitForTimeout(1_000);
  await page.context().close();
  // What is sent while a page is left may come late.
  const clicks = await eventually(async () => {
    const found = clicksIn(await recorded());
    expect(found).toHaveLength(2);
    return found;
  });
  switchedAt = clicks[0] ?? 0;
  [replay] = (await replays()) as [Summary];
});
afterAll(() => world.close());

/** What the server has of the visit. */
async function recorded(): Promise<RecordedEvent[]> {
  const [first] = await replays();
  if (first === undefined) return [];
  viewer ??= await viewerOf(first.id);
  return world.recorded(viewer);
}

/** A page begins with one: until it is stored, who leaves may not have been recorded. */
const untilSnapshots = (count: number): Promise<void> =>
  eventually(async () =>
    expect((await recorded()).filter(({ type }) => type === 2)).toHaveLength(count),
  );

/** The viewer, ready to play. What its page asks for and complains about is told. */
async function watch(at = "", options: BrowserContextOptions = {}, address = viewer) {
  const context = await world.browser.newContext({
    viewport: { width: 1_200, height: 800 },
    ...options,
  });
  const page = await context.newPage();
  const asked: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => {
    if (/^(https?|ws):/.test(request.url())) asked.push(new URL(request.url()).origin);
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(address + at);
  await page.waitForSelector("body[data-loaded]");
  await page.waitForTimeout(400);
  return { page, asked, problems };
}

async function viewerOf(id: string): Promise<string> {
  const opened = await world.change("POST", `/replays/${id}/open`);
  return world.base + new URL(JSON.parse(opened.body).viewer_url).pathname;
}

const inFrame = (page: Page, expression: string): Promise<unknown> =>
  page.evaluate(
    `((document) => ${expression})(document.querySelector(".stage iframe").contentDocument)`,
  );

describe("one visit of two pages", () => {
  test("is one replay, found with its session", async () => {
    expect(await replays()).toHaveLength(1);
    expect(replay).toMatchObject({ status: "recording", has_full_snapshot: true });
    expect(replay.event_count).toBeGreaterThan(5);
    const { sessions } = await world.read<{ sessions: { session_id: string }[] }>(
      `/sessions?project=${project}&since=1d`,
    );
    expect(sessions.map((one) => one.session_id)).toContain(replay.analytics_session_id);
  });

  test("looks at each second as it looked to the visitor", async () => {
    const { page, asked, problems } = await watch("#t=1");
    await eventually(async () => expect(await colourOf(page)).toEqual([30, 120, 200]));
    // The page was looked at for two more seconds.
    await page.goto(`${viewer}#t=${Math.ceil(switchedAt + 0.5)}`);
    await eventually(async () => expect(await colourOf(page)).toEqual([200, 30, 60]));
    await page.keyboard.press("End");
    const items = `document.querySelector("#items").textContent`;
    await eventually(async () => expect(await inFrame(page, items)).toBe("Chair 0"));
    // Only our own host was asked, and nothing was refused by the page's policy.
    expect([...new Set(asked)]).toEqual([world.base]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("holds nothing that was entered, and shows its shadow trees and frames", async () => {
    const { page } = await watch();
    await page.keyboard.press("End");
    const field = `document.querySelector("form label input").value`;
    const stars = `document.querySelector("star-rating").shadowRoot`;
    const inner = `document.querySelector("iframe").contentDocument.body.textContent`;
    await eventually(async () => {
      expect(await inFrame(page, field)).toBe("*".repeat("SECRET-TYPED".length));
      expect(await inFrame(page, `${stars}.querySelector("b").textContent.length`)).toBe(1);
      expect(await inFrame(page, `${stars}.adoptedStyleSheets.length`)).toBe(1);
      expect(await inFrame(page, inner)).toContain("Card details");
    });
    const data = await page.evaluate(
      `fetch(location.pathname + "/data").then((one) => one.text())`,
    );
    expect(String(data)).toContain("Chair 11");
    expect(String(data)).not.toContain("SECRET");
    await page.context().close();
  });
});

describe("the viewer", () => {
  test("is sandboxed, for nobody's cache, and framed by nobody else", async () => {
    const { headers } = await world.change("GET", new URL(viewer).pathname);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toStartWith("sandbox allow-scripts allow-same-origin; default-src 'none'; ");
    expect(policy).toMatch(/script-src \S+\/replay-player\.js; style-src 'unsafe-inline'; /);
    expect(policy).toMatch(
      /img-src data: blob:; font-src data:; connect-src \S+; frame-ancestors \S+$/,
    );
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-robots-tag")).toBe("noindex");
    const { page } = await watch();
    expect(await page.getAttribute(".stage iframe", "sandbox")).toBe("allow-same-origin");
    await page.context().close();
  });

  test("plays, changes speed, seeks, jumps and fills the screen by keys", async () => {
    const { page } = await watch();
    const state = () => page.evaluate("document.body.dataset.state");
    const seconds = async () => Number(await page.inputValue(".track input")) / 1_000;
    await page.keyboard.press("k");
    await eventually(async () => expect(await seconds()).toBeGreaterThan(0.5));
    expect(await state()).toBe("playing");
    await page.keyboard.press(" ");
    await eventually(async () => expect(await state()).toBe("paused"));
    await page.keyboard.press(">");
    await page.locator('[aria-label^="Speed"]', { hasText: /^2×$/ }).waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await eventually(async () => expect(await seconds()).toBeCloseTo(5, 0));
    await page.keyboard.press("Home");
    await eventually(async () => expect(await seconds()).toBe(0));
    await page.keyboard.press("Shift+ArrowRight");
    await eventually(async () => {
      const click = await seconds();
      expect(Math.abs(click - switchedAt)).toBeLessThan(0.1);
    });
    await page.keyboard.press("s");
    await page.locator('[aria-label^="Skip"][aria-pressed="false"]').waitFor();
    await page.keyboard.press("f");
    const isFull = () => page.evaluate<boolean>("document.fullscreenElement !== null");
    await eventually(async () => expect(await isFull()).toBe(true));
    await page.context().close();
  });

  test("tells what happened; a line and a mark lead there", async () => {
    const { page } = await watch();
    await page
      .locator("aside li", { hasText: /click.*Switch/ })
      .first()
      .waitFor();
    await page
      .locator("aside li", { hasText: /click.*Add to cart/ })
      .first()
      .waitFor();
    const marks = page.locator(".marks b");
    await eventually(async () => expect(await marks.count()).toBeGreaterThanOrEqual(2));
    await page.locator("aside li", { hasText: "Switch" }).locator("button").click();
    const at = async () => Number(await page.inputValue(".track input"));
    await eventually(async () => expect(await at()).toBeGreaterThan(1_000));
    await page.context().close();
  });

  test("skips what is idle, unless somebody wants to see it", async () => {
    const { page } = await watch(
      "",
      { reducedMotion: "reduce" },
      await viewerOf(await forgeRecording(world, project, 30_000)),
    );
    const seconds = async () => Number(await page.inputValue(".track input")) / 1_000;
    await page.keyboard.press("k");
    await eventually(async () => expect(await seconds()).toBeGreaterThan(59));
    await page.locator(".skipped", { hasText: /^Skipped \d\d s$/ }).waitFor();
    await until(async () => (await page.evaluate("document.body.dataset.state")) !== "playing");
    await page.keyboard.press("s");
    await page.keyboard.press("Home");
    await eventually(async () => expect(await seconds()).toBe(0));
    await page.keyboard.press("k");
    await page.waitForTimeout(2_500);
    const at = await eventually(async () => {
      const now = await seconds();
      expect(now).toBeGreaterThan(1);
      return now;
    });
    // The pause is of 30 seconds, of which not one is left out.
    expect(at).toBeLessThan(28);
    await page.context().close();
  });

  test("is dark where people want it, and fits a phone", async () => {
    const dark = await watch("", { colorScheme: "dark" });
    const ground = "getComputedStyle(document.body).backgroundColor";
    await eventually(async () => expect(await dark.page.evaluate(ground)).toBe("rgb(20, 23, 28)"));
    await dark.page.context().close();
    const phone = await watch("", { viewport: { width: 390, height: 760 } });
    await eventually(async () =>
      expect(await phone.page.evaluate("document.documentElement.scrollWidth")).toBe(390),
    );
    const list = await phone.page.locator("aside").boundingBox();
    const stage = await phone.page.locator("main").boundingBox();
    expect(list?.y).toBeGreaterThan((stage?.y ?? 0) + (stage?.height ?? 0) - 1);
    expect(stage?.height).toBeGreaterThan(250);
    await phone.page.context().close();
  });

  test("says so when the replay is not there any more", async () => {
    const page = await newVisitor(world.browser);
    const broken = viewer.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    expect((await page.goto(broken))?.status()).toBe(404);
    await page.context().close();
  });
});

test("from a session's page in the dashboard the recording opens at the chosen event", async () => {
  const session = replay.analytics_session_id;
  const { events } = await world.read<{ events: { timestamp: number }[] }>(
    `/events?project=${project}&session_id=${session}`,
  );
  const at = (events[0]?.timestamp ?? 0) - 1_000;
  const startMs = (await recorded())[0]?.timestamp ?? 0;
  expect(at - startMs).toBeGreaterThan(2_000);
  const page = await newVisitor(world.browser);
  // With less motion a recording stays where it begins.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`${world.base}/login?next=/app/p/${project}/sessions`);
  await logInOn(page, login);
  await page.locator(".session-row", { has: page.getByLabel("Recorded") }).click();
  const buttons = page.locator(".timeline").getByRole("button", { name: "Watch" });
  const viewerIn = page.frameLocator(".player");
  const position = async () => Number(await viewerIn.locator(".track input").inputValue());
  await buttons.last().click();
  await viewerIn.locator("body[data-loaded]").waitFor();
  // The slider has steps of 50 ms.
  const late = async () => Math.abs((await position()) - (at - startMs));
  await eventually(async () => expect(await late()).toBeLessThan(50));
  await buttons.first().click();
  await eventually(async () => expect(await position()).toBe(0));
  await page.getByRole("button", { name: "Close" }).first().click();
  await page.waitForSelector(".player", { state: "detached" });
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await buttons.first().click();
  await eventually(async () => expect(await position()).toBeGreaterThan(0));
  expect(await page.locator(".session-row[aria-pressed=true]").count()).toBe(1);
  await page.context().close();
});
