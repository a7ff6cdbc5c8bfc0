const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** An action of a soak, at a moment after its start. */
export interface Step {
  readonly atMs: number;
  readonly what: "stop" | "kill" | "drill" | "rest";
}

export interface Plan {
  readonly totalMs: number;
  readonly steps: readonly Step[];
  readonly backupEveryS: number;
  readonly restMs: number;
  readonly alertEveryMs: number;
  /** The factor by which the memory of a rest may exceed that of the second one. */
  readonly memoryGrowthMax: number;
}

/** A project may have 50. */
const alertsMax = 40;
/** A younger process than this has not filled its caches, and its memory says little. */
const settledHourMsMin = 20 * minuteMs;

/**
 * The plan of a soak of that number of hours. In each hour the server is stopped twice and its backup drilled once; at
 * the end of the hour nobody asks it for a while. Every fourth stop is a kill. A soak of less than four hours does the
 * same in shorter hours, of which it has four.
 */
export function planOf(hours: number): Plan {
  const totalMs = hours * hourMs;
  const oneMs = Math.min(hourMs, totalMs / 4);
  const steps = Array.from({ length: Math.floor(totalMs / oneMs + 1e-6) }, (_, hour): Step[] => [
    { atMs: (hour + 0.25) * oneMs, what: "stop" },
    { atMs: (hour + 0.5) * oneMs, what: "drill" },
    // The process that rests is then of the same age in each hour.
    { atMs: (hour + 0.75) * oneMs, what: hour % 2 === 1 ? "kill" : "stop" },
    { atMs: (hour + 1) * oneMs, what: "rest" },
  ]).flat();
  return {
    totalMs,
    steps,
    backupEveryS: Math.max(5, Math.round((60 * oneMs) / hourMs)),
    restMs: Math.min(2 * minuteMs, oneMs / 5),
    alertEveryMs: Math.max(oneMs / 6, totalMs / alertsMax),
    memoryGrowthMax: oneMs >= settledHourMsMin ? 1.1 : 2,
  };
}
