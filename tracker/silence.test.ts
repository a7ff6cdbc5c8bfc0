import { describe, expect, test } from "bun:test";
import { define } from "../test/support/browser/tracker-globals";
import {
  type Api,
  openPage,
  type PageOptions,
  type TrackerPage,
  token,
} from "../test/support/browser/tracker-page";

const methods: readonly (keyof Api)[] = [
  "track",
  "page",
  "identify",
  "set",
  "experiment",
  "requireConsent",
  "grantConsent",
  "revokeConsent",
  "getIdentity",
  "reset",
  "optOut",
  "optIn",
];
const nobody = { anonymousId: null, userId: null, sessionId: null };

/** Calls everything there is, and gives the tracker time and reason to send. */
async function exercise(page: TrackerPage): Promise<void> {
  expect(Object.keys(page.api).sort()).toEqual([...methods].sort());
  page.api.track("a", { b: 1 });
  page.api.page("name");
  page.api.identify("user-1", { plan: "pro" });
  page.api.set({ plan: "pro" });
  expect(page.api.experiment("hero", ["a", "b"])).toBeNull();
  page.api.requireConsent();
  page.api.grantConsent();
  page.api.revokeConsent();
  expect(page.api.getIdentity()).toEqual(nobody);
  page.api.reset();
  await page.wait(60_000);
  page.unload();
  await page.wait(60_000);
}

function expectNothingDone(page: TrackerPage, stored: PageOptions["storage"]): void {
  expect(page.requests).toEqual([]);
  expect([...page.storage.local]).toEqual([...(stored?.local ?? [])]);
  expect([...page.storage.session]).toEqual([]);
  expect(page.thrown).toEqual([]);
}

describe("dev mode", () => {
  for (const host of ["localhost", "127.0.0.1", "127.1.22.255"]) {
    test(`on ${host} every call is logged, nothing is sent or stored`, async () => {
      const page = openPage({ url: `http://${host}:8080/` });
      await exercise(page);
      page.api.optOut();
      page.api.optIn();
      expectNothingDone(page, undefined);
      expect(page.logged.every(([prefix]) => prefix === "[aa-dev]")).toBe(true);
      expect(page.logged).toContainEqual(["[aa-dev]", "track", "a", { b: 1 }]);
      // The page view that it would have sent comes first.
      expect(page.logged[0]).toMatchObject([
        ...["[aa-dev]", "page"],
        { url: `http://${host}:8080/`, path: "/", hostname: host, title: expect.any(String) },
      ]);
      const called = page.logged.map(([, name]) => name);
      expect([...new Set(called)].sort()).toEqual([...methods].sort());
    });
  }

  test("names that only look local are not", async () => {
    for (const host of ["127.0.0.1.example.com", "localhost.example.com", "lvh.me", "128.0.0.1"]) {
      expect(await openPage({ url: `http://${host}/` }).events()).toHaveLength(1);
    }
  });

  test("a browser without console stays silent too", () => {
    const page = openPage({ url: "http://localhost/", globals: { console: undefined } });
    page.api.track("a");
    expect(page.thrown).toEqual([]);
  });
});

describe("do not track", () => {
  const untouchable = new Proxy(
    {},
    {
      get: () => {
        throw new Error("storage was touched");
      },
    },
  );
  const asked: PageOptions = {
    attributes: { "data-do-not-track": "true" },
    prepare: ({ window }) => define(window.navigator, "doNotTrack", "1"),
    globals: { localStorage: untouchable, sessionStorage: untouchable },
  };

  test("silences the tracker, which does not even read storage", async () => {
    const page = openPage(asked);
    await exercise(page);
    expectNothingDone(page, undefined);
    expect([...page.globalsRead].filter((name) => name.endsWith("Storage"))).toEqual([]);
  });

  test("only where the site honors it, and only for the value 1", async () => {
    const { prepare } = asked;
    expect(await openPage({ ...(prepare && { prepare }) }).events()).toHaveLength(1);
    for (const value of ["0", "yes", null, undefined]) {
      const page = openPage({
        attributes: { "data-do-not-track": "true" },
        prepare: ({ window }) => define(window.navigator, "doNotTrack", value),
      });
      expect(await page.events()).toHaveLength(1);
    }
  });
});

describe("opt-out", () => {
  for (const key of ["aa_disabled", `aa:${token}:disabled`]) {
    test(`"${key}" silences the tracker`, async () => {
      const storage = { local: new Map([[key, "true"]]), session: new Map() };
      const page = openPage({ storage });
      await exercise(page);
      expectNothingDone(page, { local: new Map([[key, "true"]]), session: new Map() });
    });
  }

  test("other values do not", async () => {
    const storage = { local: new Map([["aa_disabled", "false"]]), session: new Map() };
    expect(await openPage({ storage }).events()).toHaveLength(1);
  });

  test("optOut drops what waits, sends nothing more, and lasts for the pages after", async () => {
    const page = openPage();
    page.api.track("a");
    page.api.optOut();
    page.api.track("b");
    page.unload();
    await page.wait(60_000);
    expect(page.sentEvents()).toEqual([]);
    expect(page.storage.local.get(`aa:${token}:disabled`)).toBe("true");
    expect(page.api.getIdentity()).toEqual(nobody);
    expect(await openPage({ storage: page.storage }).events()).toEqual([]);
  });

  test("optOut drops requests that wait for a retry", async () => {
    const page = openPage({ answer: () => new Response("{}", { status: 503 }) });
    await page.wait(5_000);
    const sent = page.requests.length;
    page.api.optOut();
    page.unload();
    await page.wait(60_000);
    expect(page.requests).toHaveLength(sent);
  });

  test("optIn takes it back, on the same page and on the next", async () => {
    const page = openPage();
    page.api.optOut();
    page.api.optIn();
    page.api.track("back");
    expect((await page.events()).map(({ event }) => event)).toEqual(["back"]);

    const storage = { local: new Map([[`aa:${token}:disabled`, "true"]]), session: new Map() };
    const next = openPage({ storage });
    next.api.optIn();
    expect((await next.events()).map(({ event }) => event)).toEqual(["page_view"]);
    expect(storage.local.has(`aa:${token}:disabled`)).toBe(false);
  });

  test("optIn does not overrule the flag without scope, which is not ours to clear", async () => {
    const storage = { local: new Map([["aa_disabled", "true"]]), session: new Map() };
    const page = openPage({ storage });
    page.api.optIn();
    expect(await page.events()).toEqual([]);
  });
});

describe("prerendering", () => {
  const prerendered: PageOptions = {
    prepare: ({ document }) => define(document, "prerendering", true),
  };

  test("a page that nobody sees is not counted", async () => {
    const page = openPage(prerendered);
    await exercise(page);
    expectNothingDone(page, undefined);
  });

  test("it is from the moment somebody does", async () => {
    const page = openPage(prerendered);
    await page.wait(5_000);
    define(page.document, "prerendering", false);
    page.fire(page.document, "prerenderingchange");
    expect((await page.events()).map(({ event }) => event)).toEqual(["page_view"]);
  });
});

test("a start that fails leaves a silent tracker", async () => {
  const page = openPage({ attributes: { src: "https://" } });
  await exercise(page);
  expectNothingDone(page, undefined);
});

describe("loaded twice", () => {
  test("the second copy does nothing", async () => {
    const page = openPage();
    const first = page.api;
    page.run();
    expect(page.api).toBe(first);
    expect(await page.events()).toHaveLength(1);
  });

  test("an element with the id aa is no tracker", async () => {
    const page = openPage({
      prepare: ({ window, document }) => define(window, "aa", document.body),
    });
    expect(await page.events()).toHaveLength(1);
    expect(typeof page.api.track).toBe("function");
  });
});

test("a silent tracker does not keep waiting elements hidden", async () => {
  for (const options of [
    { url: "http://localhost/" },
    { storage: { local: new Map([["aa_disabled", "true"]]), session: new Map() } },
    { globals: { fetch: undefined } },
  ]) {
    const page = openPage({
      ...options,
      prepare: ({ document }) => document.documentElement.classList.add("aa-loading"),
    });
    await page.wait(0);
    expect(page.document.documentElement.className).toBe("");
  }
});
