import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { noonMs, type TestApp, testApp } from "../../test/support/app/app";
import { dayMs, hourMs, minuteMs, secondMs } from "../lib/clock";
import { TrustedTime } from "./trusted-time";

let app: TestApp;
/** The time of running, which no clock changes. */
let runningMs = 0;
beforeEach(async () => {
  app = await testApp();
  runningMs = 0;
});
afterEach(() => app.close());

/** A start: what the process before had in memory is gone. */
const start = (clockMs: number): TrustedTime => {
  app.jumpTo(clockMs);
  const { control, store } = app.deps;
  return new TrustedTime({ control, store, runningMs: () => runningMs });
};
/** Time goes by: the clock goes on as the process does. */
const wait = (clockMs: number, ms: number): void => {
  runningMs += ms;
  app.jumpTo(clockMs + ms);
};
const linesWith = (text: string): number => app.logged.filter((line) => line.includes(text)).length;

test("a new folder trusts the clock, whatever it says, and knows the time from then on", () => {
  const first = start(noonMs - 3_000 * dayMs);
  expect(first.isTrusted()).toBe(true);
  first.beat();
  expect(start(noonMs).doubt()).toMatchObject({ kind: "ahead", knownMs: noonMs - 3_000 * dayMs });
});

describe("a folder that was used", () => {
  beforeEach(() => start(noonMs).beat());

  test("trusts a clock of two days later or earlier, and none beyond", () => {
    for (const days of [2, -2]) expect(start(noonMs + days * dayMs).isTrusted()).toBe(true);
    expect(start(noonMs + 2 * dayMs + 1).isTrusted()).toBe(false);
    expect(start(noonMs - 2 * dayMs - 1).isTrusted()).toBe(false);
  });

  test("goes on as long as its server runs", () => {
    const time = start(noonMs);
    for (let day = 0; day < 10; day++) {
      wait(noonMs + day * dayMs, dayMs);
      expect(time.isTrusted()).toBe(true);
    }
    time.beat();
    expect(start(noonMs + 12 * dayMs).isTrusted()).toBe(true);
    // A long sleep of the process between two looks is time of running too.
    const other = start(noonMs + 10 * dayMs);
    runningMs += 30 * dayMs;
    app.jumpTo(noonMs + 40 * dayMs);
    expect(other.isTrusted()).toBe(true);
  });

  test("notices a clock that jumps while the server runs, and that it is right again", () => {
    const time = start(noonMs);
    expect(time.isTrusted()).toBe(true);
    wait(noonMs + 300 * dayMs, secondMs);
    expect(time.doubt()).toMatchObject({ kind: "ahead" });
    wait(noonMs - 300 * dayMs, secondMs);
    expect(time.doubt()).toMatchObject({ kind: "behind" });
    wait(noonMs, 3 * secondMs);
    expect(time.isTrusted()).toBe(true);
    expect(linesWith("the server does not trust the clock")).toBe(1);
    expect(linesWith("the server trusts the clock again")).toBe(1);
  });

  test("keeps no heartbeat of a clock that is not trusted", () => {
    const wrongMs = noonMs + 400 * dayMs;
    start(wrongMs).beat();
    expect(start(wrongMs).isTrusted()).toBe(false);
    expect(start(noonMs).isTrusted()).toBe(true);
  });

  test("refuses until an operator confirms the clock beside the server", () => {
    const laterMs = noonMs + 400 * dayMs;
    const time = start(laterMs);
    expect(() => time.refuseUnlessTrusted()).toThrow("sightline clock --accept");
    app.deps.control.heartbeat.accept(laterMs);
    wait(laterMs, minuteMs);
    time.refuseUnlessTrusted();
    // The next start knows it too, and no confirmation is left for another clock.
    time.beat();
    expect(start(laterMs).isTrusted()).toBe(true);
    expect(app.deps.control.heartbeat.read()).toEqual({
      atMs: laterMs + minuteMs,
      acceptedAtMs: null,
    });
  });

  test("a confirmation of a server that is off holds for its next start", () => {
    const laterMs = noonMs + 400 * dayMs;
    app.deps.control.heartbeat.accept(laterMs);
    expect(start(laterMs + hourMs).isTrusted()).toBe(true);
    expect(start(laterMs + 3 * dayMs).isTrusted()).toBe(false);
  });

  test("believes a clock with which the server has run for two days, and not before", () => {
    const laterMs = noonMs + 400 * dayMs;
    const time = start(laterMs);
    expect(time.isTrusted()).toBe(false);
    wait(laterMs, 2 * dayMs - 1);
    expect(time.isTrusted()).toBe(false);
    wait(laterMs + 2 * dayMs, secondMs);
    expect(time.isTrusted()).toBe(true);
    time.beat();
    expect(start(laterMs + 2 * dayMs).isTrusted()).toBe(true);
  });
});

describe("a retained_from that lies ahead", () => {
  const wrongMs = noonMs + 400 * dayMs;
  let retainedFrom = "";

  beforeEach(async () => {
    const shop = await app.makeProject("shop");
    await app.track(shop, { event: "visit" });
    start(noonMs).beat();
    // As versions did that asked no guard.
    app.jumpTo(wrongMs);
    await app.deps.store.forget(shop.id, wrongMs - 365 * dayMs);
    app.jumpTo(noonMs);
    retainedFrom = new Date(wrongMs - 365 * dayMs).toISOString().slice(0, 10);
  });
  const seen = async (): Promise<unknown> => {
    const { totals } = (await app.get("/stats?project=shop")) as {
      totals: { total_events: number };
    };
    return totals.total_events;
  };

  test("is a reason to store nothing, as no read would show it", async () => {
    const time = start(noonMs);
    expect(time.doubt()).toMatchObject({ kind: "before retained_from" });
    await time.mend();
    expect(time.isTrusted()).toBe(false);
    expect(app.logged.join()).toContain(retainedFrom);
  });

  test("is set back once an operator has confirmed the clock, and what it hid is seen", async () => {
    const time = start(noonMs);
    expect([time.isTrusted(), await seen()]).toEqual([false, 0]);
    app.deps.control.heartbeat.accept(noonMs);
    wait(noonMs, minuteMs);
    await time.mend();
    expect([time.isTrusted(), await seen()]).toEqual([true, 1]);
    expect(app.deps.store.knownTime().retainedFromMs).toBe(noonMs + minuteMs - 365 * dayMs);
  });

  test("is set back at the next start, if the clock was confirmed while no server ran", async () => {
    app.deps.control.heartbeat.accept(noonMs);
    const time = start(noonMs + hourMs);
    expect(time.isTrusted()).toBe(false);
    await time.mend();
    expect([time.isTrusted(), await seen()]).toEqual([true, 1]);
  });
});
