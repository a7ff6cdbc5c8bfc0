import { describe, expect, test } from "bun:test";
import { collector, openPage, type SentRequest, token } from "../test/support/browser/tracker-page";

const tracked = (page: ReturnType<typeof openPage>): SentRequest[] =>
  page.requests.filter(({ path }) => path !== "/experiments/config");
describe("when events go out", () => {
  test("five seconds after the first of them", async () => {
    const page = openPage();
    await page.wait(4_999);
    page.api.track("late");
    expect(tracked(page)).toEqual([]);
    await page.wait(1);
    expect(tracked(page)).toHaveLength(1);
    expect(page.sentEvents().map(({ event }) => event)).toEqual(["page_view", "late"]);
  });

  test("at once when the page is hidden, and the timer then finds nothing", async () => {
    const page = openPage();
    page.hide();
    expect(tracked(page).map(({ by, path }) => `${by} ${path}`)).toEqual(["beacon /track"]);
    await page.wait(60_000);
    expect(tracked(page)).toHaveLength(1);
  });

  test("at once when the page is left without having been hidden", () => {
    const page = openPage();
    page.fire(page.window, "pagehide");
    expect(tracked(page).map(({ by }) => by)).toEqual(["beacon"]);
  });

  test("as they happen while the page stays hidden: by beacon, after the same five seconds", async () => {
    const page = openPage();
    page.hide();
    page.api.track("in_the_background");
    await page.wait(5_000);
    expect(tracked(page).map(({ by }) => by)).toEqual(["beacon", "beacon"]);
  });
});

describe("how a request looks", () => {
  test("one event goes to /track, more go to /track/batch", async () => {
    const page = openPage();
    await page.wait(5_000);
    page.api.track("a");
    page.api.track("b");
    await page.wait(5_000);
    expect(tracked(page).map(({ url }) => url)).toEqual([
      `${collector}/track`,
      `${collector}/track/batch`,
    ]);
    expect(JSON.parse(tracked(page)[1]?.text ?? "").events).toHaveLength(2);
  });

  test("fetch needs no preflight, sends no cookie, and outlives the page", async () => {
    const page = openPage();
    await page.wait(5_000);
    const [request] = tracked(page);
    expect(request?.options).toMatchObject({
      method: "POST",
      keepalive: true,
      credentials: "omit",
    });
    // A body that is a text is labelled text/plain by the browser itself.
    expect(request?.options.headers).toBeUndefined();
    expect(typeof request?.options.body).toBe("string");
  });

  test("a beacon is text/plain", () => {
    const page = openPage();
    page.hide();
    expect(tracked(page)[0]?.type).toBe("text/plain");
  });

  test("an event names its token, project, person, session, time and own id", async () => {
    const page = openPage();
    const [event] = await page.events();
    expect(event).toMatchObject({ token, project: "shop", event: "page_view" });
    expect(event?.user_id).toMatch(/^anon_[0-9a-z]{20,}$/);
    expect(event?.session_id).toMatch(/^sess_[0-9a-z]{20,}$/);
    expect(event?.event_id).toMatch(/^[A-Za-z0-9_-]{16,64}$/);
    expect(event?.timestamp).toBe(page.nowMs - 5_000);
  });

  test("without data-token events carry none", async () => {
    const page = openPage({ attributes: { "data-token": null } });
    expect(await page.events()).toEqual([
      expect.objectContaining({ project: "shop", event: "page_view" }),
    ]);
    expect("token" in (page.sentEvents()[0] ?? {})).toBe(false);
  });
});

describe("how much goes into a request", () => {
  const sizes = (page: ReturnType<typeof openPage>): number[] =>
    tracked(page).map(({ text }) => JSON.parse(text).events?.length ?? 1);

  test("a hundred events at most", async () => {
    const page = openPage();
    await page.wait(5_000);
    for (let index = 0; index < 201; index++) page.api.track(`e${index}`);
    await page.wait(5_000);
    expect(sizes(page).every((size) => size <= 100)).toBe(true);
    expect(page.sentEvents().map(({ event }) => event)).toEqual([
      "page_view",
      ...Array.from({ length: 201 }, (_, index) => `e${index}`),
    ]);
  });

  test("64 KiB at most: what is larger is halved until it fits", async () => {
    // Before consent more may wait than a request takes.
    const page = openPage({ attributes: { "data-require-consent": "true" } });
    for (let index = 0; index < 98; index++)
      page.api.track(`e${index}`, { text: "x".repeat(3_000) });
    page.api.grantConsent();
    await page.wait(5_000);
    expect(tracked(page).every(({ text }) => Buffer.byteLength(text) <= 65_536)).toBe(true);
    expect(sizes(page)).toEqual([12, 13, 12, 13, 12, 13, 12, 13]);
    expect(page.sentEvents()).toHaveLength(100);
  });

  test("forty events go out at once, without waiting for the five seconds", async () => {
    const page = openPage();
    for (let index = 1; index < 39; index++) page.api.track(`e${index}`);
    await page.wait(0);
    expect(tracked(page)).toEqual([]);
    page.api.track("the fortieth");
    await page.wait(0);
    expect(sizes(page)).toEqual([40]);
    page.api.track("later");
    await page.wait(4_999);
    expect(sizes(page)).toEqual([40]);
    await page.wait(1);
    expect(sizes(page)).toEqual([40, 1]);
  });

  test("so do 30 KiB, of bytes and not of characters", async () => {
    for (const [letter, bytes] of [
      ["x", 1],
      ["\u10d0", 3],
    ] as const) {
      const page = openPage();
      await page.wait(5_000);
      page.api.track("e", { text: "" });
      await page.wait(5_000);
      const base = Buffer.byteLength(JSON.stringify(page.sentEvents().at(-1)));
      const letters = Math.floor((30_720 / 10 - base) / bytes);
      for (let index = 0; index < 9; index++) page.api.track("e", { text: letter.repeat(letters) });
      page.api.track("e", { text: letter.repeat(letters - 3) });
      await page.wait(0);
      expect(sizes(page).slice(2)).toEqual([]);
      page.api.track("e");
      await page.wait(0);
      expect(sizes(page).slice(2)).toEqual([11]);
    }
  });

  test("what waits goes out before what is under way, of which the browser has a copy", async () => {
    const page = openPage({
      globals: {
        fetch: (url: string, { body }: RequestInit) => {
          page.send("fetch", url, String(body ?? ""), {}, "");
          return new Promise(() => undefined);
        },
      },
    });
    for (let index = 0; index < 150; index++) page.api.track(`e${index}`);
    page.hide();
    const names = tracked(page).map(({ by, text }) => {
      const { events } = JSON.parse(text);
      return `${by} ${events[0].event} ${events.at(-1).event}`;
    });
    const under = names[0]?.replace("fetch", "");
    expect(names[0]?.startsWith("fetch page_view")).toBe(true);
    expect(names.at(-1)).toBe(`beacon${under}`);
    expect(names.at(-2)?.endsWith("e149")).toBe(true);
    expect(new Set(page.sentEvents().map(({ event_id }) => event_id)).size).toBe(151);
  });

  test("bytes count, not characters", async () => {
    const page = openPage();
    await page.wait(5_000);
    for (let index = 0; index < 20; index++)
      page.api.track(`e${index}`, { text: "\u4e16".repeat(2_000) });
    await page.wait(5_000);
    expect(tracked(page).every(({ text }) => Buffer.byteLength(text) <= 65_536)).toBe(true);
    expect(page.sentEvents()).toHaveLength(21);
  });

  test("an event the server will refuse for its properties goes alone; one that fits nowhere is dropped", async () => {
    const page = openPage();
    await page.wait(5_000);
    const large = Array.from({ length: 3 }, () => "x".repeat(4_000));
    const huge = Array.from({ length: 20 }, () => "x".repeat(4_000));
    page.api.track("a");
    page.api.track("too_large", { large });
    page.api.track("lost", { huge });
    page.api.track("b");
    await page.wait(5_000);
    const names = tracked(page).map(({ text }) => {
      const body = JSON.parse(text);
      return body.events?.map(({ event }: { event: string }) => event) ?? body.event;
    });
    // "lost" brings the bytes that wait over the bound, so all goes out at once.
    expect(names).toEqual(["page_view", "too_large", "a", "b"]);
  });

  test("both sides of the 8,192 bytes", async () => {
    const page = openPage();
    await page.wait(5_000);
    page.api.track("probe", { text: ["", ""] });
    await page.wait(5_000);
    const base = Buffer.byteLength(JSON.stringify(page.sentEvents().at(-1)?.properties));
    const filled = (bytes: number) => ({
      text: ["x".repeat(4_096), "x".repeat(bytes - base - 4_096)],
    });
    page.api.track("fits", filled(8_192));
    page.api.track("other");
    await page.wait(5_000);
    expect(tracked(page).at(-1)?.path).toBe("/track/batch");
    page.api.track("too_large", filled(8_193));
    page.api.track("other");
    await page.wait(5_000);
    expect(
      tracked(page)
        .slice(-2)
        .map(({ path }) => path),
    ).toEqual(["/track", "/track"]);
  });

  test("one request at a time, because browsers allow 64 KiB of keepalive in flight", async () => {
    let inFlight = 0;
    let most = 0;
    const page = openPage({
      globals: {
        fetch: async (url: string) => {
          if (url.includes("config")) return Response.json({});
          inFlight += 1;
          most = Math.max(most, inFlight);
          await new Promise((resolve) => setImmediate(resolve));
          inFlight -= 1;
          return Response.json({}, { status: 202 });
        },
      },
    });
    for (let index = 0; index < 500; index++) page.api.track("many");
    await page.wait(10_000);
    expect(most).toBe(1);
  });
});

describe("when a means of sending is missing", () => {
  test("a declined beacon becomes a fetch with keepalive", () => {
    const page = openPage();
    page.takesBeacons = false;
    page.hide();
    expect(tracked(page).map(({ by, options }) => [by, options.keepalive])).toEqual([
      ["fetch", true],
    ]);
  });

  test("without sendBeacon the last events go by fetch", () => {
    const page = openPage({
      prepare: ({ window }) =>
        Object.defineProperty(window.navigator, "sendBeacon", { value: undefined }),
    });
    page.hide();
    expect(tracked(page).map(({ by }) => by)).toEqual(["fetch"]);
  });

  test("without fetch events wait for the beacon at the end", async () => {
    const page = openPage({ globals: { fetch: undefined } });
    await page.wait(5_500);
    page.hide();
    expect(tracked(page).map(({ by }) => by)).toEqual(["beacon"]);
  });
});
