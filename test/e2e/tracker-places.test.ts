import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openAlone, visitorAgent } from "../support/browser/chromium";
import { painted } from "../support/browser/page-structure";
import {
  looked,
  named,
  openTrackedSite,
  type StoredEvent,
  sentBy,
  type TrackedSite,
} from "../support/browser/tracked-site";
import { untilInPage } from "../support/browser/until-in-page";
import { ask, removeFolder, temporaryFolder } from "../support/server/server";
import { eventually } from "../support/suite/eventually";

const names = (events: readonly StoredEvent[]): string[] => events.map(({ event }) => event);

describe("routes, consent, frames, domains and experiments in a real browser", () => {
  let world: TrackedSite;
  beforeAll(async () => {
    world = await openTrackedSite("places");
  });
  afterAll(() => world.close());

  test("a single-page site: each route is a page with its own title and impression", async () => {
    const sentNow = await sentBy(world, "/spa", async (page) => {
      await page.evaluate(looked);
      await page.click("text=Pricing");
      await page.evaluate(looked);
      await page.click("text=Docs");
      await page.waitForURL("**/spa/docs*");
      await page.goBack();
      await page.waitForURL("**/spa/pricing");
      await page.click("text=A part of this page");
      await page.evaluate(painted);
    });
    await eventually(async () => {
      const sent = await sentNow();
      const views = named(sent, "page_view").map(({ properties }) => properties.path);
      expect(views).toEqual(["/spa", "/spa/pricing", "/spa/docs", "/spa/pricing", "/spa/pricing"]);
      expect(named(sent, "$scroll_depth").map(({ properties }) => properties.path)).toEqual(views);
      expect(named(sent, "page_view")[1]?.properties).toMatchObject({
        title: "Pricing",
        page: "Pricing",
      });
      expect(named(sent, "$impression")[1]?.properties).toMatchObject({
        name: "pricing",
        path: "/spa/pricing",
      });
    });
  });

  test("the back-forward cache: the same page coming back is a page view", async () => {
    const newcomers = await world.newcomers();
    const profile = temporaryFolder();
    const alone = openAlone(world.hosts, `${world.origin}/away`, profile);
    const events = await eventually(async () => {
      const told = await newcomers();
      expect(named(told, "page_view").map(({ properties }) => properties.path)).toEqual([
        "/away",
        "/away",
      ]);
      return told;
    });
    alone.kill("SIGKILL");
    await alone.exited;
    removeFolder(profile);
    // It was not loaded a second time: what came back is the page as it was left.
    expect(world.site.asked.filter((path) => path === "/away")).toHaveLength(1);
    expect(new Set(events.map(({ user_id }) => user_id)).size).toBe(1);
  });

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
    const newcomers = await world.newcomers();
    await page.click("#yes");
    await untilInPage(page, `document.querySelector("#state").textContent === "granted"`);
    await eventually(async () =>
      expect(names(await newcomers()).slice(0, 3)).toEqual(["page_view", "early", "$consent"]),
    );
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("under a strict content security policy, also inside a frame", async () => {
    const strictNow = await sentBy(
      world,
      "/strict",
      () => Promise.resolve(),
      /inline style|favicon/,
    );
    await eventually(async () => {
      const strict = await strictNow();
      expect(names(strict)).toContain("page_view");
    });
    const framedNow = await sentBy(world, "/frame", () => Bun.sleep(300), /inline style|favicon/);
    await eventually(async () => {
      const framed = await framedNow();
      expect(named(framed, "page_view").map(({ properties }) => properties.path)).toEqual([
        "/strict",
      ]);
    });
  });

  test("a link to a partner's domain carries the anonymous id", async () => {
    const { page, context } = await world.visitor();
    await page.goto(world.origin);
    const anonymous = await page.evaluate("window.aa.getIdentity().anonymousId");
    const request = page.waitForRequest(/partner\.example\.org/);
    await page.click("#partner", { noWaitAfter: true });
    expect((await request).url()).toBe(`http://partner.example.org/shop?x=1&_aa=${anonymous}`);
    await context.close();
  });

  test("an id that arrives is taken out of the address bar, and linked to the local one", async () => {
    const sentNow = await sentBy(world, "/?_aa=anon_from_elsewhere&x=1", async (page) => {
      expect(await page.evaluate("location.search")).toBe("?x=1");
      await page.evaluate(looked);
    });
    await eventually(async () => {
      const sent = await sentNow();
      const [view] = named(sent, "page_view");
      const { matched_user_ids: ids } = await world.read<{ matched_user_ids: string[] }>(
        `/journey?project=places&user_id=anon_from_elsewhere`,
      );
      expect(ids).toEqual([String(view?.user_id)]);
      expect(JSON.stringify(sent)).not.toContain("anon_from_elsewhere");
    });
  });

  test("a network that fails for a while: all arrives, and once", async () => {
    const { page, context } = await world.visitor();
    let requests = 0;
    await page.route(/\/track(\/batch)?$/, async (route) => {
      requests++;
      // The first does not get there; of the second only the answer is lost.
      if (requests === 1) return route.abort();
      if (requests === 2) {
        const request = route.request();
        const { pathname } = new URL(request.url());
        const headers = { Origin: world.origin, "User-Agent": visitorAgent };
        const arrived = await ask(
          world.server.url,
          "POST",
          pathname,
          headers,
          request.postDataJSON(),
        );
        expect(arrived.status).toBe(202);
        return route.abort();
      }
      return route.continue();
    });
    const stored = page.waitForResponse(
      (answer) => answer.url().includes("/track/") && answer.ok(),
    );
    await page.goto(`${world.origin}/spa`);
    const visitor = await page.evaluate("window.aa.getIdentity().anonymousId");
    await page.evaluate(`window.aa.track("patient")`);
    await stored;
    await page.goto("about:blank");
    expect(requests).toBeGreaterThanOrEqual(3);
    await eventually(async () => {
      const sent = (await world.settled()).filter(({ user_id }) => user_id === visitor);
      expect(named(sent, "patient")).toHaveLength(1);
      expect(named(sent, "page_view")).toHaveLength(1);
    });
    await context.close();
  });

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
    await untilInPage(page, `!document.documentElement.classList.contains("aa-loading")`);
    await eventually(async () => expect(await page.textContent("h1")).toBe("Analytics"));
    await page.goto(`${world.origin}/experiment?aa_variant_headline=clear`);
    await untilInPage(page, `document.querySelector("h1").textContent === "Numbers you can trust"`);
    await eventually(async () =>
      expect(await page.textContent("p")).toBe("Every visit counted once."),
    );
    await page.goto("about:blank");
    await eventually(async () => {
      const exposures = named(await world.settled(), "$experiment_exposure");
      expect(exposures.map(({ properties }) => [properties.variant, properties.forced])).toEqual([
        ["control", undefined],
        ["clear", true],
      ]);
    });
    expect(problems).toEqual([]);
    await context.close();
  });
});
