import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  openTrackedSite,
  type StoredEvent,
  type TrackedSite,
  type Visitor,
} from "../support/tracked-site";

const named = (events: readonly StoredEvent[], name: string): StoredEvent[] =>
  events.filter(({ event }) => event === name);
const names = (events: readonly StoredEvent[]): string[] => events.map(({ event }) => event);

describe("one visit, from the first page to the numbers", () => {
  let world: TrackedSite;
  let events: StoredEvent[];
  beforeAll(async () => {
    world = await openTrackedSite("shop");
    const { page, problems } = await world.visitor();
    await page.goto(`${world.origin}/?utm_source=news&secret=1`);
    expect(await page.evaluate("isSecureContext")).toBe(false);
    expect(await page.evaluate("typeof crypto.randomUUID")).toBe("undefined");
    await page.click("#sign-up");
    await page.evaluate(`window.aa.track("custom", { plan: "pro", email: "ada@example.com" })`);
    await page.evaluate(`window.aa.identify("user-1", { plan: "pro" })`);
    await page.reload();
    await page.close({ runBeforeUnload: true });
    expect(problems).toEqual([]);
    events = await world.events(13);
  }, 60_000);
  afterAll(() => world.close());

  test("page view, custom event, identify, reload, close: all of it is stored once", () => {
    expect(named(events, "page_view")).toHaveLength(2);
    expect(named(events, "sign_up")).toHaveLength(1);
    expect(named(events, "custom")).toHaveLength(1);
    const { properties } = named(events, "custom")[0] as StoredEvent;
    expect(properties).toMatchObject({ plan: "pro", browser: "Chrome", os: "Linux", path: "/" });
    expect(properties).not.toHaveProperty("email");
    expect(properties.url).toBe(`${world.origin}/`);
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  test("all of it is one visitor's, whose id is the identified one, in one session", () => {
    expect(new Set(events.map(({ user_id }) => user_id))).toEqual(new Set(["user-1"]));
    expect(new Set(events.map(({ session_id }) => session_id)).size).toBe(1);
  });

  test("impressions, vitals, scroll depth and load times came too", () => {
    const [intro] = named(events, "$impression");
    expect(intro?.properties).toMatchObject({ name: "Intro", place: "top" });
    expect(named(events, "$impression")).toHaveLength(2);
    const [vitals] = named(events, "$web_vitals");
    expect(vitals?.properties.cwv_lcp).toBeGreaterThan(0);
    expect(vitals?.properties.cwv_cls).toBeGreaterThanOrEqual(0);
    expect(named(events, "$web_vitals")).toHaveLength(2);
    const [scroll] = named(events, "$scroll_depth");
    expect(scroll?.properties.scroll_depth).toBeGreaterThan(5);
    expect(scroll?.properties.scroll_depth).toBeLessThan(50);
    const [load] = named(events, "$performance");
    expect(load?.properties.perf_load).toBeGreaterThan(0);
    expect(load?.properties.perf_ttfb).toBeGreaterThan(0);
    expect(load?.properties.perf_dns).toBeGreaterThanOrEqual(0);
  });

  test("the numbers say the same", async () => {
    const stats = await world.read<Record<string, Record<string, number>>>(
      `/stats?project=shop&since=1d`,
    );
    expect(JSON.stringify(stats)).toContain(`"unique_users":1`);
    expect(JSON.stringify(stats)).toContain(`"total_events":${events.length}`);
    const sessions = await world.read<{ sessions: Record<string, unknown>[] }>(
      `/sessions?project=shop&since=1d`,
    );
    expect(sessions.sessions).toHaveLength(1);
    expect(sessions.sessions[0]).toMatchObject({
      entry_page: "/",
      is_bounce: 0,
      user_id: "user-1",
    });
  });
});

describe("each kind of event in a real browser", () => {
  let world: TrackedSite;
  beforeAll(async () => {
    world = await openTrackedSite("kinds");
  }, 30_000);
  afterAll(() => world.close());

  /** What is stored of a new visitor's page between its opening and its end. */
  async function sentBy(
    path: string,
    act: (page: Visitor["page"]) => Promise<unknown>,
    allowed: RegExp = /^$/,
  ): Promise<StoredEvent[]> {
    const { page, context, problems } = await world.visitor();
    await page.goto(world.origin + path);
    const frame = page.frames().at(-1) ?? page.mainFrame();
    await frame.waitForFunction("window.aa");
    const visitor = await frame.evaluate("window.aa.getIdentity().anonymousId");
    await act(page);
    await page.goto("about:blank");
    const events = (await world.settled()).filter(({ user_id }) => user_id === visitor);
    await context.close();
    expect(problems.filter((problem) => !allowed.test(problem))).toEqual([]);
    return events;
  }

  test("clicks on links, buttons and downloads", async () => {
    const sent = await sentBy("/", async (page) => {
      await page.evaluate(`addEventListener("click", (event) => event.preventDefault())`);
      for (const id of ["#other", "#inside", "#outside", "#download"]) await page.click(id);
    });
    expect(named(sent, "$click").map(({ properties }) => [properties.tag, properties.id])).toEqual([
      ["button", "other"],
      ["a", "inside"],
      ["a", "outside"],
      ["a", "download"],
    ]);
    expect(named(sent, "outgoing_link")[0]?.properties).toMatchObject({
      href: "http://other.example.org/path",
      hostname: "other.example.org",
    });
    expect(named(sent, "$download")[0]?.properties).toMatchObject({
      filename: "report.pdf",
      extension: "pdf",
    });
    expect(JSON.stringify(sent)).not.toMatch(/step=2|v=3|q=1/);
  }, 30_000);

  test("a form: only when it is valid, and nothing of what is in it", async () => {
    const sent = await sentBy("/", async (page) => {
      await page.click("#send");
      await page.fill("[name=message]", "a private message");
      await page.click("#send");
      await page.waitForURL("**/thanks*");
    });
    expect(named(sent, "$form_submit").map(({ properties }) => properties.action)).toEqual([
      `${world.origin}/thanks`,
    ]);
    expect(JSON.stringify(sent)).not.toMatch(/private|from=form/);
  }, 30_000);

  test("an uncaught error and a rejection", async () => {
    const sent = await sentBy(
      "/",
      async (page) => {
        await page.evaluate(`setTimeout(() => { throw new Error("broken: token=s3cr3t") })`);
        await page.evaluate(
          `setTimeout(() => Promise.reject(new Error("refused by ada@example.com")))`,
        );
        await Bun.sleep(100);
      },
      /broken|refused/,
    );
    const messages = named(sent, "$error").map(({ properties }) => properties.message);
    expect(messages).toEqual(["Uncaught Error: broken: [redacted]", "refused by [redacted]"]);
  }, 30_000);

  test("a missing page, by its status", async () => {
    const sent = await sentBy("/nowhere", () => Promise.resolve(), /404/);
    expect(named(sent, "$404")[0]?.properties).toMatchObject({
      path: "/nowhere",
      title: "Not here",
    });
  }, 30_000);

  test("scrolling to the end, with what comes into sight there", async () => {
    const sent = await sentBy("/", async (page) => {
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      await Bun.sleep(200);
    });
    expect(named(sent, "$scroll_depth")[0]?.properties.scroll_depth).toBe(100);
    expect(named(sent, "$impression").map(({ properties }) => properties.name)).toEqual([
      "Intro",
      "End",
    ]);
  }, 30_000);

  test("a single-page site: each route is a page with its own title and impression", async () => {
    const sent = await sentBy("/spa", async (page) => {
      await page.click("text=Pricing");
      await page.click("text=Docs");
      await page.goBack();
      await page.click("text=A part of this page");
      await Bun.sleep(200);
    });
    const views = named(sent, "page_view").map(({ properties }) => properties.path);
    expect(views).toEqual(["/spa", "/spa/pricing", "/spa/docs", "/spa/pricing", "/spa/pricing"]);
    expect(named(sent, "$scroll_depth").map(({ properties }) => properties.path)).toEqual(views);
  }, 30_000);

  test("the back-forward cache: coming back is a page view", async () => {
    const { page, context, problems } = await world.visitor();
    const before = (await world.events(0)).length;
    await page.goto(`${world.origin}/spa`);
    await page.goto(`${world.origin}/consent`);
    await page.goBack();
    await Bun.sleep(300);
    await page.goto("about:blank");
    const views = named((await world.events(before + 3)).slice(before), "page_view");
    expect(views.map(({ properties }) => properties.path)).toEqual(["/spa", "/spa"]);
    expect(problems).toEqual([]);
    await context.close();
  }, 30_000);

  test("consent: nothing leaves and nothing is stored before the yes", async () => {
    const { page, context, problems } = await world.visitor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${world.origin}/consent`);
    await page.evaluate(`window.aa.track("early")`);
    await page.evaluate(`window.aa.identify("user-9")`);
    await Bun.sleep(5_500);
    expect(asked.filter((url) => url.startsWith(world.base))).toEqual([`${world.base}/tracker.js`]);
    expect(await page.evaluate("localStorage.length + sessionStorage.length")).toBe(0);
    const before = (await world.events(0)).length;
    await page.click("#yes");
    await page.waitForFunction(`document.querySelector("#state").textContent === "granted"`);
    expect(names((await world.events(before + 3)).slice(before))).toEqual([
      "page_view",
      "early",
      "$consent",
    ]);
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(problems).toEqual([]);
    await context.close();
  }, 30_000);

  test("under a strict content security policy, also inside a frame", async () => {
    const strict = await sentBy("/strict", () => Promise.resolve(), /inline style|favicon/);
    expect(names(strict)).toContain("page_view");
    const framed = await sentBy("/frame", () => Bun.sleep(300), /inline style|favicon/);
    expect(named(framed, "page_view").map(({ properties }) => properties.path)).toEqual([
      "/strict",
    ]);
  }, 30_000);

  test("a link to a partner's domain carries the anonymous id", async () => {
    const { page, context } = await world.visitor();
    await page.goto(world.origin);
    const anonymous = await page.evaluate("window.aa.getIdentity().anonymousId");
    const request = page.waitForRequest(/partner\.example\.org/);
    await page.click("#partner", { noWaitAfter: true });
    expect((await request).url()).toBe(`http://partner.example.org/shop?x=1&_aa=${anonymous}`);
    await context.close();
  }, 30_000);

  test("an experiment: forced by the address, told once, never shown as markup", async () => {
    const { page, context, problems } = await world.visitor();
    await page.route("**/experiments/config*", (route) =>
      route.fulfill({
        headers: { "access-control-allow-origin": "*" },
        json: {
          experiments: [
            {
              key: "headline",
              variants: [
                { key: "control", weight: 100 },
                { key: "clear", weight: 0 },
              ],
            },
          ],
        },
      }),
    );
    await page.goto(`${world.origin}/experiment`);
    await page.waitForFunction(`!document.documentElement.classList.contains("aa-loading")`);
    expect(await page.textContent("h1")).toBe("Analytics");
    await page.goto(`${world.origin}/experiment?aa_variant_headline=clear`);
    await page.waitForFunction(
      `document.querySelector("h1").textContent === "Numbers you can trust"`,
    );
    expect(await page.textContent("p")).toBe("Every visit counted once.");
    await page.goto("about:blank");
    const exposures = named(await world.events(0), "$experiment_exposure");
    await Bun.sleep(200);
    expect(
      named(await world.events(0), "$experiment_exposure")
        .slice(-2)
        .map(({ properties }) => [properties.variant, properties.forced]),
    ).toEqual([
      ["control", undefined],
      ["clear", true],
    ]);
    expect(exposures.length).toBeLessThanOrEqual(2);
    expect(problems).toEqual([]);
    await context.close();
  }, 30_000);

  test("the start takes less than 3 ms of the page's main thread", async () => {
    const { page, context } = await world.visitor();
    await page.goto(`${world.origin}/strict`);
    const script = await (await fetch(`${world.server.url}/tracker.js`)).text();
    const times: number[] = [];
    for (let round = 0; round < 15; round++) {
      await page.goto(`${world.origin}/consent`);
      times.push(
        await page.evaluate<number>(`(() => {
        delete window.aa;
        const run = new Function(${JSON.stringify(script)});
        const currentScript = document.querySelector("script[data-token]");
        Object.defineProperty(document, "currentScript", { value: currentScript, configurable: true });
        const startedMs = performance.now();
        run();
        return performance.now() - startedMs;
      })()`),
      );
    }
    const median = times.sort((a, b) => a - b)[7] ?? Number.NaN;
    expect(median).toBeLessThan(3);
    await context.close();
  }, 60_000);
});
