import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { named, openTrackedSite, sentBy, type TrackedSite } from "../support/tracked-site";

describe("each kind of event in a real browser", () => {
  let world: TrackedSite;
  beforeAll(async () => {
    world = await openTrackedSite("kinds");
  }, 30_000);
  afterAll(() => world.close());

  test("clicks on links, buttons and downloads", async () => {
    const sent = await sentBy(world, "/", async (page) => {
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
    const sent = await sentBy(world, "/", async (page) => {
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
      world,
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
    const sent = await sentBy(world, "/nowhere", () => Promise.resolve(), /404/);
    expect(named(sent, "$404")[0]?.properties).toMatchObject({
      path: "/nowhere",
      title: "Not here",
    });
  }, 30_000);

  test("scrolling to the end, with what comes into sight there", async () => {
    const sent = await sentBy(world, "/", async (page) => {
      await Bun.sleep(700);
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      await Bun.sleep(300);
    });
    expect(named(sent, "$scroll_depth")[0]?.properties.scroll_depth).toBe(100);
    expect(named(sent, "$impression").map(({ properties }) => properties.name)).toEqual([
      "Intro",
      "End",
    ]);
  }, 30_000);
});
