import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { painted } from "../support/browser/page-structure";
import {
  looked,
  named,
  openTrackedSite,
  sentBy,
  type TrackedSite,
} from "../support/browser/tracked-site";
import { eventually } from "../support/suite/eventually";

/** What the page was to do at once it has done by then. */
const later = "new Promise((done) => setTimeout(done, 100))";

describe("each kind of event in a real browser", () => {
  let world: TrackedSite;
  beforeAll(async () => {
    world = await openTrackedSite("kinds");
  });
  afterAll(() => world.close());

  test("clicks on links, buttons and downloads", async () => {
    const sentNow = await sentBy(world, "/", async (page) => {
      await page.evaluate(`addEventListener("click", (event) => event.preventDefault())`);
      for (const id of ["#other", "#inside", "#outside", "#download"]) await page.click(id);
    });
    await eventually(async () => {
      const sent = await sentNow();
      expect(
        named(sent, "$click").map(({ properties }) => [properties.tag, properties.id]),
      ).toEqual([
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
    });
  });

  test("a form: only when it is valid, and nothing of what is in it", async () => {
    const sentNow = await sentBy(world, "/", async (page) => {
      await page.click("#send");
      await page.fill("[name=message]", "a private message");
      await page.click("#send");
      await page.waitForURL("**/thanks*");
    });
    await eventually(async () => {
      const sent = await sentNow();
      expect(named(sent, "$form_submit").map(({ properties }) => properties.action)).toEqual([
        `${world.origin}/thanks`,
      ]);
      expect(JSON.stringify(sent)).not.toMatch(/private|from=form/);
    });
  });

  test("an uncaught error and a rejection", async () => {
    const sentNow = await sentBy(
      world,
      "/",
      async (page) => {
        await page.evaluate(`setTimeout(() => { throw new Error("broken: token=s3cr3t") })`);
        await page.evaluate(
          `setTimeout(() => Promise.reject(new Error("refused by ada@example.com")))`,
        );
        await page.evaluate(later);
      },
      /broken|refused/,
    );
    await eventually(async () => {
      const sent = await sentNow();
      const messages = named(sent, "$error").map(({ properties }) => properties.message);
      expect(messages).toEqual(["Uncaught Error: broken: [redacted]", "refused by [redacted]"]);
    });
  });

  test("a missing page, by its status", async () => {
    const sentNow = await sentBy(world, "/nowhere", () => Promise.resolve(), /404/);
    await eventually(async () => {
      const sent = await sentNow();
      expect(named(sent, "$404").map(({ properties }) => properties)).toEqual([
        expect.objectContaining({ path: "/nowhere", title: "Not here" }),
      ]);
    });
  });

  test("a missing page, by what it says of itself", async () => {
    const sentNow = await sentBy(world, "/says-missing", () => Promise.resolve());
    await eventually(async () => {
      const sent = await sentNow();
      expect(named(sent, "$404").map(({ properties }) => properties.path)).toEqual([
        "/says-missing",
      ]);
    });
  });

  test("a page view by hand, with values for all later events", async () => {
    const sentNow = await sentBy(world, "/", async (page) => {
      await page.evaluate(`window.aa.set({ plan: "pro", seat: 3 })`);
      await page.evaluate(`window.aa.page("Step two")`);
      await page.evaluate(`window.aa.set({ seat: null })`);
      await page.evaluate(`window.aa.track("done")`);
    });
    await eventually(async () => {
      const sent = await sentNow();
      expect(named(sent, "page_view").map(({ properties }) => properties.page)).toEqual([
        "A plain site",
        "Step two",
      ]);
      expect(named(sent, "page_view")[1]?.properties).toMatchObject({
        plan: "pro",
        seat: 3,
        path: "/",
      });
      const [done] = named(sent, "done");
      expect(done?.properties).toMatchObject({ plan: "pro" });
      expect(done?.properties).not.toHaveProperty("seat");
    });
  });

  test("seconds in sight, in steps of the heartbeat", async () => {
    const seconds = `new Promise((done) => { let ticks = 0; setInterval(() => ++ticks === 16 && done(), 1000); })`;
    const sentNow = await sentBy(world, "/", (page) => page.evaluate(seconds));
    await eventually(async () => {
      const sent = await sentNow();
      expect(named(sent, "$time_on_page").map(({ properties }) => properties)).toEqual([
        expect.objectContaining({ path: "/", time_on_page: 15 }),
      ]);
    });
  });

  test("routes, where others patch the history before and after the tracker", async () => {
    const sentNow = await sentBy(world, "/patched", async (page) => {
      await page.evaluate(`history.pushState({ mine: 1 }, "", "/patched/inside?step=2")`);
      expect(await page.evaluate("window.patched")).toEqual(["after", "before"]);
      expect(await page.evaluate("history.state")).toEqual({ mine: 1 });
    });
    await eventually(async () => {
      const sent = await sentNow();
      expect(named(sent, "page_view").map(({ properties }) => properties.path)).toEqual([
        "/patched",
        "/patched/inside",
      ]);
    });
  });

  test("scrolling to the end, with what comes into sight there", async () => {
    const sentNow = await sentBy(world, "/", async (page) => {
      await page.evaluate(looked);
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      await page.evaluate(painted);
    });
    await eventually(async () => {
      const sent = await sentNow();
      expect(named(sent, "$scroll_depth")[0]?.properties.scroll_depth).toBe(100);
      expect(named(sent, "$impression").map(({ properties }) => properties.name)).toEqual([
        "Intro",
        "End",
      ]);
    });
  });
});
