import { dayMs } from "../lib/clock";
import type { StoredDays } from "./retention";

/** After an account has lost Pro, its events are still kept for as long as Pro keeps them. */
const downgradeGraceMs = 30 * dayMs;

export type Tier = "free" | "pro";

/** The facts that decide an account's plan. */
export interface Rights {
  readonly tier: Tier;
  readonly complimentary: boolean;
}

/** The limits of a tier, as `tier_limits` shows them. */
export interface TierLimits {
  readonly max_events_per_month: number;
  readonly max_projects: number;
  readonly max_reads_per_month: number;
  readonly retention_days: number;
  readonly rate_limit_rpm: number;
}

/** Full website scans per UTC month. Not of `tier_limits`, whose fields clients know. */
export const fullScansPerMonthMax: Readonly<Record<Tier, number>> = { free: 3, pro: 50 };

export const unlimited = -1;

export const tierLimits: Readonly<Record<Tier, TierLimits>> = {
  free: {
    max_events_per_month: 100_000,
    max_projects: 2,
    max_reads_per_month: 500,
    retention_days: 90,
    rate_limit_rpm: 10,
  },
  pro: {
    max_events_per_month: unlimited,
    max_projects: unlimited,
    max_reads_per_month: unlimited,
    retention_days: 365,
    rate_limit_rpm: 1_000,
  },
};

/** The limits of a tier on a server that stores the events of Pro for some days; null is for ever. */
export const limitsOf = (tier: Tier, proDays: StoredDays): TierLimits =>
  tier === "pro" ? { ...tierLimits.pro, retention_days: proDays ?? unlimited } : tierLimits[tier];

/** The days for which a plan stores events. */
export const storedDaysOf = (tier: Tier, proDays: StoredDays): StoredDays =>
  tier === "pro" ? proDays : tierLimits[tier].retention_days;

/** The tier whose rights an account has: a complimentary one has those of Pro. */
export const effectiveTier = (account: Rights): Tier =>
  account.complimentary ? "pro" : account.tier;

/** The days for which events are stored: those of Pro also for some time after it was lost. */
export function retentionDays(
  account: Rights & { readonly lostProAtMs: number | null },
  nowMs: number,
  proDays: StoredDays = tierLimits.pro.retention_days,
): StoredDays {
  const { lostProAtMs } = account;
  const isInGrace = lostProAtMs !== null && nowMs < lostProAtMs + downgradeGraceMs;
  return storedDaysOf(isInGrace ? "pro" : effectiveTier(account), proDays);
}

/** Tells whether `more` than `used` stays within a limit. */
export const allowsMore = (limit: number, used: number, more = 1): boolean =>
  limit === unlimited || used + more <= limit;
