import { describe, expect, test } from "bun:test";
import { define } from "../test/support/browser/tracker-globals";
import { Meter, measure } from "../test/support/browser/tracker-meter";
import {
  collector,
  openPage,
  type PageOptions,
  type TrackerPage,
  trackerScript,
} from "../test/support/browser/tracker-page";

const everything = Object.fromEntries(
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
);
const secrets = "s3cr3t";

const html = `
  <p data-aa-impression="offer" data-aa-impression-place="top">Visible ${secrets} text</p>
  <a id="link" href="https://other.example.org/file.pdf?q=${secrets}#${secrets}">Link ${secrets}</a>
  <button id="button" value="${secrets}">Button ${secrets}</button>
  <form action="/send?token=${secrets}"><input name="card" value="${secrets}">
    <textarea>${secrets}</textarea><select><option value="${secrets}" selected>${secrets}</option></select></form>
  <input id="email" type="email" value="ada@${secrets}.example.com">`;

/** A visit on which everything there is happens. */
async function visit(options: PageOptions = {}): Promise<TrackerPage> {
  const page = openPage({
    url: `https://shop.example.com/cart?utm_source=news&gclid=${secrets}&email=${secrets}#${secrets}`,
    referrer: `https://search.example.org/find?q=${secrets}#${secrets}`,
    html,
    attributes: { ...everything, "data-heartbeat": "15", "data-link-domains": "example.net" },
    ...options,
    globals: { PerformanceObserver: Meter, ...options.globals },
  });
  page.click("#link");
  page.click("#button");
  page.fire(page.document.querySelector("form"), "submit");
  page.fire(page.document.querySelector("#email"), "input");
  page.fire(page.window, "error", {
    message: `token=${secrets} at https://shop.example.com/?q=${secrets}`,
    filename: `https://shop.example.com/app.js?v=${secrets}`,
    lineno: 1,
    colno: 1,
  });
  measure("largest-contentful-paint", { startTime: 100 });
  await page.wait(16_000);
  page.window.history.pushState({}, "", `/next?session=${secrets}`);
  page.api.track("custom", { plan: "pro" });
  page.api.identify("user-1", { plan: "pro" });
  await page.wait(10_000);
  page.unload();
  return page;
}

describe("what leaves the page", () => {
  test("is no field value, no visible text, no query string but utm", async () => {
    const page = await visit();
    const names = new Set(page.sentEvents().map(({ event }) => event));
    expect([...names].sort()).toEqual([
      "$click",
      "$download",
      "$error",
      "$form_submit",
      "$scroll_depth",
      "$time_on_page",
      "$web_vitals",
      "custom",
      "outgoing_link",
      "page_view",
    ]);
    for (const { url, text } of page.requests) expect(`${url} ${text}`).not.toContain(secrets);
    expect(JSON.stringify(page.sentEvents())).toContain('"utm_source":"news"');
  });

  test("goes to the server of the script and nowhere else", async () => {
    const page = await visit();
    expect(new Set(page.requests.map(({ url }) => new URL(url).origin))).toEqual(
      new Set([collector]),
    );
    const paths = new Set(page.requests.map(({ path }) => path));
    expect([...paths].sort()).toEqual(["/experiments/config", "/identify", "/track/batch"]);
  });

  test("is no address, unless the site itself gives one to identify", async () => {
    const page = await visit();
    expect(JSON.stringify(page.requests.map(({ text }) => text))).not.toContain("@");
  });
});

describe("what the script does not touch", () => {
  test("cookies, and whatever writes or loads scripts", async () => {
    const touched: string[] = [];
    const page = await visit({
      globals: {
        eval: () => touched.push("eval"),
        Function: () => touched.push("Function"),
      },
      prepare: ({ document }) => {
        Object.defineProperty(document, "cookie", {
          get: () => touched.push("cookie read"),
          set: () => touched.push("cookie written"),
        });
        for (const name of ["write", "writeln", "createElement", "createElementNS"]) {
          define(document, name, () => touched.push(name));
        }
        for (const element of [document.head, document.body]) {
          for (const name of ["appendChild", "append", "insertBefore"]) {
            define(element, name, () => touched.push(name));
          }
        }
      },
    });
    expect(touched).toEqual([]);
    expect(page.thrown).toEqual([]);
    expect(page.document.querySelectorAll("script").length).toBe(0);
  });

  test("nothing that tells one device from another of its kind", async () => {
    const read: string[] = [];
    const page = await visit({
      prepare: ({ window }) => {
        for (const name of [
          "plugins",
          "mimeTypes",
          "hardwareConcurrency",
          "deviceMemory",
          "getBattery",
          "fonts",
        ]) {
          Object.defineProperty(window.navigator, name, { get: () => read.push(name) });
        }
      },
    });
    expect(read).toEqual([]);
    const apis =
      /Canvas|Audio|WebGL|FontFace|RTC|Bluetooth|Battery|Worker|XMLHttpRequest|WebSocket|EventSource/;
    expect([...page.globalsRead].filter((name) => apis.test(name))).toEqual([]);
  });

  test("timers get functions, never texts", async () => {
    const given = new Set<string>();
    const record = (work: unknown): number => {
      given.add(typeof work);
      return 1;
    };
    await visit({ globals: { setTimeout: record, setInterval: record } });
    expect([...given]).toEqual(["function"]);
  });

  test("every listener is passive, so that no input waits for it", async () => {
    const listening: unknown[] = [];
    await visit({
      globals: {
        addEventListener: (type: string, _: unknown, options: AddEventListenerOptions) =>
          listening.push([type, options.passive, options.capture]),
      },
    });
    expect(listening.length).toBeGreaterThan(8);
    expect(listening.filter((one) => !String(one).endsWith(",true,true"))).toEqual([]);
  });

  test("the script does not even name them", () => {
    for (const word of ["eval(", "Function", "cookie", ".write", "innerHTML", "insertAdjacent"]) {
      expect(trackerScript).not.toContain(word);
    }
    for (const word of ["createElement", "canvas", "import(", "textContent)", "innerText"]) {
      expect(trackerScript).not.toContain(word);
    }
  });
});

test("the script looks up these globals and no others", async () => {
  const page = await visit();
  const known = [
    "Array",
    "Blob",
    "Date",
    "IntersectionObserver",
    "Intl",
    "JSON",
    "MutationObserver",
    "Math",
    "Number",
    "Object",
    "PerformanceObserver",
    "Promise",
    "RegExp",
    "TextEncoder",
    "URL",
    "URLSearchParams",
    "addEventListener",
    "clearTimeout",
    "document",
    "encodeURIComponent",
    "escape",
    "fetch",
    "history",
    "innerHeight",
    "localStorage",
    "location",
    "navigator",
    "parseInt",
    "performance",
    "screen",
    "scrollY",
    "sessionStorage",
    "setInterval",
    "setTimeout",
    "WeakSet",
    "window",
  ];
  expect([...page.globalsRead].filter((name) => !known.includes(name))).toEqual([]);
});
