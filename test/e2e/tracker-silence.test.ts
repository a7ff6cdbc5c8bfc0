import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openAlone } from "../support/browser/chromium";
import {
  named,
  openTrackedSite,
  type StoredEvent,
  sentBy,
  type TrackedSite,
} from "../support/browser/tracked-site";
import { untilInPage } from "../support/browser/until-in-page";
import { removeFolder, temporaryFolder } from "../support/server/server";
import { eventually } from "../support/suite/eventually";

/** Long enough for a page view to go out, were there one. Tests that wait for it do so at the same time. */
const quietMs = 6_000;

describe("where the tracker is silent, in a real browser", () => {
  let world: TrackedSite;
  beforeAll(async () => {
    world = await openTrackedSite("silent");
  });
  afterAll(() => world.close());

  interface Visit {
    /** Before the page's own scripts. */
    readonly init?: string;
    readonly origin?: string;
    act?(page: Page): Promise<unknown>;
  }
  /** What a page asked of the server, what it printed, and what it left in storage. */
  async function visit(path: string, { init, origin = world.origin, act }: Visit) {
    const { page, context, problems } = await world.visitor();
    if (init !== undefined) await page.addInitScript(init);
    const asked: string[] = [];
    const said: string[] = [];
    const { port } = new URL(world.base);
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.port === port) asked.push(url.pathname);
    });
    page.on("console", (message) => said.push(message.text()));
    await page.goto(origin + path);
    await untilInPage(page, "window.aa");
    await act?.(page);
    await page.evaluate(`window.aa.track("called")`);
    const answers = await page.evaluate(
      `[window.aa.experiment("hero", ["a", "b"]), window.aa.getIdentity()]`,
    );
    await Bun.sleep(quietMs);
    const stored = await page.evaluate(
      "Object.keys(localStorage).concat(Object.keys(sessionStorage))",
    );
    await page.goto("about:blank");
    await context.close();
    expect(problems).toEqual([]);
    return { asked, said, stored, answers };
  }
  const nobody = [null, { anonymousId: null, userId: null, sessionId: null }];

  for (const host of ["localhost", "127.0.0.1"]) {
    test.concurrent(`dev mode on ${host}: calls are logged, nothing is sent or stored`, async () => {
      const origin = `http://${host}:${world.site.port}`;
      const { asked, said, stored, answers } = await visit("/", { origin });
      expect(asked).toEqual(["/tracker.js"]);
      expect(said).toContain("[aa-dev] track called");
      expect(stored).toEqual([]);
      expect(answers).toEqual(nobody);
    });
  }

  test.concurrent("Do Not Track, where the site honors it: storage is not touched", async () => {
    const init = `
      Object.defineProperty(Navigator.prototype, "doNotTrack", { get: () => "1" });
      window.touched = 0;
      for (const name of ["getItem", "setItem", "removeItem"]) {
        const original = Storage.prototype[name];
        Storage.prototype[name] = function (...given) { window.touched++; return original.apply(this, given); };
      }`;
    let touched: unknown;
    const { asked, stored, answers } = await visit("/do-not-track", {
      init,
      act: async (page) => {
        touched = await page.evaluate("window.touched");
      },
    });
    expect([asked, stored, answers, touched]).toEqual([["/tracker.js"], [], nobody, 0]);
    const sentNow = await sentBy(world, "/do-not-track", () => Promise.resolve());
    await eventually(async () => {
      const sent = await sentNow();
      expect(named(sent, "page_view")).toHaveLength(1);
    });
  });

  test.concurrent("the flag aa_disabled, and an opt-out, which lasts until it is taken back", async () => {
    const init = `if (location.protocol === "http:") localStorage.setItem("aa_disabled", "true")`;
    const flagged = await visit("/", { init });
    expect([flagged.asked, flagged.stored, flagged.answers]).toEqual([
      ["/tracker.js"],
      ["aa_disabled"],
      nobody,
    ]);
    const left = await visit("/", {
      act: async (page) => {
        await page.evaluate("window.aa.optOut()");
        await page.reload();
        await untilInPage(page, "window.aa");
      },
    });
    expect(left.asked.filter((path) => path.startsWith("/track/") || path === "/track")).toEqual(
      [],
    );
    expect(left.answers).toEqual(nobody);
    const backNow = await sentBy(world, "/", async (page) => {
      await page.evaluate("window.aa.optOut()");
      await page.evaluate(`window.aa.track("unheard")`);
      await page.evaluate("window.aa.optIn()");
      await page.evaluate(`window.aa.track("heard")`);
    });
    await eventually(async () => {
      const back = await backNow();
      expect(named(back, "unheard")).toEqual([]);
      expect(named(back, "heard")).toHaveLength(1);
    });
  });

  test.concurrent("a start that fails, as that of a module whose tag has no token to be found by", async () => {
    const { asked, stored, answers } = await visit("/as-module-without-token", {});
    expect([asked, stored, answers]).toEqual([["/tracker.js"], [], nobody]);
  });

  test("a second copy on the page", async () => {
    const sentNow = await sentBy(world, "/twice", (page) => page.click("#sign-up"));
    await eventually(async () => {
      const sent = await sentNow();
      expect(named(sent, "page_view")).toHaveLength(1);
      expect(named(sent, "sign_up")).toHaveLength(1);
    });
  });

  test("a page that is prerendered, until somebody sees it", async () => {
    const newcomers = await world.newcomers();
    const profile = temporaryFolder();
    const alone = openAlone(world.hosts, `${world.origin}/prerenders`, profile);
    const viewOf = (events: readonly StoredEvent[], path: string): StoredEvent | undefined =>
      named(events, "page_view").find(({ properties }) => properties.path === path);
    const events = await eventually(async () => {
      const told = await newcomers();
      expect(viewOf(told, "/second")).toBeDefined();
      return told;
    });
    alone.kill("SIGKILL");
    await alone.exited;
    removeFolder(profile);
    // It was loaded once, in advance, and counted when it came into sight.
    expect(world.site.asked.filter((path) => path === "/second")).toHaveLength(1);
    const [first, second] = ["/prerenders", "/second"].map((path) => viewOf(events, path));
    expect((second?.timestamp ?? 0) - (first?.timestamp ?? 0)).toBeGreaterThan(6_000);
    expect(named(events, "page_view")).toHaveLength(2);
  });

  test("a prerendered page is as quick as it was to who saw it", async () => {
    const newcomers = await world.newcomers();
    const profile = temporaryFolder();
    const alone = openAlone(world.hosts, `${world.origin}/prerenders-one-to-leave`, profile);
    const vitals = await eventually(async () => {
      const told = named(await newcomers(), "$web_vitals");
      const left = told.find(({ properties }) => properties.path === "/leaves");
      expect(left).toBeDefined();
      return left;
    });
    alone.kill("SIGKILL");
    await alone.exited;
    removeFolder(profile);
    expect(world.site.asked.filter((path) => path === "/leaves")).toHaveLength(1);
    expect(vitals?.properties.cwv_lcp).toBeGreaterThanOrEqual(0);
    // It was loaded seven seconds before it was shown.
    expect(vitals?.properties.cwv_lcp).toBeLessThan(4_000);
  });

  test("without a token: events are refused, and the page sees nothing of it", async () => {
    const { page, context, problems } = await world.visitor();
    const refused = page.waitForResponse(/\/track(\/batch)?$/);
    await page.goto(`${world.origin}/without-token`);
    expect((await refused).status()).toBe(401);
    expect(await page.evaluate(`window.aa.experiment("hero", ["a"])`)).toBe("a");
    await context.close();
    // The browser itself notes the status of a request that failed; nothing was thrown.
    expect(problems.filter((problem) => !problem.includes("401"))).toEqual([]);
    const paths = (await world.settled()).map(({ properties }) => properties.path);
    expect(paths).not.toContain("/without-token");
  });

  test("a sandboxed frame: without storage there is memory, and the page sees no error", async () => {
    const { page, context, problems } = await world.visitor();
    await page.goto(`${world.origin}/sandbox`);
    const frame = page.frames().at(-1) ?? page.mainFrame();
    await untilInPage(frame, "window.aa");
    const identity = () => frame.evaluate<unknown>("window.aa.getIdentity()");
    const first = await identity();
    expect(first).toMatchObject({
      anonymousId: expect.stringMatching(/^anon_/),
      sessionId: expect.stringMatching(/^sess_/),
    });
    await frame.evaluate(`window.aa.track("called")`);
    expect(await identity()).toEqual(first);
    await context.close();
    expect(problems).toEqual([]);
  });
});
