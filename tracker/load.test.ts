import { describe, expect, test } from "bun:test";
import { Meter, measure } from "../test/support/browser/tracker-meter";
import { openPage, type PageOptions } from "../test/support/browser/tracker-page";

describe("$404", () => {
  const attributes = { "data-track-404": "true" };
  const meta =
    (content: string): NonNullable<PageOptions["prepare"]> =>
    ({ document }) =>
      document.head.insertAdjacentHTML("beforeend", `<meta name="aa-status" content="${content}">`);

  test("the page says so", async () => {
    const page = openPage({
      attributes,
      prepare: meta("404"),
      url: "https://shop.example.com/lost?q=1",
      referrer: "https://shop.example.com/from?q=2",
      title: "Not here",
    });
    expect((await page.named("$404"))[0]?.properties).toMatchObject({
      path: "/lost",
      referrer: "https://shop.example.com/from",
      title: "Not here",
    });
  });

  test("the navigation says so", async () => {
    const page = openPage({ attributes, globals: { PerformanceObserver: Meter } });
    const missing = { responseStatus: 404 };
    measure("navigation", { ...missing, loadEventEnd: 0 });
    expect(await page.named("$404")).toHaveLength(1);
    measure("navigation", missing, missing);
    expect(await page.named("$404")).toHaveLength(1);
  });

  test("nobody says so, or nobody asks", async () => {
    const found = openPage({
      attributes,
      prepare: meta("200"),
      globals: { PerformanceObserver: Meter },
    });
    measure("navigation", { responseStatus: 200 });
    const unasked = openPage({ prepare: meta("404") });
    expect(await found.named("$404")).toEqual([]);
    expect(await unasked.named("$404")).toEqual([]);
  });
});

describe("$performance", () => {
  const entry = {
    domainLookupStart: 10.4,
    domainLookupEnd: 30.6,
    connectStart: 31,
    connectEnd: 61.4,
    responseStart: 180.4,
    domInteractive: 300.2,
    domComplete: 900.9,
    loadEventEnd: 910.1,
  };
  const options: PageOptions = {
    attributes: { "data-track-performance": "true" },
    globals: { PerformanceObserver: Meter },
  };

  test("when the browser tells that the page has loaded, in whole milliseconds", async () => {
    const page = openPage(options);
    expect(await page.named("$performance")).toEqual([]);
    measure("navigation", entry);
    const [event] = await page.named("$performance");
    expect(event?.properties).toMatchObject({
      path: "/start",
      perf_dns: 20,
      perf_tcp: 30,
      perf_ttfb: 180,
      perf_dom_interactive: 300,
      perf_dom_complete: 901,
      perf_load: 910,
    });
  });

  test("is told once, when it is complete: Chromium tells it unfinished, then finished twice", async () => {
    const page = openPage(options);
    measure("navigation", { ...entry, domComplete: 0, loadEventEnd: 0 });
    expect(await page.named("$performance")).toEqual([]);
    measure("navigation", entry, entry);
    measure("navigation", entry);
    const sent = await page.named("$performance");
    expect(sent.map(({ properties }) => properties.perf_load)).toEqual([910]);
  });

  test("is asked for also when that was before the script came", () => {
    openPage(options);
    expect(Meter.all.at(-1)?.options).toMatchObject({ type: "navigation", buffered: true });
  });

  test("off until its attribute is true", () => {
    const meters = Meter.all.length;
    openPage({ ...options, attributes: {} });
    expect(Meter.all).toHaveLength(meters);
  });

  test("a browser that measures nothing sends none", async () => {
    const page = openPage({ ...options, globals: { PerformanceObserver: undefined } });
    expect((await page.events()).map(({ event }) => event)).toEqual(["page_view"]);
    expect(page.thrown).toEqual([]);
  });
});
