import { ApiError } from "../domain/errors";
import { nextMonthMs } from "../domain/month";
import { type Tier, tierLimits } from "../domain/plan";
import { clock, secondMs } from "../lib/clock";
import { MonthVolume } from "./month-volume";

/**
 * Counts what each account has stored this month, deleted projects included. The store's counters decide; this follows
 * them from the start on.
 */
export class EventVolume {
  readonly #tierOf: (accountId: string) => Tier;
  readonly #volume: MonthVolume;

  /** `stored` is what the month of `nowMs` has brought so far, by account. */
  constructor(
    tierOf: (accountId: string) => Tier,
    nowMs: number,
    stored: ReadonlyMap<string, number>,
  ) {
    this.#tierOf = tierOf;
    this.#volume = new MonthVolume(nowMs, stored);
  }

  stored(accountId: string): number {
    return this.#volume.stored(accountId);
  }

  /** Takes room for events that are about to be stored. Returns RATE_LIMITED when the month has none left. */
  reserve(accountId: string, events: number): ApiError | null {
    const limit = tierLimits[this.#tierOf(accountId)].max_events_per_month;
    return this.#volume.reserve(accountId, events, limit) ? null : overVolume(limit);
  }

  /** Nothing was stored after all. */
  release(accountId: string, events: number): void {
    this.settle(accountId, events, 0);
  }

  /** The store has committed; repeats of an `event_id` make `stored` the smaller one. */
  settle(accountId: string, reserved: number, stored: number): void {
    this.#volume.settle(accountId, reserved, stored);
  }
}

function overVolume(limit: number): ApiError {
  const nowMs = clock.nowMs();
  return new ApiError(
    "RATE_LIMITED",
    `This request would exceed the ${limit} events per month of the free plan, so none of it was stored. ` +
      "Upgrade the account, or wait for next month.",
    {
      reason: "monthly_event_limit",
      retry_after_seconds: Math.ceil((nextMonthMs(nowMs) - nowMs) / secondMs),
    },
  );
}
