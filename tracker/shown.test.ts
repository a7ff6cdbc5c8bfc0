import { describe, expect, test } from "bun:test";
import { define } from "../test/support/browser/tracker-globals";
import { Meter, measure } from "../test/support/browser/tracker-meter";
import { openPage, type PageOptions, type TrackerPage } from "../test/support/browser/tracker-page";

interface Beginning {
  readonly activationStart?: number;
  readonly states?: readonly (readonly [string, number])[];
  readonly isHidden?: boolean;
}

function open({ activationStart, states = [], isHidden = false }: Beginning): TrackerPage {
  const options: PageOptions = {
    attributes: { "data-track-vitals": "true", "data-track-performance": "true" },
    globals: {
      PerformanceObserver: Meter,
      performance: {
        getEntriesByType: (type: string) =>
          type === "navigation"
            ? [{ activationStart }]
            : states.map(([name, startTime]) => ({ name, startTime })),
      },
    },
    prepare: (page) => {
      define(page.window, "LayoutShift", Meter);
      if (isHidden) page.hide();
    },
  };
  return openPage(options);
}

/** Measures at a time, and leaves the page. */
async function vitalsAt(page: TrackerPage, startTime: number): Promise<unknown[]> {
  if (page.document.visibilityState === "hidden") page.show();
  measure("largest-contentful-paint", { startTime });
  measure("layout-shift", { startTime, value: 0.25, hadRecentInput: false });
  measure("event", { startTime, interactionId: 1, duration: 80 });
  page.hide();
  const [event] = await page.named("$web_vitals");
  const { cwv_lcp, cwv_cls, cwv_inp } = event?.properties ?? {};
  return [cwv_lcp, cwv_cls, cwv_inp];
}
const nothing = [undefined, undefined, undefined];

describe("vitals", () => {
  test("count from when a prerendered page was shown", async () => {
    const hiddenBefore = [
      ["hidden", 0],
      ["visible", 7_000.5],
    ] as const;
    const beginning = { activationStart: 7_000.5, states: hiddenBefore };
    expect(await vitalsAt(open(beginning), 7_956)).toEqual([956, 0.25, 80]);
    expect(await vitalsAt(open(beginning), 7_000.5)).toEqual([0, 0.25, 80]);
    expect(await vitalsAt(open(beginning), 6_999)).toEqual([undefined, 0, undefined]);
  });

  test("leave out what came after the page was first hidden, if that was before the script", async () => {
    const states = [
      ["visible", 0],
      ["hidden", 2_000],
      ["visible", 3_000],
      ["hidden", 9_000],
    ] as const;
    expect(await vitalsAt(open({ states }), 1_999)).toEqual([1_999, 0.25, 80]);
    expect(await vitalsAt(open({ states }), 2_000)).toEqual([undefined, 0, undefined]);
  });

  test("of a tab that was opened in the background are none", async () => {
    expect(await vitalsAt(open({ isHidden: true }), 5_000)).toEqual(nothing);
    const states = [
      ["hidden", 0],
      ["visible", 400],
    ] as const;
    expect(await vitalsAt(open({ states }), 5_000)).toEqual(nothing);
  });

  test("of the next route are those of a page in sight", async () => {
    const page = open({
      states: [
        ["hidden", 0],
        ["visible", 400],
      ],
    });
    page.window.history.pushState({}, "", "/next");
    measure("layout-shift", { startTime: 9_000, value: 0.5, hadRecentInput: false });
    page.hide();
    const [, next] = await page.named("$web_vitals");
    expect(next?.properties).toMatchObject({ path: "/next", cwv_cls: 0.5 });
  });
});

test("loading times of a prerendered page are those that somebody waited", async () => {
  const page = open({ activationStart: 500 });
  const loaded = { domainLookupStart: 1, domainLookupEnd: 3, connectStart: 3, connectEnd: 8 };
  measure("navigation", {
    ...loaded,
    ...{ responseStart: 180, domInteractive: 499, domComplete: 510.4, loadEventEnd: 700 },
  });
  const [event] = await page.named("$performance");
  expect(event?.properties).toMatchObject({
    ...{ perf_dns: 2, perf_tcp: 5, perf_ttfb: 0, perf_dom_interactive: 0 },
    ...{ perf_dom_complete: 10, perf_load: 200 },
  });
});
