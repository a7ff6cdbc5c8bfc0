import { describe, expect, test } from "bun:test";
import { define } from "../test/support/browser/tracker-globals";
import { type CalledApi, openPage, type TrackerPage } from "../test/support/browser/tracker-page";

const of = (page: TrackerPage, name: "aa" | "sightline"): CalledApi =>
  Reflect.get(page.window, name) as CalledApi;

/** The installation snippet of a search provider, and its library, which comes later and reads what was queued. */
function searchSnippet({ window }: TrackerPage): void {
  const page = window as unknown as Record<string, CalledApi>;
  page.aa =
    page.aa ||
    (((...given: unknown[]) => {
      (page.aa as CalledApi).queue = (page.aa as CalledApi).queue || [];
      page.aa?.queue?.push(given);
    }) as CalledApi);
}
function searchLibrary({ window }: TrackerPage): unknown[][] {
  const calls: unknown[][] = [];
  const { aa } = window as unknown as { aa: CalledApi };
  aa.queue = aa.queue || [];
  for (const given of aa.queue) calls.push(given);
  aa.queue.push = (given: unknown[]) => calls.push(given);
  return calls;
}

describe("the API has two names", () => {
  test("for one function", async () => {
    const page = openPage();
    expect(typeof page.api).toBe("function");
    expect(of(page, "sightline")).toBe(of(page, "aa"));
    of(page, "sightline").track("a");
    expect(await page.named("a")).toHaveLength(1);
  });

  test("by both of which a second copy finds the first", async () => {
    for (const name of ["aa", "sightline"] as const) {
      const page = openPage();
      Reflect.deleteProperty(page.window, name);
      page.run();
      expect(await page.events()).toHaveLength(1);
    }
  });
});

describe("a search library that is called aa too", () => {
  test("before the tracker keeps its function, and the tracker has its methods there", async () => {
    const page = openPage({ prepare: searchSnippet });
    of(page, "aa")("init", { key: "k" });
    const calls = searchLibrary(page);
    of(page, "aa")("clicked", 5);
    of(page, "sightline")("viewed");
    expect(calls).toEqual([["init", { key: "k" }], ["clicked", 5], ["viewed"]]);
    page.api.track("ours");
    expect(await page.named("ours")).toHaveLength(1);
    expect(page.thrown).toEqual([]);
  });

  test("after the tracker gets what was called before it came, and what is called later", async () => {
    const page = openPage();
    searchSnippet(page);
    of(page, "aa")("init");
    of(page, "aa").track("ours");
    const calls = searchLibrary(page);
    of(page, "aa")("clicked");
    expect(calls).toEqual([["init"], ["clicked"]]);
    expect(await page.named("ours")).toHaveLength(1);
  });

  test("that puts its function into the variable finds exactly that there", async () => {
    const calls: unknown[][] = [];
    const foreign = (...given: unknown[]) => calls.push(given);
    const page = openPage();
    const ours = of(page, "aa");
    Reflect.set(page.window, "aa", foreign);
    expect(Reflect.get(page.window, "aa")).toBe(foreign);
    of(page, "aa")("a");
    ours("b");
    of(page, "sightline")("c");
    expect(calls).toEqual([["a"], ["b"], ["c"]]);
    of(page, "aa").track("ours");
    expect(await page.named("ours")).toHaveLength(1);
  });

  test("keeps its own methods, and the tracker has all of its own under the second name", async () => {
    const foreign = Object.assign(() => 1, { set: () => "theirs", version: "2" });
    const page = openPage({ prepare: ({ window }) => define(window, "aa", foreign) });
    expect(Reflect.get(page.window, "aa")).toBe(foreign);
    expect(String(foreign.set())).toBe("theirs");
    expect(foreign.version).toBe("2");
    of(page, "sightline").set({ plan: "pro" });
    of(page, "aa").track("ours");
    expect((await page.named("ours"))[0]?.properties.plan).toBe("pro");
  });

  test("may stand where nothing can be put, or be frozen: the second name works", async () => {
    const frozen = Object.freeze(() => 1);
    const page = openPage({
      prepare: ({ window }) => Object.defineProperty(window, "aa", { value: frozen }),
    });
    expect(Reflect.get(page.window, "aa")).toBe(frozen);
    of(page, "sightline").track("ours");
    expect(await page.named("ours")).toHaveLength(1);
    expect(page.thrown).toEqual([]);
  });

  test("declared as a function of the page has the methods too", async () => {
    const declared = (): number => 1;
    const page = openPage({
      prepare: ({ window }) =>
        Object.defineProperty(window, "aa", { value: declared, writable: true, enumerable: true }),
    });
    of(page, "aa").track("ours");
    expect(of(page, "aa")()).toBe(1);
    expect(await page.named("ours")).toHaveLength(1);
  });
});

test("what the page puts into a variable of these names is what it finds there", () => {
  const page = openPage();
  for (const value of [0, "text", null, undefined, { a: 1 }]) {
    Reflect.set(page.window, "aa", value);
    expect(Reflect.get(page.window, "aa")).toBe(value);
  }
  of(page, "sightline").track("ours");
  expect(page.thrown).toEqual([]);
});
