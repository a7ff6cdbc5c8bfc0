import { dayMs } from "../lib/clock";

/** Skipped drills count as failed when there was no other for this long. */
const skippedMsMax = 14 * dayMs;

/** Times are in ISO form. */
export interface DrillState {
  readonly state: "never" | "running" | "ok" | "failed" | "skipped";
  readonly at: string | null;
  readonly seconds: number | null;
  readonly error: string | null;
  readonly restored_at: string | null;
  /** When a drill succeeded for the last time. */
  readonly last_ok_at: string | null;
  readonly failures: number;
  /** Since when every drill was skipped; null after one that was not. */
  readonly skipped_since: string | null;
}

export const noDrill: DrillState = {
  ...{ state: "never", at: null, seconds: null, error: null, restored_at: null },
  ...{ last_ok_at: null, failures: 0, skipped_since: null },
};

export type DrillOutcome = Pick<DrillState, "seconds" | "error" | "restored_at"> & {
  readonly state: "ok" | "failed" | "skipped";
};

/** The state after a drill ended. */
export function drillStateAfter(
  before: DrillState,
  outcome: DrillOutcome,
  nowMs: number,
): DrillState {
  const at = new Date(nowMs).toISOString();
  const skippedSince = outcome.state === "skipped" ? (before.skipped_since ?? at) : null;
  const isOld = nowMs - Date.parse(before.last_ok_at ?? skippedSince ?? at) > skippedMsMax;
  const isFailed = outcome.state === "failed" || (skippedSince !== null && isOld);
  return {
    ...outcome,
    ...{ state: isFailed ? "failed" : outcome.state, at, skipped_since: skippedSince },
    last_ok_at: outcome.state === "ok" ? at : before.last_ok_at,
    failures: before.failures + (isFailed ? 1 : 0),
  };
}
