import { afterEach, describe, expect, test } from "bun:test";
import {
  openPage,
  type PageOptions,
  type TrackerPage,
  token,
} from "../test/support/browser/tracker-page";

describe("a page with an old library that says how values are written", () => {
  const prototypes = [Array, String, Object, Date, Number].map(({ prototype }) => prototype);
  const dateToJson = Date.prototype.toJSON;
  afterEach(() => {
    for (const prototype of prototypes) Reflect.deleteProperty(prototype, "toJSON");
    Date.prototype.toJSON = dateToJson;
  });

  test("loses no event, and none is changed", async () => {
    const properties = {
      text: 'a "b"',
      list: ["x", 1, null, { deep: [true] }],
      when: new Date(0),
      none: Number.NaN,
      at: new URL("https://example.com/a"),
    };
    const url = "https://shop.example.com/?utm_source=news";
    const page = openPage({ url });
    for (const prototype of prototypes)
      Object.defineProperty(prototype, "toJSON", {
        configurable: true,
        writable: true,
        value: () => '"broken"',
      });
    page.api.track("a", properties);
    page.api.track("b");
    page.api.identify("user-1", { plan: "pro" });
    await page.wait(5_000);
    const second = openPage({ url, storage: page.storage });
    await second.wait(5_000);
    for (const prototype of prototypes) Reflect.deleteProperty(prototype, "toJSON");
    const [, a] = page.sentEvents();
    expect(a?.properties).toMatchObject({
      text: 'a "b"',
      list: ["x", 1, null, { deep: [true] }],
      when: "1970-01-01T00:00:00.000Z",
      none: null,
      at: "https://example.com/a",
      utm_source: "news",
      first_utm_source: "news",
    });
    expect(page.sentEvents().map(({ event }) => event)).toEqual(["page_view", "a", "b"]);
    expect(page.identifications()).toMatchObject([{ user_id: "user-1", traits: { plan: "pro" } }]);
    expect(second.sentEvents()[0]?.properties.first_utm_source).toBe("news");
    expect([...page.thrown, ...second.thrown]).toEqual([]);
  });
});

test("an object whose toJSON fails, or is none, costs itself and not its event", async () => {
  const page = openPage();
  const fails = {
    toJSON() {
      throw new Error("no");
    },
  };
  page.api.track("a", { fails, odd: { toJSON: 5 }, never: new Date(Number.NaN), fine: 1 });
  const [a] = await page.named("a");
  expect(a?.properties.fine).toBe(1);
  for (const key of ["fails", "never"]) expect(a?.properties).not.toHaveProperty(key);
});

describe("a script tag that the browser does not name", () => {
  const other = `aat_${"b2".repeat(24)}`;
  /** A tag of the page, while the script is run as a module or by a loader. */
  const loaded =
    (
      src: string,
      currentScript: (page: TrackerPage) => unknown,
    ): NonNullable<PageOptions["prepare"]> =>
    (page) => {
      const element = page.document.createElement("script");
      // A test page runs no scripts, and the type of a module it would not even fetch.
      element.setAttribute("type", "text/plain");
      element.setAttribute("src", src);
      element.setAttribute("data-project", "module");
      element.setAttribute("data-token", other);
      page.document.head.appendChild(element);
      Object.defineProperty(page.document, "currentScript", {
        configurable: true,
        value: currentScript(page),
      });
    };

  test("is found: that of a module, and that of a loader", async () => {
    for (const [name, current] of [
      ["tracker.js?v=2", () => null],
      ["tracker.src.js", () => null],
      ["tracker.js", (page: TrackerPage) => page.document.createElement("script")],
    ] as const) {
      const page = openPage({ prepare: loaded(`https://stats.example.org/${name}`, current) });
      expect(await page.events()).toMatchObject([{ token: other, project: "module" }]);
      expect(page.requests.at(-1)?.url).toBe("https://stats.example.org/track");
    }
  });

  test("is not taken for that of the replay; where there is none the tracker is silent", async () => {
    const page = openPage({ prepare: loaded("https://stats.example.org/replay.js", () => null) });
    page.api.track("a");
    expect(await page.events()).toEqual([]);
    expect(page.thrown).toEqual([]);
  });

  test("is the own one where the browser names it", async () => {
    const own = openPage({
      prepare: (page) => {
        const { currentScript } = page.document;
        loaded("https://elsewhere.example.org/tracker.js", () => currentScript)(page);
      },
    });
    expect(await own.events()).toMatchObject([{ token }]);
  });
});

describe("what says that there is no id", () => {
  const none = [Number.NaN, "undefined", "null", "NaN", "[object Object]", undefined, null, {}, ""];
  test("makes no person", async () => {
    const page = openPage();
    for (const id of none) page.api.identify(id, { plan: "pro" });
    page.api.identify("Undefined");
    page.api.identify(0);
    await page.wait(0);
    expect(page.identifications().map(({ user_id }) => user_id)).toEqual(["Undefined", "0"]);
  });

  test("is forgotten where an earlier version stored it", async () => {
    for (const id of ["undefined", "null", "NaN", "[object Object]"]) {
      const local = new Map([
        [`aa:${token}:identified_uid`, id],
        [`aa:${token}:uid`, "anon_1"],
      ]);
      const page = openPage({ storage: { local, session: new Map() } });
      expect(page.api.getIdentity()).toMatchObject({ userId: null, anonymousId: "anon_1" });
      expect((await page.events())[0]?.user_id).toBe("anon_1");
    }
  });
});

test("a first visit by a clock that was ahead is none of the future", async () => {
  const local = new Map([[`aa:${token}:fv`, String(Date.UTC(2027, 0, 1))]]);
  const [view] = await openPage({ storage: { local, session: new Map() } }).events();
  expect(view?.properties.days_since_first_visit).toBe(0);
});
