import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  looked,
  named,
  openTrackedSite,
  type StoredEvent,
  sentBy,
  type TrackedSite,
} from "../support/browser/tracked-site";
import { untilInPage } from "../support/browser/until-in-page";
import { eventually } from "../support/suite/eventually";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Sets the clock of a page, before its scripts. */
const clockAhead = (ms: number): string => `{
  const Real = Date;
  Date = class extends Real {
    constructor(...given) { if (given.length) super(...given); else super(Real.now() + ${ms}); }
    static now() { return Real.now() + ${ms}; }
  };
}`;
const sleep = (ms: number): string => `new Promise((done) => setTimeout(done, ${ms}))`;
const texts = (events: readonly StoredEvent[], key: string): unknown[] =>
  events.map(({ properties }) => properties[key]);

describe("visits that were not counted once, in a real browser", () => {
  let world: TrackedSite;
  beforeAll(async () => {
    world = await openTrackedSite("visits");
  });
  afterAll(() => world.close());

  for (const [what, ms] of [
    ["7 minutes ahead", 7 * minuteMs],
    ["a day ahead", dayMs],
    ["40 days behind", -40 * dayMs],
    ["2 hours behind", -120 * minuteMs],
  ] as const) {
    test(`a visitor whose clock is ${what}: events are stored when they happened`, async () => {
      const { page, context, problems } = await world.visitor();
      await page.addInitScript(clockAhead(ms));
      const beganMs = Date.now();
      await page.goto(`${world.origin}/spa`);
      expect(Math.abs(Number(await page.evaluate("Date.now()")) - Date.now() - ms)).toBeLessThan(
        minuteMs,
      );
      const visitor = await page.evaluate("window.aa.getIdentity().anonymousId");
      await page.evaluate(sleep(1_500));
      await page.evaluate(`window.aa.track("later")`);
      await page.goto("about:blank");
      const endedMs = Date.now();
      await eventually(async () => {
        const sent = (await world.settled()).filter(({ user_id }) => user_id === visitor);
        const [view, later] = [named(sent, "page_view")[0], named(sent, "later")[0]];
        expect(view?.timestamp).toBeGreaterThanOrEqual(beganMs);
        expect(later?.timestamp).toBeLessThanOrEqual(endedMs + 1_000);
        expect(Number(later?.timestamp) - Number(view?.timestamp)).toBeGreaterThanOrEqual(1_400);
      });
      expect(problems).toEqual([]);
      await context.close();
    });
  }

  test("long Georgian titles, read one after another, and a link with a long campaign", async () => {
    const long = encodeURIComponent("\u10d0".repeat(600));
    const query = `utm_source=${long}&UTM_Campaign=${long}`;
    const sentNow = await sentBy(world, `/georgian?${query}`, async (page) => {
      await page.goto(`${world.origin}/georgian`);
      await page.evaluate(looked);
      await page.evaluate(`window.aa.track("plain")`);
    });
    await eventually(async () => {
      const sent = await sentNow();
      expect(named(sent, "page_view")).toHaveLength(2);
      expect(named(sent, "plain")).toHaveLength(1);
      for (const { properties } of sent) {
        expect(Buffer.byteLength(String(properties.title))).toBe(300);
        expect(properties.first_utm_source).toBe("\u10d0".repeat(66));
        expect(properties.utm_campaign).toBe("\u10d0".repeat(66));
      }
    });
  });

  test("routes by the Navigation API", async () => {
    const sentNow = await sentBy(world, "/", async (page) => {
      await page.evaluate(`navigation.addEventListener("navigate", (event) => {
        if (new URL(event.destination.url).pathname.startsWith("/app") || event.navigationType === "traverse")
          event.intercept({ handler: async () => { document.title = event.destination.url.slice(-3) } });
      })`);
      await page.evaluate(`navigation.navigate("/app/one").finished.then(() => 0)`);
      await page.evaluate(looked);
      await page.evaluate(`navigation.navigate("/app/two").finished.then(() => 0)`);
      await page.evaluate(looked);
      await page.evaluate(`navigation.back().finished.then(() => 0)`);
      await page.evaluate(looked);
    });
    await eventually(async () => {
      const views = named(await sentNow(), "page_view");
      expect(texts(views, "path")).toEqual(["/", "/app/one", "/app/two", "/app/one"]);
      expect(texts(views, "title").slice(1)).toEqual(["one", "two", "one"]);
    });
  });

  test("a burst, and the page left three seconds later", async () => {
    const sentNow = await sentBy(world, "/spa", async (page) => {
      await page.evaluate(
        `for (let index = 0; index < 150; index++) window.aa.track("burst", { index, text: "x".repeat(400) })`,
      );
      await page.evaluate(sleep(3_000));
    });
    await eventually(async () => expect(named(await sentNow(), "burst")).toHaveLength(150));
  });

  test("a script that is a module", async () => {
    const sentNow = await sentBy(world, "/as-module", (page) => page.click("#sign-up"));
    await eventually(async () => {
      const sent = await sentNow();
      expect(named(sent, "page_view")).toHaveLength(1);
      expect(named(sent, "sign_up")).toHaveLength(1);
    });
  });

  test("a page with an old library that says how lists and texts are written", async () => {
    const newcomers = await world.newcomers();
    const { page, context } = await world.visitor();
    await page.addInitScript(`
      for (const { prototype } of [Array, String, Date])
        prototype.toJSON = function () { return '"' + this + '"' };
      addEventListener("load", () => {
        aa.track("old", { list: ["a", { b: "c" }], when: new Date(0) });
        setTimeout(() => { location.href = "about:blank" }, 1000);
      });`);
    await page.goto(`${world.origin}/spa`);
    await eventually(async () => {
      const [old] = named(await newcomers(), "old");
      expect(old?.properties).toMatchObject({
        list: ["a", { b: "c" }],
        when: "1970-01-01T00:00:00.000Z",
        path: "/spa",
      });
    });
    await context.close();
  });

  test("the first page has the title that its script gives it", async () => {
    const { page, context } = await world.visitor();
    await page.goto(`${world.origin}/spa`);
    const visitor = await page.evaluate("window.aa.getIdentity().anonymousId");
    await page.evaluate(sleep(1_000));
    await page.evaluate(`document.title = "Set later"`);
    await page.goto("about:blank");
    await eventually(async () => {
      const [view] = (await world.settled()).filter(({ user_id }) => user_id === visitor);
      expect(view?.properties).toMatchObject({ title: "Set later", page: "Set later" });
    });
    await context.close();
  });

  /** The installation snippet of a search provider. */
  const snippet = `window.aa = window.aa || function () {
    (window.aa.queue = window.aa.queue || []).push(arguments);
  };`;
  const library = `window.searched = [];
    for (const given of window.aa.queue || []) window.searched.push([...given]);
    (window.aa.queue = window.aa.queue || []).push = (given) => window.searched.push([...given]);`;
  for (const isBefore of [true, false]) {
    test(`a search library called aa, ${isBefore ? "before" : "after"} the tracker`, async () => {
      const { page, context, problems } = await world.visitor();
      if (isBefore) await page.addInitScript(`${snippet} aa("init", 1);`);
      await page.goto(`${world.origin}/spa`);
      await untilInPage(page, "window.sightline");
      if (!isBefore) await page.evaluate(`${snippet} aa("init", 1); 0`);
      await page.evaluate(`${library} 0`);
      await page.evaluate(`aa("clicked", 2); aa.track("ours"); sightline.track("ours"); 0`);
      expect(await page.evaluate("window.searched")).toEqual([
        ["init", 1],
        ["clicked", 2],
      ]);
      const visitor = await page.evaluate("window.sightline.getIdentity().anonymousId");
      await page.goto("about:blank");
      await eventually(async () => {
        const sent = (await world.settled()).filter(({ user_id }) => user_id === visitor);
        expect(named(sent, "ours")).toHaveLength(2);
        expect(named(sent, "page_view")).toHaveLength(1);
      });
      expect(problems).toEqual([]);
      await context.close();
    });
  }
});
