import { describe, expect, test } from "bun:test";
import {
  openPage,
  type PageOptions,
  type SentEvent,
  type TrackerPage,
} from "../test/support/browser/tracker-page";

const pathsOf = (events: readonly SentEvent[]): unknown[] =>
  events.filter(({ event }) => event === "page_view").map(({ properties }) => properties.path);

/** The page's own scripts see the patched history as we do. */
const go = (
  page: TrackerPage,
  address: string,
  how: "pushState" | "replaceState" = "pushState",
): void => page.window.history[how]({}, "", address);

/** Goes back as the button does: the address changes, then the page is told. */
function goBack(
  page: TrackerPage,
  address: string,
  event: "popstate" | "hashchange" = "popstate",
): void {
  Object.getPrototypeOf(page.window.history).replaceState.call(
    page.window.history,
    {},
    "",
    address,
  );
  page.fire(page.window, event);
}

describe("routes", () => {
  test("a change of path, query or hash is a page view", async () => {
    const page = openPage({ url: "https://shop.example.com/a" });
    go(page, "/b");
    go(page, "/b?page=2");
    go(page, "/b?page=2#part");
    go(page, "/c", "replaceState");
    expect(pathsOf(await page.events())).toEqual(["/a", "/b", "/b", "/b", "/c"]);
  });

  test("the same address again is none", async () => {
    const page = openPage({ url: "https://shop.example.com/a" });
    go(page, "/a", "replaceState");
    go(page, "/a");
    page.fire(page.window, "popstate");
    page.fire(page.window, "hashchange");
    expect(pathsOf(await page.events())).toEqual(["/a"]);
  });

  test("going back and following a link within the page are", async () => {
    const page = openPage({ url: "https://shop.example.com/a" });
    go(page, "/b");
    goBack(page, "/a");
    goBack(page, "/a#end", "hashchange");
    expect(pathsOf(await page.events())).toEqual(["/a", "/b", "/a", "/a"]);
  });

  test("a page that comes back from the back-forward cache is", async () => {
    const page = openPage({ url: "https://shop.example.com/a" });
    page.unload();
    page.show();
    page.fire(page.window, "pageshow", { persisted: true });
    expect(pathsOf(await page.events())).toEqual(["/a", "/a"]);
  });

  test("the first showing of a page is not counted twice", async () => {
    const page = openPage();
    page.fire(page.window, "pageshow", { persisted: false });
    expect(await page.named("page_view")).toHaveLength(1);
  });

  test("data-track-spa=false turns it off; a page that comes back is counted all the same", async () => {
    const page = openPage({ attributes: { "data-track-spa": "false" } });
    const { pushState } = page.window.history;
    expect(pushState).toBe(Object.getPrototypeOf(page.window.history).pushState);
    go(page, "/b");
    goBack(page, "/a");
    expect(await page.named("page_view")).toHaveLength(1);
    page.fire(page.window, "pageshow", { persisted: true });
    expect(await page.named("page_view")).toHaveLength(2);
  });

  test("the title is the one that the router sets a moment later", async () => {
    const page = openPage({ url: "https://shop.example.com/a", title: "A" });
    go(page, "/b");
    page.document.title = "B";
    await page.wait(400);
    page.document.title = "B (1 message)";
    go(page, "/c");
    go(page, "/d");
    page.document.title = "D";
    const views = (await page.events()).map(({ properties }) => [
      properties.path,
      properties.title,
      properties.page,
    ]);
    expect(views).toEqual([
      ["/a", "A", "A"],
      ["/b", "B", "B"],
      ["/c", "B (1 message)", "B (1 message)"],
      ["/d", "D", "D"],
    ]);
  });

  test("the first title too is the one when the event leaves", async () => {
    const page = openPage({ title: "" });
    await page.wait(4_900);
    page.document.title = "Set by a script";
    const [view] = await page.events();
    expect(view?.properties).toMatchObject({ title: "Set by a script", page: "Set by a script" });
  });

  test("of a route that was left it is the one of a third of a second later", async () => {
    const page = openPage({ url: "https://shop.example.com/a", title: "Loading" });
    await page.wait(100);
    page.document.title = "A";
    await page.wait(300);
    go(page, "/b");
    page.document.title = "B";
    const titles = (await page.events()).map(({ properties }) => properties.title);
    expect(titles).toEqual(["A", "B"]);
  });

  test("a name given by the site stays, and so does a title that it set", async () => {
    const page = openPage({ title: "Start" });
    page.api.page("Step two");
    page.document.title = "Later";
    await page.wait(5_000);
    page.api.set({ title: "Ours" });
    page.api.page();
    page.document.title = "Later still";
    const told = (await page.events()).map(({ properties: { title, page } }) => [title, page]);
    expect(told).toEqual([
      ["Start", "Start"],
      ["Later", "Step two"],
      ["Ours", "Later still"],
    ]);
  });

  test("changes by the Navigation API alone are seen, once each", async () => {
    const navigation = new EventTarget();
    const page = openPage({
      url: "https://shop.example.com/a",
      prepare: ({ window }) => Object.assign(window, { navigation }),
    });
    const { replaceState } = Object.getPrototypeOf(page.window.history);
    const changed = (address: string): void => {
      replaceState.call(page.window.history, {}, "", address);
      navigation.dispatchEvent(new Event("currententrychange"));
    };
    changed("/b");
    changed("/b");
    changed("/b?q=1");
    go(page, "/c");
    navigation.dispatchEvent(new Event("currententrychange"));
    expect(pathsOf(await page.events())).toEqual(["/a", "/b", "/b", "/c"]);
  });

  test("a new campaign is read on the way", async () => {
    const page = openPage();
    go(page, "/offer?utm_source=banner");
    const [first, second] = await page.events();
    expect(first?.properties.utm_source).toBeUndefined();
    expect(second?.properties.utm_source).toBe("banner");
  });
});

describe("history stays the page's own", () => {
  const patchedFirst: PageOptions["prepare"] = ({ window }) => {
    const original = window.history.pushState;
    window.history.pushState = function (...given) {
      calls.push(`before ${given[2]}`);
      return original.apply(this, given);
    };
  };
  const calls: string[] = [];

  test("others that patch it before and after us are called, and we too", async () => {
    const page = openPage({ prepare: patchedFirst });
    const ours = page.window.history.pushState;
    page.window.history.pushState = function (...given) {
      calls.push(`after ${given[2]}`);
      return ours.apply(this, given);
    };
    go(page, "/b");
    expect(calls).toEqual(["after /b", "before /b"]);
    expect(await page.named("page_view")).toHaveLength(2);
  });

  test("its errors reach the page, and the address stays what it was", async () => {
    const page = openPage({
      prepare: ({ window }) => {
        window.history.pushState = () => {
          throw new DOMException("not allowed", "SecurityError");
        };
      },
    });
    expect(() => go(page, "https://elsewhere.example.com/")).toThrow("not allowed");
    expect(await page.named("page_view")).toHaveLength(1);
  });

  test("state and title pass through unchanged", () => {
    const page = openPage();
    page.window.history.pushState({ step: 2 }, "title", "/two");
    expect(page.window.history.state).toEqual({ step: 2 });
  });
});

test("what is known of a page goes out before the next one is counted", async () => {
  const page = openPage({
    url: "https://shop.example.com/a",
    attributes: { "data-heartbeat": "15", "data-track-scroll-depth": "true" },
  });
  await page.wait(20_000);
  go(page, "/b");
  const told = (await page.events()).map(({ event, properties }) => [event, properties.path]);
  expect(told).toEqual([
    ["page_view", "/a"],
    ["$time_on_page", "/a"],
    ["$scroll_depth", "/a"],
    ["page_view", "/b"],
  ]);
});
