import { describe, expect, test } from "bun:test";
import { define } from "../test/support/browser/tracker-globals";
import { Meter, measure } from "../test/support/browser/tracker-meter";
import { openPage, type PageOptions, type TrackerPage } from "../test/support/browser/tracker-page";

const shift = (startTime: number, value: number, hadRecentInput = false) => ({
  startTime,
  value,
  hadRecentInput,
});
const pages = { "data-track-vitals": "true", "data-track-scroll-depth": "true" };

describe("$web_vitals", () => {
  const options: PageOptions = {
    attributes: { "data-track-vitals": "true" },
    globals: { PerformanceObserver: Meter },
    prepare: ({ window }) => define(window, "LayoutShift", Meter),
  };
  const vitals = async (page: TrackerPage): Promise<unknown[]> =>
    (await page.named("$web_vitals")).map(({ properties: { path, cwv_lcp, cwv_cls, cwv_inp } }) => [
      path,
      cwv_lcp,
      cwv_cls,
      cwv_inp,
    ]);

  test("the last largest paint, the worst burst of shifts, the slowest input", async () => {
    const page = openPage(options);
    measure("largest-contentful-paint", { startTime: 800.4 }, { startTime: 1_200.6 });
    measure(
      "layout-shift",
      shift(100, 0.1),
      shift(1_000, 0.05),
      shift(1_050, 0.5, true),
      shift(9_000, 0.12345),
    );
    measure("event", { interactionId: 1, duration: 40 }, { interactionId: 1, duration: 96.4 });
    measure("event", { interactionId: 0, duration: 900 }, { interactionId: 2, duration: 24 });
    page.hide();
    expect(await vitals(page)).toEqual([["/start", 1_201, 0.15, 96]]);
  });

  test("entries from before the script are asked for", () => {
    openPage(options);
    expect(Meter.all.slice(-3).map(({ options }) => options.buffered)).toEqual([true, true, true]);
  });

  test("a burst ends after a second of quiet, and after five seconds at the latest", async () => {
    const page = openPage(options);
    measure("layout-shift", shift(900, 0.1), shift(1_900, 0.1), shift(2_901, 0.1));
    expect((await page.named("$web_vitals")).length).toBe(0);
    measure(
      "layout-shift",
      ...Array.from({ length: 8 }, (_, index) => shift(10_000 + index * 900, 0.1)),
    );
    page.hide();
    // 10,000 to 15,000 holds six of the eight.
    expect(await vitals(page)).toEqual([["/start", undefined, 0.6, undefined]]);
  });

  test("one input in fifty may be slower", async () => {
    for (const [count, expected] of [
      [49, 1_049],
      [50, 1_049],
      [100, 1_098],
    ] as const) {
      const page = openPage(options);
      const entries = Array.from({ length: count }, (_, index) => ({
        interactionId: index + 1,
        duration: 1_001 + index,
      }));
      measure("event", ...entries);
      page.hide();
      expect(await vitals(page)).toEqual([["/start", undefined, 0, expected]]);
    }
  });

  test("once per page, and of each route its own", async () => {
    const page = openPage(options);
    measure("largest-contentful-paint", { startTime: 800 });
    page.hide();
    page.show();
    page.unload();
    page.show();
    page.window.history.pushState({}, "", "/next");
    measure("layout-shift", shift(20_000, 0.2));
    page.window.history.pushState({}, "", "/third");
    page.unload();
    expect(await vitals(page)).toEqual([
      ["/start", 800, 0, undefined],
      ["/next", undefined, 0.2, undefined],
      ["/third", undefined, 0, undefined],
    ]);
  });

  test("a browser that sees no shifts does not claim that there were none", async () => {
    const page = openPage({ ...options, prepare: () => undefined });
    measure("largest-contentful-paint", { startTime: 800 });
    page.hide();
    expect(await vitals(page)).toEqual([["/start", 800, undefined, undefined]]);
  });

  test("off until its attribute is true", async () => {
    const off = openPage({ ...options, attributes: {} });
    measure("largest-contentful-paint", { startTime: 800 });
    off.hide();
    expect(await vitals(off)).toEqual([]);
  });
});

describe("$scroll_depth", () => {
  const options: PageOptions = {
    attributes: { "data-track-scroll-depth": "true" },
    prepare: ({ document }) => define(document.documentElement, "scrollHeight", 4_000),
  };
  const scrollTo = (page: TrackerPage, px: number): void => {
    page.globals.scrollY = px;
    page.fire(page.window, "scroll");
  };
  const depths = async (page: TrackerPage): Promise<unknown[]> =>
    (await page.named("$scroll_depth")).map(({ properties: { path, scroll_depth } }) => [
      path,
      scroll_depth,
    ]);

  test("the deepest point in sight, in percent of the document", async () => {
    const page = openPage(options);
    scrollTo(page, 1_200);
    scrollTo(page, 0);
    page.hide();
    expect(await depths(page)).toEqual([["/start", 50]]);
  });

  test("a page that nobody scrolled was seen as far as the window reaches", async () => {
    const page = openPage(options);
    page.hide();
    expect(await depths(page)).toEqual([["/start", 20]]);
  });

  test("never more than 100", async () => {
    const page = openPage(options);
    scrollTo(page, 99_000);
    page.hide();
    expect(await depths(page)).toEqual([["/start", 100]]);
  });

  test("once per page, and of each route its own", async () => {
    const page = openPage(options);
    scrollTo(page, 3_200);
    page.hide();
    page.show();
    page.hide();
    page.show();
    scrollTo(page, 0);
    page.window.history.pushState({}, "", "/next");
    page.unload();
    expect(await depths(page)).toEqual([
      ["/start", 100],
      ["/next", 20],
    ]);
  });

  test("off until its attribute is true", async () => {
    const page = openPage({ ...options, attributes: {} });
    page.hide();
    expect(await depths(page)).toEqual([]);
  });
});

describe("$time_on_page", () => {
  const every = (seconds: string): PageOptions => ({ attributes: { "data-heartbeat": seconds } });
  const times = async (page: TrackerPage): Promise<unknown[]> =>
    (await page.named("$time_on_page")).map(({ properties: { path, time_on_page } }) => [
      path,
      time_on_page,
    ]);

  test("visible seconds since the last report, in steps of the heartbeat", async () => {
    const page = openPage(every("20"));
    await page.wait(59_000);
    page.hide();
    await page.wait(600_000);
    page.show();
    await page.wait(21_000);
    page.hide();
    expect(await times(page)).toEqual([
      ["/start", 40],
      ["/start", 40],
    ]);
  });

  test("no step, no event", async () => {
    const page = openPage(every("15"));
    await page.wait(14_999);
    page.unload();
    expect(await times(page)).toEqual([]);
  });

  test("of each route its own", async () => {
    const page = openPage(every("15"));
    await page.wait(30_000);
    page.window.history.pushState({}, "", "/next");
    await page.wait(15_000);
    page.unload();
    expect(await times(page)).toEqual([
      ["/start", 30],
      ["/next", 15],
    ]);
  });

  test("less than 15 seconds is raised to 15, less than one or no number is off", async () => {
    for (const [seconds, expected] of [
      ["1", [["/start", 30]]],
      ["0.9", []],
      ["0", []],
      ["-20", []],
      ["often", []],
      ["", []],
    ] as const) {
      const page = openPage(every(seconds));
      await page.wait(44_000);
      page.unload();
      expect(await times(page)).toEqual(expected as unknown as unknown[]);
    }
  });
});

test("all reports of a page are sent before the page is gone", () => {
  const page = openPage({
    attributes: { ...pages, "data-heartbeat": "15" },
    globals: { PerformanceObserver: Meter },
  });
  measure("largest-contentful-paint", { startTime: 800 });
  page.unload();
  const sent = page.sentEvents().map(({ event }) => event);
  expect(sent).toEqual(["page_view", "$web_vitals", "$scroll_depth"]);
});
