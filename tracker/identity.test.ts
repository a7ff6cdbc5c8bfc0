import { describe, expect, test } from "bun:test";
import { nextPage, openPage, projectName, token } from "../test/support/browser/tracker-page";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const key = (name: string): string => `aa:${token}:${name}`;

describe("ids", () => {
  test("the anonymous id stays, for every event and every page", async () => {
    const first = openPage();
    const [event] = await first.events();
    expect(event?.user_id).toBe(first.storage.local.get(key("uid")) ?? "");
    const second = nextPage(first);
    expect((await second.events())[0]?.user_id).toBe(event?.user_id ?? "");
  });

  test("who is identified stays so on the next page", async () => {
    const first = openPage();
    first.api.identify("user-1");
    const second = nextPage(first);
    expect((await second.events())[0]?.user_id).toBe("user-1");
    expect(second.api.getIdentity().userId).toBe("user-1");
  });

  test("getIdentity tells anonymous, identified and session id", async () => {
    const page = openPage();
    const [event] = await page.events();
    expect(page.api.getIdentity()).toEqual({
      anonymousId: event?.user_id ?? "",
      userId: null,
      sessionId: event?.session_id ?? "",
    });
  });
});

describe("sessions", () => {
  test("go on for thirty minutes of quiet, and not a millisecond longer", async () => {
    const page = openPage();
    const [{ session_id: first } = { session_id: "" }] = await page.events();
    await page.wait(30 * minuteMs - 5_000);
    page.api.track("on_the_bound");
    await page.wait(30 * minuteMs + 1);
    page.api.track("too_late");
    const [, second, third] = await page.events();
    expect(second?.session_id).toBe(first);
    expect(third?.session_id).not.toBe(first);
    expect(third?.session_id).toMatch(/^sess_/);
  });

  test("are counted, this one included", async () => {
    const page = openPage();
    await page.wait(31 * minuteMs);
    page.api.track("back");
    const other = openPage({ storage: { local: page.storage.local, session: new Map() } });
    const counts = [...(await page.events()), ...(await other.events())];
    expect(counts.map(({ properties }) => properties.session_count)).toEqual([1, 2, 3]);
  });

  test("days since the first visit are whole days", async () => {
    const first = openPage();
    await first.events();
    for (const [ms, days] of [
      [dayMs - 1, 0],
      [dayMs, 1],
      [9.9 * dayMs, 9],
    ] as const) {
      const page = nextPage(first, { nowMs: first.nowMs - 5_000 + ms });
      expect((await page.events())[0]?.properties.days_since_first_visit).toBe(days);
    }
  });
});

describe("storage", () => {
  test("holds these keys and no others", async () => {
    const page = openPage({ url: "https://shop.example.com/?utm_source=a" });
    page.api.identify("user-1");
    page.api.grantConsent();
    await page.events();
    const { local, session } = page.storage;
    expect([...local.keys()].sort()).toEqual(
      ["consent", "ft", "fv", "identified_uid", "sc", "uid"].map(key),
    );
    expect([...session.keys()].sort()).toEqual(["last_activity", "sid", "utm"].map(key));
    expect(JSON.parse(session.get(key("utm")) ?? "")).toEqual({ utm_source: "a" });
    expect(local.get(key("consent"))).toBe("granted");
    expect(Number(local.get(key("fv")))).toBe(page.nowMs - 5_000);
  });

  test("two projects on one origin share nothing", async () => {
    const storage = { local: new Map<string, string>(), session: new Map<string, string>() };
    const one = openPage({ storage });
    const other = openPage({ storage, attributes: { "data-token": `aat_${"b2".repeat(24)}` } });
    const [first] = await one.events();
    const [second] = await other.events();
    expect(first?.user_id).not.toBe(second?.user_id ?? "");
    expect(first?.session_id).not.toBe(second?.session_id ?? "");
    expect(second?.properties.session_count).toBe(1);
  });

  test("without token the project's name is the scope, percent-encoded to the last sign", async () => {
    const page = openPage({ attributes: { "data-token": null, "data-project": "a b!'()*:é" } });
    await page.events();
    expect([...page.storage.local.keys()]).toContain("aa:a%20b%21%27%28%29%2A%3A%C3%A9:uid");
  });

  test("older keys without scope are ignored", async () => {
    const storage = {
      local: new Map([
        ["aa_uid", "old"],
        ["uid", "older"],
      ]),
      session: new Map(),
    };
    const page = openPage({ storage });
    expect((await page.events())[0]?.user_id).toMatch(/^anon_/);
  });

  const blocked = new Proxy(
    {},
    {
      get: () => () => {
        throw new DOMException("denied", "SecurityError");
      },
    },
  );
  for (const [name, globals] of [
    ["throws", { localStorage: blocked, sessionStorage: blocked }],
    ["is absent", { localStorage: undefined, sessionStorage: undefined }],
  ] as const) {
    test(`memory takes its place when it ${name}`, async () => {
      const page = openPage({ globals });
      page.api.track("a");
      page.api.identify("user-1");
      page.api.track("b");
      const events = await page.events();
      expect(events.map(({ event }) => event)).toEqual(["page_view", "a", "b"]);
      expect(events[0]?.user_id).toBe(events[1]?.user_id ?? "");
      expect(events[2]?.user_id).toBe("user-1");
      expect(new Set(events.map(({ session_id }) => session_id)).size).toBe(1);
      expect(events[2]?.properties.session_count).toBe(1);
      expect(page.thrown).toEqual([]);
    });
  }

  test("a full storage is as good as none", async () => {
    const page = openPage({
      globals: {
        localStorage: {
          getItem: () => null,
          setItem: () => {
            throw new DOMException("full", "QuotaExceededError");
          },
          removeItem: () => undefined,
        },
      },
    });
    page.api.track("a");
    const events = await page.events();
    expect(events[0]?.user_id).toBe(events[1]?.user_id ?? "");
  });

  test("what others left in our keys does no harm", async () => {
    for (const text of ["{", "null", "5", '"text"', "[1]", ""]) {
      const storage = {
        local: new Map([
          [key("ft"), text],
          [key("fv"), text],
          [key("sc"), text],
        ]),
        session: new Map([
          [key("utm"), text],
          [key("last_activity"), text],
        ]),
      };
      const page = openPage({ storage });
      expect(await page.events()).toHaveLength(1);
      expect(page.thrown).toEqual([]);
    }
  });

  test("what another tab wrote is seen", async () => {
    const page = openPage();
    await page.events();
    page.storage.local.set(key("identified_uid"), "user-1");
    page.api.track("a");
    expect((await page.events()).at(-1)?.user_id).toBe("user-1");
  });
});

describe("identify", () => {
  test("flushes, then names the anonymous id as the previous one", async () => {
    const page = openPage();
    const { anonymousId } = page.api.getIdentity();
    page.api.identify("user-1", { plan: "pro" });
    await page.wait(0);
    expect(page.requests.map(({ path }) => path).slice(-2)).toEqual(["/track", "/identify"]);
    expect(page.identifications()).toEqual([
      {
        token,
        project: projectName,
        previous_id: anonymousId,
        user_id: "user-1",
        traits: { plan: "pro" },
        sent_at: page.nowMs,
      },
    ]);
  });

  test("a second person on this device is linked to the anonymous id, never to the first person", async () => {
    const page = openPage();
    const { anonymousId } = page.api.getIdentity();
    page.api.identify("user-1");
    page.api.identify("user-2");
    await page.wait(0);
    expect(page.identifications().map(({ previous_id }) => previous_id)).toEqual([
      anonymousId,
      anonymousId,
    ]);
  });

  test("is sent when the id is new or traits are given, and not else", async () => {
    const page = openPage();
    page.api.identify("user-1");
    page.api.identify("user-1");
    page.api.identify("user-1", { plan: "pro" });
    page.api.identify(42);
    await page.wait(0);
    expect(page.identifications().map(({ user_id, traits }) => [user_id, traits])).toEqual([
      ["user-1", undefined],
      ["user-1", { plan: "pro" }],
      ["42", undefined],
    ]);
  });

  test("the email trait goes out trimmed and in lower case; all other keys with email do not", async () => {
    const page = openPage();
    page.api.identify("user-1", {
      email: "  Ada@Example.COM ",
      workEmail: "x@example.com",
      nested: { email: "y@example.com", ok: 1 },
    });
    await page.wait(0);
    expect(page.identifications()[0]?.traits).toEqual({
      email: "ada@example.com",
      nested: { ok: 1 },
    });
  });

  test("nothing the server would refuse becomes an id", async () => {
    const page = openPage();
    for (const id of ["", null, undefined, {}, [], true, "x".repeat(257), "\ud800", () => "x"]) {
      page.api.identify(id);
    }
    await page.wait(5_000);
    expect(page.identifications()).toEqual([]);
    page.api.identify("\u{1f600}".repeat(256));
    await page.wait(0);
    expect(page.identifications()).toHaveLength(1);
  });
});

describe("reset", () => {
  test("forgets the person, the session and the set values", async () => {
    const page = openPage();
    const before = page.api.getIdentity();
    page.api.identify("user-1");
    page.api.set({ plan: "pro" });
    page.api.track("a");
    page.api.reset();
    page.api.track("b");
    const after = page.api.getIdentity();
    expect(after.userId).toBeNull();
    expect(after.anonymousId).not.toBe(before.anonymousId);
    expect(after.sessionId).not.toBe(before.sessionId);
    const [a, b] = (await page.events()).slice(-2);
    expect(a).toMatchObject({ user_id: "user-1", properties: { plan: "pro" } });
    expect(b?.user_id).toBe(after.anonymousId ?? "");
    expect(b?.properties.plan).toBeUndefined();
    expect(b?.properties.session_count).toBe(2);
  });

  test("sends what waits before it forgets", () => {
    const page = openPage();
    page.api.reset();
    expect(page.sentEvents().map(({ event }) => event)).toEqual(["page_view"]);
  });

  test("makes no new id before consent", () => {
    const page = openPage({ attributes: { "data-require-consent": "true" } });
    const { anonymousId } = page.api.getIdentity();
    page.api.reset();
    expect(page.api.getIdentity().anonymousId).toBe(anonymousId);
  });
});
