import { dayMs, hourMs, minuteMs, secondMs } from "../../lib/clock";
import type { DeliveryError } from "./events";

const waitsMs = [
  ...[5 * secondMs, 1 * minuteMs, 5 * minuteMs, 30 * minuteMs],
  ...[2 * hourMs, 6 * hourMs, 12 * hourMs, 24 * hourMs],
];
export const deliveryWaitMsMax = dayMs;
/** A webhook to which nothing was delivered for this long is switched off. */
export const failingMsMax = 5 * dayMs;

const statusesToRepeat: ReadonlySet<number> = new Set([408, 425, 429]);

/** The outcome of one try. */
export interface Tried {
  /** Absent where no answer came. */
  readonly status?: number;
  readonly error?: DeliveryError;
  /** The wait that the answer asked for, in seconds. */
  readonly retryAfterS?: number;
  readonly ms: number;
}

/** The wait before the next try after this number of tries; null when there is none. */
export function deliveryWaitMs(tries: number, tried: Tried): number | null {
  const waitMs = waitsMs[tries - 1];
  if (waitMs === undefined || !isWorthRepeating(tried)) return null;
  const askedMs = (tried.retryAfterS ?? 0) * secondMs;
  return askedMs <= deliveryWaitMsMax ? Math.max(waitMs, askedMs) : waitMs;
}

function isWorthRepeating({ status, error }: Tried): boolean {
  if (status === undefined) return error !== "unsafe";
  return status >= 500 || statusesToRepeat.has(status);
}

/** Reads `Retry-After` as a number of seconds; undefined for anything else, dates included. */
export const retryAfterSeconds = (header: string | null): number | undefined =>
  header !== null && /^\d{1,9}$/.test(header.trim()) ? Number(header) : undefined;
