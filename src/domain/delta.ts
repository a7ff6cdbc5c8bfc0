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
  return { current, previous, change, change_pct: percentOf(change, previous) };
}

/** The last field alone, of numbers that may be missing or so large that there is none. */
export function changePct(
  current: number | null,
  previous: number | null,
  isRate: boolean,
): number | null {
  if (current === null || previous === null) return null;
  if (isRate) return deltaOf(current, previous, rateDigits).change_pct;
  const percent = percentOf(current - previous, previous);
  return percent !== null && Number.isFinite(percent) ? percent : null;
}
const rateDigits = 3;

function percentOf(change: number, previous: number): number | null {
  if (previous === 0) return change === 0 ? 0 : null;
  return Math.round((change / previous) * 100);
}
