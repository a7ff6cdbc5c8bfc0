import { describe, expect, test } from "bun:test";
import { define } from "../test/support/browser/tracker-globals";
import { Meter, measure } from "../test/support/browser/tracker-meter";
import { openPage, type PageOptions, type TrackerPage } from "../test/support/browser/tracker-page";

const attributes = {
  "data-heartbeat": "15",
  "data-link-domains": "example.net",
  ...Object.fromEntries(
    [
      "outgoing",
      "clicks",
      "downloads",
      "forms",
      "404",
      "errors",
      "performance",
      "vitals",
      "scroll-depth",
    ].map((name) => [`data-track-${name}`, "true"]),
  ),
};
const html = `
  <p data-aa-impression="x"></p><h1 data-aa-experiment="hero" data-aa-variant-a="A">x</h1>
  <a id="link" href="https://shop.example.net/a.pdf">x</a><button id="button" data-aa-event="go">x</button>
  <form></form>`;

/** Uses everything there is, as a page would; returns the errors that the page saw. */
async function use(options: PageOptions): Promise<TrackerPage> {
  const rejections: unknown[] = [];
  const reject = (reason: unknown): void => void rejections.push(reason);
  process.on("unhandledRejection", reject);
  const page = openPage({
    url: "https://shop.example.com/?utm_source=a&_aa=anon_other",
    html,
    attributes,
    ...options,
    globals: { PerformanceObserver: Meter, ...options.globals },
  });
  const { api } = page;
  const calls = [
    () => api.track("a", { b: 1 }),
    () => api.page(),
    () => api.identify("user-1", { email: "a@example.com" }),
    () => api.set({ plan: "pro" }),
    () => api.experiment("hero", ["a", "b"]),
    () => page.click("#link"),
    () => page.click("#button"),
    () => page.fire(page.document.querySelector("form"), "submit"),
    () => page.fire(page.window, "error", { message: "a", filename: "b", lineno: 1, colno: 1 }),
    () => page.fire(page.window, "unhandledrejection", { reason: null }),
    () => page.fire(page.window, "scroll"),
    () => measure("navigation", { loadEventEnd: 1 }),
    () => measure("layout-shift", { startTime: 1, value: 1 }),
    () => page.window.history.pushState({}, "", "/next"),
    () => page.fire(page.window, "popstate"),
    () => api.requireConsent(),
    () => api.grantConsent(),
    () => api.revokeConsent(),
    () => api.grantConsent(),
    () => api.getIdentity(),
    () => api.reset(),
    () => api.track("b"),
  ];
  for (const call of calls) {
    try {
      call();
    } catch (error) {
      page.thrown.push(error);
    }
  }
  await page.wait(60_000);
  page.unload();
  await page.wait(60_000);
  api.optOut();
  api.optIn();
  await page.wait(60_000);
  process.off("unhandledRejection", reject);
  expect([...page.thrown, ...rejections]).toEqual([]);
  return page;
}

const broken = (): never => {
  throw new Error("this browser API is broken");
};
/** It throws at every access. */
const hostile: object = new Proxy(broken as object, {
  get: broken,
  set: broken,
  apply: broken,
  construct: broken,
  has: broken,
});

/** Defines a property on the elements themselves, as prototypes are shared with the pages of other tests. */
function defineOnAll(document: TrackerPage["document"], name: string, value: unknown): void {
  for (const element of document.querySelectorAll("a,button,p")) define(element, name, value);
}

/** Globals that a page, an extension or an old browser may have taken away or broken. */
const globals = [
  "localStorage",
  "sessionStorage",
  "fetch",
  "Blob",
  "URL",
  "URLSearchParams",
  "Intl",
  "screen",
  "history",
  "performance",
  "PerformanceObserver",
  "IntersectionObserver",
  "MutationObserver",
  "WeakSet",
  "CustomEvent",
  "console",
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "addEventListener",
  "encodeURIComponent",
  "escape",
  "Map",
  "Promise",
  "navigator",
  "location",
  "document",
  "scrollY",
  "innerHeight",
];

describe("a global that is missing or broken", () => {
  for (const name of globals) {
    test(`${name} is missing: the page sees no error`, () =>
      use({ globals: { [name]: undefined } }));
    test(`${name} throws: the page sees no error`, () => use({ globals: { [name]: hostile } }));
  }
});

describe("a part of the browser that is missing or broken", () => {
  const parts: readonly (readonly [
    name: string,
    damage: (page: TrackerPage, value: unknown) => void,
  ])[] = [
    ["navigator.sendBeacon", ({ window }, value) => define(window.navigator, "sendBeacon", value)],
    [
      "navigator.userAgentData",
      ({ window }, value) => define(window.navigator, "userAgentData", value),
    ],
    ["navigator.userAgent", ({ window }, value) => define(window.navigator, "userAgent", value)],
    ["navigator.language", ({ window }, value) => define(window.navigator, "language", value)],
    ["history.pushState", ({ window }, value) => define(window.history, "pushState", value)],
    ["history.replaceState", ({ window }, value) => define(window.history, "replaceState", value)],
    ["document.title", ({ document }, value) => define(document, "title", value)],
    ["document.referrer", ({ document }, value) => define(document, "referrer", value)],
    ["document.baseURI", ({ document }, value) => define(document, "baseURI", value)],
    [
      "document.querySelectorAll",
      ({ document }, value) => define(document, "querySelectorAll", value),
    ],
    ["document.querySelector", ({ document }, value) => define(document, "querySelector", value)],
    [
      "document.documentElement",
      ({ document }, value) => define(document, "documentElement", value),
    ],
    ["document.currentScript", ({ document }, value) => define(document, "currentScript", value)],
    ["Element.closest", ({ document }, value) => defineOnAll(document, "closest", value)],
  ];
  for (const [name, damage] of parts) {
    for (const [how, value] of [
      ["missing", undefined],
      ["null", null],
      ["broken", hostile],
    ] as const) {
      test(`${name} is ${how}`, async () => {
        const own = /pushState|replaceState|querySelector$/.test(name);
        const errors = await use({ prepare: (page) => damage(page, value) }).catch(
          (error) => error,
        );
        // What the page itself calls and is broken, is the page's own error.
        if (!own && errors instanceof Error) throw errors;
      });
    }
  }
});

describe("what still works without", () => {
  for (const name of [
    "localStorage",
    "sessionStorage",
    "Intl",
    "screen",
    "history",
    "performance",
    "PerformanceObserver",
    "IntersectionObserver",
    "CustomEvent",
    "setInterval",
  ]) {
    test(`${name}: page views are counted`, async () => {
      for (const value of [undefined, hostile]) {
        const page = openPage({ globals: { [name]: value }, attributes });
        expect((await page.events()).map(({ event }) => event)).toContain("page_view");
      }
    });
  }

  test("any global that is newer than 2019", async () => {
    const newer = [
      "structuredClone",
      "queueMicrotask",
      "WeakRef",
      "FinalizationRegistry",
      "AggregateError",
      "BigInt",
      "crypto",
      "scheduler",
      "navigation",
      "trustedTypes",
      "globalThis",
      "reportError",
      "CompressionStream",
      "Iterator",
    ];
    const page = await use({ globals: Object.fromEntries(newer.map((name) => [name, undefined])) });
    const names = (sent: TrackerPage): string[] => sent.sentEvents().map(({ event }) => event);
    expect(names(page)).toEqual(names(await use({})));
    expect(names(page)).toContain("b");
  });
});
