import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { viewerPage } from "../../src/features/replays/viewer-page";
import { buildPlayer } from "../../src/replay/player/build";
import { launchChromium } from "../support/browser/chromium";
import { attacks } from "../support/browser/forged-nodes";
import { forge } from "../support/browser/forged-recording";
import { eventually } from "../support/suite/eventually";

/** The layers of protection under which a recording is played. */
interface Layers {
  readonly cleans: boolean;
  readonly hasUnsafeFrame: boolean;
  readonly hasPolicy: boolean;
}

interface Played {
  /** Names of attacks whose scripts have run. */
  readonly ran: ReadonlySet<string>;
  /** Paths that were asked for at a host of the attacker. */
  readonly loaded: ReadonlySet<string>;
  readonly isPolluted: boolean;
  readonly isRebuilt: boolean;
  readonly sandbox: string | null;
}

const statsHost = "stats.example.net";
const evilHost = "evil.example.org";
const startMs = Date.UTC(2026, 0, 15, 12);

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium([statsHost, evilHost]);
});
afterAll(() => browser.close());

const isRebuilt = `(document.querySelector(".stage iframe")?.contentDocument?.documentElement?.textContent ?? "")
  .includes("REBUILT")`;

/** Plays a recording of these attacks from a viewer's page, forth and back. */
async function play(names: readonly string[], layers: Layers): Promise<Played> {
  const player = await buildPlayer(layers);
  const loaded = new Set<string>();
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      const { host, pathname, port } = new URL(request.url);
      if (host.startsWith(evilHost)) {
        loaded.add(pathname);
        return new Response("", { headers: { "access-control-allow-origin": "*" } });
      }
      const evil = `http://${evilHost}:${port}`;
      if (pathname === "/replay-player.js") {
        return new Response(player, { headers: { "content-type": "application/javascript" } });
      }
      if (pathname.endsWith("/data")) {
        const { events } = forge(evil, names, { isMalformed: layers.cleans, startMs });
        const replay = { status: "complete" };
        return Response.json({ replay, segments: [{ seq: 0, events }], next_after: null });
      }
      if (pathname.endsWith("/timeline")) {
        const label = `<img src="${evil}/label" onerror="top.__pwned.push('label')">`;
        return Response.json({ entries: [{ at_ms: 0, kind: "click", label }] });
      }
      const origin = `http://${host}`;
      const page = viewerPage(origin, origin);
      if (!layers.hasPolicy) page.headers.delete("content-security-policy");
      return page;
    },
  });
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.addInitScript("window.__pwned ??= []");
    page.on("dialog", (dialog) => dialog.dismiss());
    await page.goto(`http://${statsHost}:${server.port}/replays/view/rvt_x`);
    await page.waitForSelector("body[data-state]");
    await page.keyboard.press("k");
    await page.waitForTimeout(names.length > attacksAtOnce ? 2_500 : 1_200);
    // Forth and back, which takes the way of the virtual document.
    for (const key of ["Home", "End", "5"]) await page.keyboard.press(key);
    await page.waitForTimeout(600);
    if (layers.cleans)
      await eventually(async () => expect(await page.evaluate(isRebuilt)).toBe(true));
    const seen: Pick<Played, "isPolluted" | "isRebuilt" | "sandbox"> & { pwned: string[] } =
      await page.evaluate(`(() => {
        const frame = document.querySelector(".stage iframe");
        return {
          pwned: window.__pwned,
          isPolluted: ({}).polluted !== undefined,
          isRebuilt: ${isRebuilt},
          sandbox: frame?.getAttribute("sandbox") ?? null,
        };
      })()`);
    return { ...seen, ran: new Set(seen.pwned), loaded };
  } finally {
    await context.close();
    await server.stop(true);
  }
}

const all = Object.keys(attacks);
const attacksAtOnce = 4;
const nothing = { ran: new Set(), loaded: new Set(), isPolluted: false, isRebuilt: true };

describe("a forged recording", () => {
  test("runs no script and loads nothing under the layers of the product", async () => {
    const layers = { cleans: true, hasUnsafeFrame: false, hasPolicy: true };
    expect<unknown>(await play(all, layers)).toEqual({
      ...nothing,
      pwned: [],
      sandbox: "allow-same-origin",
    });
  });

  test("nor under cleaning alone, in a frame that may run scripts, without a policy", async () => {
    const layers = { cleans: true, hasUnsafeFrame: true, hasPolicy: false };
    expect(await play(all, layers)).toMatchObject(nothing);
  });

  test("nor under the sandbox and the policy alone", async () => {
    const layers = { cleans: false, hasUnsafeFrame: false, hasPolicy: true };
    const { ran, loaded } = await play(all, layers);
    expect([[...ran], [...loaded]]).toEqual([[], []]);
  });

  test("does both when nothing protects, or all of this would prove nothing", async () => {
    const layers = { cleans: false, hasUnsafeFrame: true, hasPolicy: false };
    const ran = new Set<string>();
    const loaded = new Set<string>();
    // A few at a time: one that succeeds may take the page away from the others.
    const round = async (): Promise<void> => {
      for (let at = 0; at < all.length; at += attacksAtOnce) {
        const played = await play(all.slice(at, at + attacksAtOnce), layers);
        for (const name of played.ran) ran.add(name);
        for (const path of played.loaded) loaded.add(path);
      }
    };
    // On a busy machine some come too late for the first time that they are played.
    await eventually(async () => {
      await round();
      expect(ran.size).toBeGreaterThan(12);
      expect(loaded.size).toBeGreaterThan(55);
      for (const path of ["/halves", "/split"]) {
        expect([path, loaded.has(path)]).toEqual([path, true]);
      }
    });
  });
});
