import { describe, expect, test } from "bun:test";
import { entryOf, numbered } from "../../../../test/support/engine/event-store";
import { rowsWaitingMax } from "../../../domain/limits";
import type { Entry } from "../../port";
import { Backpressure, heavyEventsMin } from "./backpressure";

const flood: Entry = entryOf([numbered(1)], "flood");
const small: Entry = entryOf([numbered(1)], "small");
const link: Entry = {
  ...{ kind: "identity", projectId: "flood", receivedAtMs: 0 },
  ...{ previousId: "a", userId: "b", traits: null },
};
const unavailable = { code: "UNAVAILABLE", extras: { retry_after_seconds: 1 } };

describe("while rows wait for compaction", () => {
  test("the project that has most of them is held back, the others are not", () => {
    const pressure = new Backpressure();
    pressure.report({ events: rowsWaitingMax, heavyProjectIds: ["flood"] });
    // The server stores what others send: it is ready.
    expect(pressure.isOnForAll).toBe(false);
    expect(pressure.refusal([flood])).toMatchObject(unavailable);
    expect(pressure.refusal([small, flood])).toMatchObject(unavailable);
    expect(pressure.refusal([small])).toBeNull();
  });

  test("what leaves no rows is taken from anyone", () => {
    const pressure = new Backpressure();
    pressure.report({ events: 2 * rowsWaitingMax, heavyProjectIds: ["flood"] });
    expect(pressure.refusal([link])).toBeNull();
  });

  test("nobody is taken any more when twice as many wait, stored since the report or before", () => {
    const pressure = new Backpressure();
    pressure.report({ events: rowsWaitingMax, heavyProjectIds: ["flood"] });
    pressure.stored(rowsWaitingMax - 1);
    expect(pressure.refusal([small])).toBeNull();
    pressure.stored(1);
    expect(pressure.refusal([small])).toMatchObject(unavailable);
    expect(pressure.isOnForAll).toBe(true);
  });

  test("a flood of one project between two reports is held back before it holds back all", () => {
    const pressure = new Backpressure();
    pressure.stored(rowsWaitingMax);
    const batch = entryOf(
      Array.from({ length: 100 }, (_, number) => numbered(number)),
      "flood",
    );
    let taken = 0;
    while (pressure.refusal([batch]) === null) {
      pressure.stored(100);
      taken += 100;
      expect(taken).toBeLessThanOrEqual(heavyEventsMin + 100);
    }
    expect(pressure.refusal([flood])).toMatchObject(unavailable);
    expect(pressure.refusal([small])).toBeNull();
    expect(pressure.isOnForAll).toBe(false);
    pressure.report({ events: rowsWaitingMax, heavyProjectIds: [] });
    expect(pressure.refusal([flood])).toBeNull();
  });

  test("all are taken again when the compactor has caught up", () => {
    const pressure = new Backpressure();
    pressure.report({ events: 2 * rowsWaitingMax, heavyProjectIds: ["flood"] });
    pressure.report({ events: rowsWaitingMax - 1, heavyProjectIds: [] });
    expect(pressure.isOnForAll).toBe(false);
    expect(pressure.refusal([flood])).toBeNull();
  });
});
