import { describe, expect, test } from "bun:test";
import {
  nextPage,
  openPage,
  type PageOptions,
  type TrackerPage,
  token,
} from "../test/support/browser/tracker-page";

const consentMode: PageOptions = { attributes: { "data-require-consent": "true" } };
const key = (name: string): string => `aa:${token}:${name}`;
const names = (page: TrackerPage): string[] => page.sentEvents().map(({ event }) => event);

/** The states that the page was told about. */
function announcements(page: TrackerPage): unknown[] {
  const states: unknown[] = [];
  page.document.addEventListener("aa:consent", (event) => {
    states.push((event as unknown as CustomEvent).detail.state);
  });
  return states;
}

describe("before consent", () => {
  test("nothing is sent and nothing is stored, whatever happens", async () => {
    const page = openPage({ ...consentMode, url: "https://shop.example.com/?utm_source=a" });
    page.api.track("a");
    page.api.identify("user-1", { plan: "pro" });
    page.api.experiment("hero", ["a", "b"]);
    page.api.reset();
    await page.wait(60_000);
    page.hide();
    page.show();
    page.unload();
    expect(page.requests).toEqual([]);
    expect([...page.storage.local, ...page.storage.session]).toEqual([]);
  });

  test("the experiment's page is not kept hidden", () => {
    const page = openPage({
      ...consentMode,
      prepare: ({ document }) => document.documentElement.classList.add("aa-loading"),
    });
    expect(page.document.documentElement.className).toBe("");
  });

  test("the newest thousand events are kept", async () => {
    const page = openPage(consentMode);
    for (let index = 0; index < 1_200; index++) page.api.track(`e${index}`);
    page.api.grantConsent();
    await page.wait(60_000);
    const sent = names(page);
    expect(sent).toHaveLength(1_001);
    expect(sent[0]).toBe("e200");
    expect(sent.at(-1)).toBe("$consent");
  });
});

describe("the grant", () => {
  test("sends what waited with its own times, and $consent last", async () => {
    const page = openPage(consentMode);
    await page.wait(60_000);
    page.api.track("a");
    await page.wait(60_000);
    page.api.grantConsent();
    await page.wait(0);
    expect(names(page)).toEqual(["page_view", "a", "$consent"]);
    const events = page.sentEvents();
    expect(events.map(({ timestamp }) => page.nowMs - timestamp)).toEqual([120_000, 60_000, 0]);
    expect(events[2]?.properties.action).toBe("granted");
  });

  test("in batches of at most a hundred", async () => {
    const page = openPage(consentMode);
    for (let index = 0; index < 350; index++) page.api.track("a");
    page.api.grantConsent();
    await page.wait(10_000);
    const sizes = page.requests
      .filter(({ path }) => path === "/track/batch")
      .map(({ text }) => JSON.parse(text).events.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(names(page)).toHaveLength(352);
  });

  test("writes the identity that was held back, and sends identify", async () => {
    const page = openPage({ ...consentMode, url: "https://shop.example.com/?utm_source=a" });
    const { anonymousId } = page.api.getIdentity();
    page.api.identify("user-1");
    page.api.grantConsent();
    await page.wait(0);
    const { local, session } = page.storage;
    expect(local.get(key("consent"))).toBe("granted");
    expect(local.get(key("uid"))).toBe(anonymousId ?? "");
    expect(local.get(key("identified_uid"))).toBe("user-1");
    expect(session.get(key("sid"))).toMatch(/^sess_/);
    expect(session.has(key("utm"))).toBe(true);
    expect(page.identifications()).toMatchObject([{ previous_id: anonymousId, user_id: "user-1" }]);
    expect(page.sentEvents().map(({ user_id }) => user_id)).toEqual([anonymousId ?? "", "user-1"]);
  });

  test("counts from the start of later pages", async () => {
    const page = openPage(consentMode);
    page.api.grantConsent();
    const next = nextPage(page, consentMode);
    expect((await next.events()).map(({ event }) => event)).toEqual(["page_view"]);
  });

  test("is told to the page", () => {
    const page = openPage(consentMode);
    const states = announcements(page);
    page.api.grantConsent();
    page.api.revokeConsent();
    expect(states).toEqual(["granted", "revoked"]);
  });

  test("then loads experiments", async () => {
    const page = openPage({
      ...consentMode,
      html: `<p data-aa-experiment="hero" data-aa-variant-b="Better">Good</p>`,
      answer: () =>
        Response.json({ experiments: [{ key: "hero", variants: [{ key: "b", weight: 100 }] }] }),
    });
    await page.wait(0);
    expect(page.document.body.textContent).toBe("Good");
    page.api.grantConsent();
    await page.wait(0);
    expect(page.document.body.textContent).toBe("Better");
  });

  test("without consent mode is an event like any other", async () => {
    const page = openPage();
    page.api.grantConsent();
    await page.wait(0);
    expect(names(page)).toEqual(["page_view", "$consent"]);
  });
});

describe("the revocation", () => {
  for (const [name, options] of [
    ["in consent mode", consentMode],
    ["without it", {}],
  ] as const) {
    test(`${name} deletes the grant and the queue, and stops sending until the next grant`, async () => {
      const page = openPage(options);
      page.api.grantConsent();
      await page.wait(5_000);
      const sent = page.requests.length;
      page.api.track("lost");
      page.api.revokeConsent();
      page.api.track("held");
      page.hide();
      page.show();
      await page.wait(60_000);
      expect(page.requests).toHaveLength(sent);
      expect(page.storage.local.has(key("consent"))).toBe(false);
      page.api.grantConsent();
      await page.wait(0);
      expect(names(page).slice(-2)).toEqual(["held", "$consent"]);
      expect(names(page)).not.toContain("lost");
    });
  }

  test("drops what waits for a retry, and an identify that waits", async () => {
    const page = openPage({ answer: () => new Response("{}", { status: 503 }) });
    await page.wait(5_000);
    page.api.identify("user-1");
    const sent = page.requests.length;
    page.api.revokeConsent();
    page.unload();
    await page.wait(60_000);
    expect(page.requests).toHaveLength(sent);
  });
});

describe("requireConsent", () => {
  test("holds everything back from now on", async () => {
    const page = openPage();
    page.api.requireConsent();
    page.unload();
    await page.wait(60_000);
    expect(page.sentEvents()).toEqual([]);
    page.api.grantConsent();
    await page.wait(0);
    expect(names(page)).toEqual(["page_view", "$consent"]);
  });

  test("changes nothing where consent was given", async () => {
    const page = openPage();
    page.api.grantConsent();
    page.api.requireConsent();
    page.api.track("a");
    await page.wait(5_000);
    expect(names(page)).toContain("a");
  });
});

test("opting out is stored also before consent, because it is no tracking", async () => {
  const page = openPage(consentMode);
  page.api.optOut();
  expect([...page.storage.local]).toEqual([[key("disabled"), "true"]]);
});
