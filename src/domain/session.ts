import { roundTo } from "../lib/round";

/** Only the events of a session are stored; these rules make a session of them. */

/** Upper bounds in ms, exclusive, of the buckets of session durations; the last has none. */
export const durationBuckets = [
  { label: "0s", belowMs: 1 },
  { label: "1-10s", belowMs: 10_000 },
  { label: "10-30s", belowMs: 30_000 },
  { label: "30-60s", belowMs: 60_000 },
  { label: "1-3m", belowMs: 180_000 },
  { label: "3-10m", belowMs: 600_000 },
  { label: "10m+", belowMs: Number.POSITIVE_INFINITY },
] as const;
/** Sessions from this bucket on count as engaged. */
export const engagedFromBucket = 3;

/** The share of sessions that bounced; 0 of none. */
export const bounceRate = (bounces: number, sessions: number): number =>
  sessions === 0 ? 0 : roundTo(bounces / sessions, 3);

/** The share of sessions that reached a goal; 0 of none. */
export const conversionRate = (conversions: number, sessions: number): number =>
  sessions === 0 ? 0 : roundTo(conversions / sessions, 3);

/** Returns the mean duration in ms; 0 when there are no sessions. */
export const averageDuration = (durationMs: number, sessions: number): number =>
  sessions === 0 ? 0 : Math.round(durationMs / sessions);
