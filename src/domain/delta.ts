import { roundTo } from "../lib/round";

/** A number and what it was in the period before. */
export interface Delta {
  readonly current: number;
  readonly previous: number;
  readonly change: number;
  /** Percent; null when there was nothing before and there is something now. */
  readonly change_pct: number | null;
}

/** `digits` is the precision of both numbers, and so of their difference. */
export function deltaOf(current: number, previous: number, digits = 0): Delta {
  const change = roundTo(current - previous, digits);
  const ofNothing = current === 0 ? 0 : null;
  const percent = previous === 0 ? ofNothing : Math.round((change / previous) * 100);
  return { current, previous, change, change_pct: percent };
}
