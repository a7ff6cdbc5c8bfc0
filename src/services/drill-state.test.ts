import { expect, test } from "bun:test";
import { dayMs } from "../lib/clock";
import { type DrillOutcome, type DrillState, drillStateAfter, noDrill } from "./drill-state";

const startMs = Date.UTC(2026, 0, 14);
const ended = (state: DrillOutcome["state"]): DrillOutcome => ({
  ...{ state, seconds: 1, error: null, restored_at: null },
});
/** The states after drills, each with its number of days after the start. */
const statesAfter = (...drills: readonly [day: number, state: DrillOutcome["state"]][]) => {
  let state: DrillState = noDrill;
  return drills.map(([day, outcome]) => {
    state = drillStateAfter(state, ended(outcome), startMs + day * dayMs);
    return state.state;
  });
};

test("drills that are skipped count as failed after 14 days without another, from the first on", () => {
  expect(statesAfter([0, "skipped"], [7, "skipped"], [14, "skipped"], [21, "skipped"])).toEqual([
    ...(["skipped", "skipped", "skipped", "failed"] as const),
  ]);
});

test("the 14 days begin with the last drill that succeeded", () => {
  expect(statesAfter([0, "ok"], [7, "skipped"], [14, "skipped"], [15, "skipped"])).toEqual([
    ...(["ok", "skipped", "skipped", "failed"] as const),
  ]);
  expect(statesAfter([0, "skipped"], [13, "ok"], [20, "skipped"])).toEqual([
    ...(["skipped", "ok", "skipped"] as const),
  ]);
});

test("failures are counted, and the last success is remembered", () => {
  const ok = drillStateAfter(noDrill, ended("ok"), startMs);
  const failed = drillStateAfter(ok, ended("failed"), startMs + dayMs);
  expect(failed).toMatchObject({ failures: 1, last_ok_at: new Date(startMs).toISOString() });
});
