import { describe, expect, test } from "bun:test";
import {
  nextPage,
  openPage,
  type PageOptions,
  type SentEvent,
  token,
} from "../test/support/browser/tracker-page";

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
/** Bytes of a text as JSON, without its quotes. */
const bytesIn = (event: SentEvent | undefined, key: string): number =>
  bytes(event?.properties[key]) - 2;
const propertiesBytesMax = 8_192;
const quietBytesMax = 6_144;

const georgian = "\u10d0\u10d1\u10d2 ";
const utm = ["source", "medium", "campaign", "content", "term"].map((name) => `utm_${name}`);
const everything = Object.fromEntries(
  ["outgoing", "clicks", "downloads", "forms", "errors", "vitals", "scroll-depth"].map((name) => [
    `data-track-${name}`,
    "true",
  ]),
);

/** Pages whose own texts are as long as they can be, by the letter that they are made of. */
function longPage(letter: string, more: PageOptions = {}): PageOptions {
  const text = letter.repeat(3_000);
  const query = utm.map((name) => `${name}=${encodeURIComponent(text)}`).join("&");
  return {
    url: `https://shop.example.com/${encodeURIComponent(letter).repeat(1_300)}?${query}`,
    referrer: `https://shop.example.com/${encodeURIComponent(letter).repeat(1_300)}`,
    title: text,
    ...more,
  };
}

describe("an event always fits, whatever the page is called", () => {
  for (const [what, letter] of [
    ["ASCII", "x"],
    ["Georgian", "\u10d0"],
    ["emoji", "\ud83d\ude00"],
    ["quotes", '"'],
    ["control characters", "\u0001"],
    ["half characters", "\ud83d"],
  ] as const) {
    test(`in ${what}, of which each limit is used up and none is passed`, async () => {
      const options = letter === "\ud83d" ? { title: letter.repeat(3_000) } : longPage(letter);
      const page = openPage(options);
      page.api.track("plain");
      const [view, plain] = await page.events();
      expect(bytes(plain?.properties)).toBeLessThanOrEqual(quietBytesMax);
      expect(bytes(view?.properties)).toBeLessThanOrEqual(quietBytesMax + 400);
      const size = bytes(letter) - 2;
      const limits = { title: 300, page: 300, url: 1_200, path: 1_000, referrer: 1_000 };
      for (const [key, max] of Object.entries({
        ...limits,
        ...Object.fromEntries(utm.flatMap((name) => [name, `first_${name}`]).map((k) => [k, 200])),
      })) {
        if (options.url === undefined && key !== "title" && key !== "page") continue;
        expect(bytesIn(view, key)).toBeLessThanOrEqual(max);
        expect(bytesIn(view, key)).toBeGreaterThan(max - size);
      }
      // No character was cut in two.
      if (what !== "half characters")
        expect(String(view?.properties.title).isWellFormed()).toBe(true);
    });
  }

  test("a text at its limit stays whole, one more letter is cut", async () => {
    for (const [letters, kept] of [
      [100, 100],
      [101, 100],
    ] as const) {
      const [view] = await openPage({ title: "\u10d0".repeat(letters) }).events();
      expect(view?.properties.title).toBe("\u10d0".repeat(kept));
      expect(view?.properties.page).toBe("\u10d0".repeat(kept));
    }
  });

  test("with what a click, a form, an error or a report adds", async () => {
    const long = "k".repeat(4_000);
    const page = openPage(
      longPage('"', {
        attributes: everything,
        html: `<a id="${long}" class="${long}" href="https://other.example.org/${long}/${long}.pdf">x</a>
          <form id="${long}" name="${long}" class="${long}" action="/${long}"></form>`,
      }),
    );
    page.click("a");
    page.fire(page.document.querySelector("form"), "submit");
    const message = '"\u0001\u10d0'.repeat(2_000);
    page.fire(page.window, "error", { message, filename: message, lineno: 1, colno: 1 });
    page.hide();
    const events = await page.events();
    const names = new Set(events.map(({ event }) => event));
    for (const name of ["outgoing_link", "$download", "$click", "$form_submit", "$error"])
      expect(names).toContain(name);
    expect(names).toContain("$web_vitals");
    for (const { properties } of events)
      expect(bytes(properties)).toBeLessThanOrEqual(propertiesBytesMax);
  });

  test("a name that the site gives a page has the bound of a title; its own properties have none", async () => {
    const page = openPage();
    page.api.page("\u10d0".repeat(200));
    page.api.track("read", { title: "t".repeat(1_000), page: "p".repeat(1_000) });
    const events = await page.events();
    expect(events[1]?.properties.page).toBe("\u10d0".repeat(100));
    expect(events[2]?.properties).toMatchObject({
      title: "t".repeat(1_000),
      page: "p".repeat(1_000),
    });
  });
});

describe("a campaign with long texts", () => {
  const long = "c".repeat(4_000);
  test("does not silence the visitor: it is stored short", async () => {
    const url = `https://shop.example.com/?utm_source=${long}&utm_campaign=${georgian.repeat(900)}`;
    const page = openPage({ url });
    const next = nextPage(page, { url: "https://shop.example.com/next" });
    for (const { properties } of [...(await page.events()), ...(await next.events())]) {
      expect(properties.utm_source).toBe("c".repeat(200));
      expect(properties.first_utm_source).toBe("c".repeat(200));
      expect(bytes(properties)).toBeLessThan(2_000);
    }
    expect(page.storage.local.get(`aa:${token}:ft`)?.length).toBeLessThan(1_000);
  });

  test("that an earlier version stored is cut when it is read", async () => {
    const stored = (prefix: string) =>
      JSON.stringify(Object.fromEntries(utm.map((name) => [prefix + name, long])));
    const storage = {
      local: new Map([[`aa:${token}:ft`, stored("first_")]]),
      session: new Map([
        [`aa:${token}:utm`, stored("")],
        [`aa:${token}:sid`, "sess_1"],
        [`aa:${token}:last_activity`, String(Date.UTC(2026, 0, 15, 12))],
      ]),
    };
    const [view] = await openPage({ storage }).events();
    expect(view?.session_id).toBe("sess_1");
    for (const name of utm) {
      expect(view?.properties[name]).toBe("c".repeat(200));
      expect(view?.properties[`first_${name}`]).toBe("c".repeat(200));
    }
  });

  test("is read in any case of its names", async () => {
    const url = "https://shop.example.com/?UTM_Source=News&utm_MEDIUM=mail&Utm_other=x";
    const [view] = await openPage({ url }).events();
    expect(view?.properties).toMatchObject({ utm_source: "News", utm_medium: "mail" });
    expect(Object.keys(view?.properties ?? {}).filter((key) => /^utm/i.test(key))).toEqual([
      "utm_source",
      "utm_medium",
    ]);
  });
});

describe("dev mode says", () => {
  const localhost = (query: string, title = "Start") =>
    openPage({ url: `http://localhost/${query}`, title });
  test("what it would cut", () => {
    const page = localhost(`?utm_source=${"s".repeat(201)}`, "t".repeat(301));
    const cut = () => page.logged.filter(([, word]) => word === "cut").map(([, , key]) => key);
    expect(cut()).toEqual(["title", "utm_source"]);
    page.api.page("p".repeat(300));
    expect(cut()).toEqual(["title", "utm_source"]);
    page.api.page("p".repeat(301));
    expect(cut()).toEqual(["title", "utm_source", "page"]);
  });

  test("nothing of that where all fits", () => {
    const page = localhost(`?utm_source=${"s".repeat(200)}`, "t".repeat(300));
    expect(page.logged.filter(([, word]) => word === "cut")).toEqual([]);
  });

  test("which ids it would ignore", () => {
    const page = localhost("");
    for (const id of ["user-1", Number.NaN, "undefined", null]) page.api.identify(id);
    const ignored = page.logged.filter(([, word]) => word === "ignored").map(([, , id]) => id);
    expect(ignored).toEqual([Number.NaN, "undefined", null]);
  });
});
