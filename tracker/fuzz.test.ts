import { expect, test } from "bun:test";
import fc from "fast-check";
import { openPage } from "../test/support/browser/tracker-page";
import { anyCharacter } from "../test/support/random/any-character";
import { cases } from "../test/support/random/cases";

const numRuns = cases(8, 40);
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string(),
  fc.constantFrom("true", "false", "1", "\0", "\ud800"),
);
const escaped = fc
  .array(
    fc.oneof(fc.constantFrom(..."azAZ09-._~!$&'()*+,;=:@"), anyCharacter.map(encodeURIComponent)),
  )
  .map((parts) => parts.join(""));
const escapedAfterPath = fc
  .array(fc.oneof(escaped, fc.constantFrom("/", "?")), { maxLength: 3 })
  .map((parts) => parts.join(""));
/** The library's own would have each process wait for a table of all characters. */
const webAddress = fc
  .record({
    scheme: fc.constantFrom("http", "https"),
    host: fc.domain(),
    path: fc.array(escaped, { maxLength: 4 }),
    query: fc.option(escapedAfterPath),
    fragment: fc.option(escapedAfterPath),
  })
  .map(({ scheme, host, path, query, fragment }) => {
    const of = (sign: string, part: string | null) => (part === null ? "" : sign + part);
    const segments = path.map((part) => of("/", part)).join("");
    return `${scheme}://${host}${segments}${of("?", query)}${of("#", fragment)}`;
  });
const address = fc.oneof(
  webAddress,
  fc.constantFrom(
    "javascript:alert(1)",
    "data:text/html,x",
    "blob:https://a/b",
    "mailto:a@b.c",
    "//x",
    "?",
    "#",
    "",
  ),
  text,
);
const attributeNames = [
  "link-domains",
  "do-not-track",
  "require-consent",
  "track-spa",
  "heartbeat",
  "track-outgoing",
  "track-clicks",
  "track-downloads",
  "track-forms",
  "track-404",
  "track-errors",
  "track-performance",
  "track-vitals",
  "track-scroll-depth",
  "project",
  "token",
] as const;

/** What the server accepts, so that nothing the page does takes other events along. */
function expectAcceptable(
  events: readonly { event: string; user_id: string; session_id: string }[],
): void {
  for (const { event, user_id, session_id } of events) {
    for (const name of [event, user_id, session_id]) expect(name).toMatch(/^\P{Cs}{1,256}$/u);
  }
}

test("whatever the script tag says, the page sees no error", async () => {
  const property = fc.asyncProperty(
    fc.record(Object.fromEntries(attributeNames.map((name) => [`data-${name}`, text])), {
      requiredKeys: [],
    }),
    async (attributes) => {
      const page = openPage({ attributes });
      page.api.track("a");
      page.unload();
      expect(page.thrown).toEqual([]);
      expectAcceptable(page.sentEvents());
    },
  );
  await fc.assert(property, { numRuns });
});

test("whatever the page's title, address and referrer, they are told without query", async () => {
  const property = fc.asyncProperty(text, address, webAddress, async (title, referrer, url) => {
    const page = openPage({ title, referrer, url });
    page.hide();
    expect(page.thrown).toEqual([]);
    for (const { properties } of page.sentEvents()) {
      for (const told of [properties.url, properties.referrer]) expect(told).not.toMatch(/[?#]/);
      expect(String(properties.url)).toStartWith("http");
      expect(String(properties.referrer)).toMatch(/^$|^https?:/);
      expect(String(properties.title).length).toBeLessThanOrEqual(4_096);
    }
  });
  await fc.assert(property, { numRuns });
});

test("whatever the page tracks, the events are ones the server accepts", async () => {
  const property = fc.asyncProperty(
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
    fc.anything({ withBigInt: true, withDate: true, withObjectString: true }),
    async (name, properties) => {
      const page = openPage();
      page.api.track(name, properties);
      page.api.identify(name, properties);
      page.api.set(properties);
      page.api.page(name);
      page.api.track("fine");
      page.hide();
      expect(page.thrown).toEqual([]);
      expectAcceptable(page.sentEvents());
      expect(page.sentEvents().map(({ event }) => event)).toContain("fine");
      const keys = JSON.stringify(page.sentEvents().map((event) => Object.keys(event.properties)));
      expect(keys).not.toMatch(/email/i);
    },
  );
  await fc.assert(property, { numRuns });
});

test("whatever is marked and clicked, and wherever it leads", async () => {
  const property = fc.asyncProperty(text, text, address, async (name, value, href) => {
    const page = openPage({
      html: `<a id="link"></a><button id="button"></button><form></form>`,
      attributes: {
        "data-track-clicks": "true",
        "data-track-outgoing": "true",
        "data-track-downloads": "true",
        "data-track-forms": "true",
        "data-link-domains": "example.com",
      },
    });
    page.document.querySelector("#link")?.setAttribute("href", href);
    page.document.querySelector("form")?.setAttribute("action", href);
    page.document.querySelector("#button")?.setAttribute("data-aa-event", name);
    page.document.querySelector("#button")?.setAttribute("data-aa-event-value", value);
    page.click("#link");
    page.click("#button");
    page.fire(page.document.querySelector("form"), "submit");
    page.hide();
    expect(page.thrown).toEqual([]);
    expectAcceptable(page.sentEvents());
    for (const { properties } of page.sentEvents()) {
      for (const told of [properties.href, properties.action])
        expect(told ?? "").not.toMatch(/[?#]/);
    }
  });
  await fc.assert(property, { numRuns });
});

test("whatever an error says, it is short and quickly told", async () => {
  const property = fc.asyncProperty(text, address, async (message, filename) => {
    const page = openPage({ attributes: { "data-track-errors": "true" } });
    page.fire(page.window, "error", { message, filename, lineno: 1, colno: 1 });
    page.fire(page.window, "unhandledrejection", { reason: { message: filename } });
    page.hide();
    expect(page.thrown).toEqual([]);
    for (const { event, properties } of page.sentEvents()) {
      if (event === "$error") expect(String(properties.message).length).toBeLessThanOrEqual(500);
    }
  });
  await fc.assert(property, { numRuns });
});

test("whatever others left in storage, the page is counted", async () => {
  const keys = [
    "uid",
    "identified_uid",
    "fv",
    "sc",
    "ft",
    "consent",
    "sid",
    "last_activity",
    "utm",
  ];
  const property = fc.asyncProperty(
    fc.array(text, { minLength: 9, maxLength: 9 }),
    async (values) => {
      const { token } = await import("../test/support/browser/tracker-page");
      const entries = keys.map(
        (key, index) => [`aa:${token}:${key}`, values[index] ?? ""] as const,
      );
      const page = openPage({ storage: { local: new Map(entries), session: new Map(entries) } });
      page.hide();
      expect(page.thrown).toEqual([]);
      expect(page.sentEvents()).toHaveLength(1);
    },
  );
  await fc.assert(property, { numRuns });
});
