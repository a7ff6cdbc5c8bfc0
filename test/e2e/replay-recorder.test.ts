import { describe, expect, test } from "bun:test";
import { useCollector } from "../support/browser/collector-suite";
import {
  collectorToken,
  eventsOf,
  hasSnapshot,
  type ReplayCollector,
  until,
} from "../support/browser/replay-collector";
import { untilInPage } from "../support/browser/until-in-page";
import { eventually } from "../support/suite/eventually";

let collector: ReplayCollector;
useCollector((opened) => {
  collector = opened;
});

const key = (name: string): string => `aa:${collectorToken}:${name}`;
const grant = `localStorage.setItem("${key("consent")}", "granted")`;
/** The value of a browser that was told not to track. */
const doNotTrack = `Object.defineProperty(Navigator.prototype, "doNotTrack", { get: () => "1" });`;
/** Before a deferred script runs its tag can still be changed. */
const withTag = (script: string, change: string): string =>
  `document.addEventListener("readystatechange", () => {
    const tag = document.querySelector("script[src*='/${script}']");
    ${change}
  }, { once: true });`;
/** The site's own tag says whether it is honored. */
const honorsIt = withTag("tracker.js", 'tag.setAttribute("data-do-not-track", "true")');
const replays = (): number => new Set(collector.segments.map(({ replay }) => replay)).size;

describe("when it records", () => {
  test("after consent: not before, at once when it is given, no more when it is taken back", async () => {
    collector.config = { start_mode: "after_consent" };
    const { page, status, consent } = await collector.visit("/shop");
    await Bun.sleep(1_000);
    await page.evaluate("window.aaReplay.start()");
    await Bun.sleep(300);
    expect([await status(), collector.segments.length]).toEqual(["idle", 0]);
    await consent("granted");
    await until(() => hasSnapshot(collector));
    await eventually(async () => expect(await status()).toBe("recording"));
    expect(hasSnapshot(collector)).toBe(true);
    await page.mouse.move(200, 200);
    await consent("revoked");
    await until(() => collector.finished.length > 0);
    await eventually(async () =>
      expect([await status(), collector.finished]).toEqual(["stopped", ["consent_revoked"]]),
    );
    const sent = collector.segments.length;
    await page.mouse.move(300, 300);
    await page.evaluate("window.aaReplay.start()");
    await Bun.sleep(5_500);
    expect(collector.segments.length).toBe(sent);
  });

  test("after consent: at once where it was given earlier", async () => {
    collector.config = { start_mode: "after_consent" };
    await collector.visit("/shop", { before: (context) => context.addInitScript(grant) });
    await until(() => hasSnapshot(collector));
    expect(hasSnapshot(collector)).toBe(true);
  });

  test("by hand: from start() to stop()", async () => {
    collector.config = { start_mode: "manual" };
    const { page, status } = await collector.visit("/shop");
    await Bun.sleep(800);
    expect([await status(), collector.segments.length]).toEqual(["idle", 0]);
    await page.evaluate("window.aaReplay.start()");
    await until(() => hasSnapshot(collector));
    await eventually(async () => expect(await status()).toBe("recording"));
    await page.evaluate("window.aaReplay.stop()");
    await until(() => collector.finished.length > 0);
    await eventually(async () =>
      expect([await status(), collector.finished]).toEqual(["stopped", ["manual"]]),
    );
  });

  test("immediate: revoking stops it too", async () => {
    const { status, consent } = await collector.visit("/shop");
    await until(() => hasSnapshot(collector));
    await eventually(async () => expect(await status()).toBe("recording"));
    await consent("revoked");
    await until(() => collector.finished.length > 0);
    expect(collector.finished).toEqual(["consent_revoked"]);
  });

  test("immediate: also where Do Not Track is set, if the site does not honor it", async () => {
    const { status } = await collector.visit("/shop", {
      before: (context) => context.addInitScript(doNotTrack),
    });
    await until(() => hasSnapshot(collector));
    await eventually(async () => expect(await status()).toBe("recording"));
  });

  test("never: switched off, not sampled, opted out, or Do Not Track is honored", async () => {
    const optOut = `localStorage.setItem("${key("disabled")}", "true")`;
    for (const [config, script] of [
      [{ enabled: false }, ""],
      [{ sample_rate: 0 }, ""],
      [{}, optOut],
      [{}, `localStorage.setItem("aa_disabled", "true")`],
      [{}, doNotTrack + honorsIt],
    ] as const) {
      collector.config = config;
      const { status } = await collector.visit("/shop", {
        before: (context) => context.addInitScript(script),
      });
      await Bun.sleep(900);
      expect([config, script, await status(), replays()]).toEqual([config, script, "idle", 0]);
    }
  });

  test("never: without its token, or without a session of the tracker", async () => {
    for (const script of ["replay.js", "tracker.js"]) {
      const { status } = await collector.visit("/shop", {
        before: (context) =>
          context.addInitScript(withTag(script, 'tag.removeAttribute("data-token")')),
      });
      await Bun.sleep(900);
      expect([script, await status(), replays()]).toEqual([script, "idle", 0]);
    }
  });

  test("never: on localhost, even where there is a session", async () => {
    const session = `sessionStorage.setItem("${key("sid")}", "s1")`;
    const { page, status } = await collector.visit("/away", {
      before: (context) => context.addInitScript(session),
    });
    const { port } = new URL(collector.origin);
    for (const name of ["localhost", "127.0.0.1"]) {
      await page.goto(`http://${name}:${port}/shop`);
      await Bun.sleep(900);
      expect([name, await status(), replays()]).toEqual([name, "idle", 0]);
    }
  });

  test("once, where its tag stands twice", async () => {
    const again = `const again = document.createElement("script");
      again.src = tag.src;
      again.dataset.token = tag.dataset.token;
      again.onload = () => document.body.append("loaded twice");
      document.head.append(again);`;
    const { page } = await collector.visit("/shop", {
      before: (context) => context.addInitScript(withTag("replay.js", again)),
    });
    await page.getByText("loaded twice").waitFor();
    await until(() => hasSnapshot(collector));
    await page.locator(".add").first().click();
    await page.goto(`${collector.origin}/away`);
    const clicks = () =>
      eventsOf(collector).filter(({ data }) => data.source === 2 && data.type === 2);
    await eventually(() => expect(clicks()).toHaveLength(1));
    expect(eventsOf(collector).filter(({ type }) => type === 2)).toHaveLength(1);
  });
});

describe("what it sends", () => {
  test("begins with a snapshot on every page, and tells of routes and loads in one sequence", async () => {
    const { page, problems } = await collector.visit("/shop");
    await until(() => hasSnapshot(collector));
    await page.goto(`${collector.origin}/docs`);
    await until(() => eventsOf(collector).filter(({ type }) => type === 2).length === 2);
    await page.click("nav a:nth-child(2)");
    await page.mouse.move(300, 300);
    await page.goto(`${collector.origin}/away`);
    const told = () =>
      eventsOf(collector).flatMap(({ type, data }) => {
        if (type === 4) return [`load ${data.href}`];
        return type === 5 ? [`${data.tag} ${(data.payload as { href: string }).href}`] : [];
      });
    await until(() => told().length >= 3);
    expect(told()).toEqual([
      `load ${collector.origin}/shop`,
      `load ${collector.origin}/docs`,
      `aa-route ${collector.origin}/docs/api`,
    ]);
    await eventually(() => {
      const seqs = collector.segments.map(({ seq }) => seq).sort((a, b) => a - b);
      expect(seqs).toEqual(seqs.map((_, at) => at));
    });
    expect([replays(), problems]).toEqual([1, []]);
  });

  test("holds shadow trees, adopted style sheets and frames of the same origin", async () => {
    await collector.visit("/shop");
    const changes = () => eventsOf(collector).filter(({ type }) => type === 3);
    await until(() => changes().some(({ data }) => data.isAttachIframe === true));
    await eventually(() => {
      const text = JSON.stringify(eventsOf(collector));
      expect(text).toContain('"isShadowHost":true');
      expect(text).toContain("Card details");
      expect(text).toMatch(/"source":15,[^}]*"styleIds"/);
      expect(text).toContain("rgb(217, 130, 43)");
    });
  });

  // The delay until it begins is a figure of `npm run load`. It has begun when the server has said that it wants a
  // recording and the first segment has its number; the segment itself is still being compressed then.
  test("visitors who leave as soon as it has begun have been recorded", async () => {
    for (let visits = 0; visits < 3; visits += 1) {
      collector.forget();
      const { page } = await collector.visit("/docs");
      await untilInPage(page, `sessionStorage.getItem("${key("replay")}") !== null`);
      await page.goto(`${collector.origin}/away`);
      await until(() => hasSnapshot(collector));
      expect([visits, hasSnapshot(collector)]).toEqual([visits, true]);
    }
  });

  test("another session is another replay", async () => {
    const { page } = await collector.visit("/shop");
    await until(() => hasSnapshot(collector));
    await page.evaluate(`sessionStorage.setItem("${key("sid")}", "sess_other")`);
    await page.mouse.move(400, 400);
    await eventually(() => expect([replays(), collector.finished]).toEqual([2, ["session_end"]]));
  });

  test("told to stop it ends, and does not send again what was not stored", async () => {
    let tries = 0;
    collector.answer = (path) => {
      if (!path.endsWith("/segments")) return null;
      tries += 1;
      return Response.json({ ok: true, seq: 0, next_seq: 0, stop: true, stored: false });
    };
    const { page, status } = await collector.visit("/docs");
    await until(async () => (await status()) === "stopped");
    await page.mouse.move(200, 200);
    await Bun.sleep(1_000);
    // Stopping sends what has gathered meanwhile, once.
    expect([await status(), tries <= 2]).toEqual(["stopped", true]);
  });

  test("a refused segment comes again under its number; what is refused for good ends it", async () => {
    let tries = 0;
    collector.answer = (path) => {
      if (!path.endsWith("/segments")) return null;
      tries += 1;
      return tries === 1 ? new Response("", { status: 503 }) : null;
    };
    const { page, status } = await collector.visit("/docs");
    await until(() => hasSnapshot(collector));
    // The next one may have come as well by now.
    expect(collector.segments[0]?.seq).toBe(0);
    expect(tries).toBeGreaterThanOrEqual(2);
    collector.answer = (path) =>
      path.endsWith("/segments") ? new Response("{}", { status: 409 }) : null;
    await page.mouse.move(200, 200);
    await until(async () => (await status()) === "stopped");
    await eventually(async () =>
      expect([await status(), collector.finished]).toEqual(["stopped", ["error"]]),
    );
  });
});

describe("two tabs of one session", () => {
  /** Opened from the first one, which gives it a copy of the session. */
  const second = async (page: Awaited<ReturnType<typeof collector.visit>>["page"]) => {
    const [other] = await Promise.all([
      page.context().waitForEvent("page"),
      page.evaluate(`window.open("/docs")`),
    ]);
    await untilInPage(other, "window.aaReplay !== undefined");
    return other;
  };

  test("one of them records; when it is left, the other does", async () => {
    const { page, status } = await collector.visit("/shop", { isSafe: true });
    await until(() => hasSnapshot(collector));
    const other = await second(page);
    await Bun.sleep(1_200);
    const otherStatus = () => other.evaluate("window.aaReplay.status()");
    await eventually(async () => expect(await status()).toBe("recording"));
    expect(await otherStatus()).toBe("idle");
    await page.goto(`${collector.safeOrigin}/away`);
    await until(async () => (await otherStatus()) === "recording");
    expect(await otherStatus()).toBe("recording");
  });

  test("where there are no locks, a number that is taken is not used twice", async () => {
    const { page } = await collector.visit("/shop");
    await until(() => hasSnapshot(collector));
    const other = await second(page);
    await until(() => collector.segments.some(({ text }) => text.includes("/docs")));
    await other.mouse.move(200, 200);
    await page.bringToFront();
    await page.mouse.move(500, 300);
    await until(() => collector.segments.length >= 4);
    const seqs = collector.segments.map(({ seq }) => seq);
    expect(replays()).toBe(1);
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(seqs.length).toBeGreaterThanOrEqual(4);
  });
});
