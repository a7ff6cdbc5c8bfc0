import { expect, test } from "bun:test";
import { openPage, type PageOptions, type TrackerPage } from "../test/support/browser/tracker-page";

/** An observer whose eyes are the test's. */
class Observer {
  static all: Observer[] = [];
  readonly watched = new Set<unknown>();
  constructor(
    readonly tell: (entries: readonly unknown[], from: Observer) => void,
    readonly options: { readonly threshold?: number },
  ) {
    Observer.all.push(this);
  }
  observe(target: unknown): void {
    this.watched.add(target);
  }
  unobserve(target: unknown): void {
    this.watched.delete(target);
  }
  disconnect(): void {
    this.watched.clear();
  }
}

const options = (html: string): PageOptions => ({
  html,
  globals: { IntersectionObserver: Observer },
});

/** The browser tells those who still watch. */
function see(page: TrackerPage, selector: string, intersectionRatio: number): void {
  const target = page.document.querySelector(selector);
  for (const observer of Observer.all.filter(({ watched }) => watched.has(target))) {
    observer.tell([{ target, intersectionRatio, isIntersecting: intersectionRatio > 0 }], observer);
  }
}

const banner = `<div id="x" data-aa-impression="Banner" data-aa-impression-place="top"></div>`;

const opened = async (html: string): Promise<TrackerPage> => {
  const page = openPage(options(html));
  await page.wait(300);
  return page;
};

test("half of the element in sight is an impression, with its properties", async () => {
  const page = await opened(banner);
  expect(Observer.all.at(-1)?.options.threshold).toBe(0.5);
  see(page, "#x", 0.49);
  expect(await page.named("$impression")).toEqual([]);
  see(page, "#x", 0.5);
  expect((await page.named("$impression")).map(({ properties }) => properties)).toEqual([
    expect.objectContaining({ name: "Banner", place: "top" }),
  ]);
});

test("once per element and page", async () => {
  const page = await opened(banner + banner.replace('id="x"', 'id="y"'));
  for (const ratio of [0.6, 0, 1]) see(page, "#x", ratio);
  see(page, "#y", 1);
  expect(await page.named("$impression")).toHaveLength(2);
});

test("an element that comes later counts too, and one that was seen does not count again", async () => {
  const page = await opened(banner);
  see(page, "#x", 1);
  page.document.body.insertAdjacentHTML("beforeend", `<p id="new" data-aa-impression="New"></p>`);
  await page.wait(0);
  await page.wait(300);
  see(page, "#new", 1);
  see(page, "#x", 1);
  expect((await page.named("$impression")).map(({ properties }) => properties.name)).toEqual([
    "Banner",
    "New",
  ]);
});

test("a new route looks again, when its router has had the time to show it", async () => {
  const page = await opened(banner);
  see(page, "#x", 1);
  page.window.history.pushState({}, "", "/next");
  see(page, "#x", 1);
  page.document.body.insertAdjacentHTML("beforeend", `<p id="new" data-aa-impression="New"></p>`);
  await page.wait(300);
  see(page, "#new", 1);
  see(page, "#x", 1);
  const names = (await page.named("$impression")).map(({ properties }) => [
    properties.name,
    properties.path,
  ]);
  expect(names).toEqual([
    ["Banner", "/start"],
    ["New", "/next"],
    ["Banner", "/next"],
  ]);
});

test("a page that changes all the time is searched three times a second", async () => {
  let searches = 0;
  const page = openPage({
    ...options(banner),
    prepare: ({ document }) => {
      const search = document.querySelectorAll.bind(document);
      document.querySelectorAll = ((selector: string) => {
        searches += Number(selector.includes("impression"));
        return search(selector);
      }) as typeof document.querySelectorAll;
    },
  });
  for (let change = 0; change < 50; change++) {
    page.document.body.insertAdjacentHTML("beforeend", "<p></p>");
    await page.wait(20);
  }
  expect(searches).toBeLessThanOrEqual(4);
  expect(searches).toBeGreaterThan(1);
});

test("a browser that cannot watch has none", async () => {
  const page = openPage({ html: banner });
  expect(await page.events()).toHaveLength(1);
  expect(page.thrown).toEqual([]);
});
