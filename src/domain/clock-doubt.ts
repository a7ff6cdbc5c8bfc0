import { dayMs, minuteMs } from "../lib/clock";

/** The clock may be this far from the time that a data folder knows, in either direction. */
export const clockDistanceMsMax = 2 * dayMs;

/** What a data folder knows of the time. */
export interface KnownTime {
  /**
   * The times at which it was surely in use, as `usedAtOf` has them. A new folder has none.
   */
  readonly usedAtMs: readonly number[];
  /** The latest `retained_from` of a project; 0 while nothing was forgotten. */
  readonly retainedFromMs: number;
}

/**
 * The last heartbeat of a server says when a folder was in use. The newest commit does so only where there is none:
 * under doubt there are commits of senders who claim to know the time.
 */
export const usedAtOf = (
  heartbeatMs: number | null,
  newestCommitMs: number | null,
): readonly number[] => [heartbeatMs ?? newestCommitMs].filter((ms) => ms !== null);

/** The reason why a clock is not trusted. */
export interface ClockDoubt {
  readonly kind: "ahead" | "behind" | "before retained_from";
  readonly clockMs: number;
  /** The time that the folder knows, or the `retained_from` that lies ahead. */
  readonly knownMs: number;
}

/**
 * Returns null for a clock that may be right. A `retained_from` that lies ahead was set by a clock that was wrong, or
 * the clock is wrong now: whatever is stored meanwhile, no read would show.
 */
export function doubtOf(
  { usedAtMs, retainedFromMs }: KnownTime,
  clockMs: number,
): ClockDoubt | null {
  if (retainedFromMs > clockMs) {
    return { kind: "before retained_from", clockMs, knownMs: retainedFromMs };
  }
  const isNear = (ms: number): boolean => Math.abs(clockMs - ms) <= clockDistanceMsMax;
  if (usedAtMs.length === 0 || usedAtMs.some(isNear)) return null;
  const knownMs = Math.max(...usedAtMs);
  return { kind: clockMs > knownMs ? "ahead" : "behind", clockMs, knownMs };
}

/** Says what is wrong, and the way back. */
export function describeDoubt({ kind, clockMs, knownMs }: ClockDoubt): string {
  const [clock, known] = [timeText(clockMs), timeText(knownMs)];
  const days = (Math.abs(clockMs - knownMs) / dayMs).toFixed(1);
  const found =
    kind === "before retained_from"
      ? `A wrong clock has hidden all events before ${known}, a date in the future: the clock now says ` +
        `${clock}.`
      : `The clock says ${clock}, ${days} days ${kind === "ahead" ? "after" : "before"} the data folder was last ` +
        `used (${known}).`;
  return `${found} If the clock is right, run sightline clock --accept. Otherwise correct the clock.`;
}

/** Minutes are enough for people. */
const timeText = (ms: number): string => {
  const [date = "", time = ""] = new Date(ms - (ms % minuteMs)).toISOString().split("T");
  return `${date} ${time.slice(0, "00:00".length)} UTC`;
};
