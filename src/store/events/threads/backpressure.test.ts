import { describe, expect, test } from "bun:test";
import { entryOf, numbered } from "../../../../test/support/event-store";
import { rowsWaitingMax } from "../../../domain/limits";
import type { Entry } from "../../port";
import { Backpressure } from "./backpressure";

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
    expect(pressure.isOn).toBe(true);
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
  });

  test("all are taken again when the compactor has caught up", () => {
    const pressure = new Backpressure();
    pressure.report({ events: 2 * rowsWaitingMax, heavyProjectIds: ["flood"] });
    pressure.report({ events: rowsWaitingMax - 1, heavyProjectIds: [] });
    expect(pressure.isOn).toBe(false);
    expect(pressure.refusal([flood])).toBeNull();
  });
});
