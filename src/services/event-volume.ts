import { ApiError } from "../domain/errors";
import { nextMonthMs } from "../domain/month";
import { allowsMore, type Tier, tierLimits } from "../domain/plan";
import { clock, secondMs } from "../lib/clock";

/** Events of an account in this UTC month, those of deleted projects included. */
interface Volume {
  stored: number;
  /** Events on their way to the store. They count against the limit until the store has answered. */
  reserved: number;
}

/** Counts what each account has stored this month. The store's counters decide; this follows them from the start on. */
export class EventVolume {
  readonly #tierOf: (accountId: string) => Tier;
  readonly #volumes = new Map<string, Volume>();
  /** The end of the month in ms: it is compared with every event, which would be slower with a name of the month. */
  #monthEndsAtMs: number;

  /** `stored` is what the month of `nowMs` has brought so far, by account. */
  constructor(
    tierOf: (accountId: string) => Tier,
    nowMs: number,
    stored: ReadonlyMap<string, number>,
  ) {
    this.#tierOf = tierOf;
    this.#monthEndsAtMs = nextMonthMs(nowMs);
    for (const [accountId, events] of stored) {
      this.#volumes.set(accountId, { stored: events, reserved: 0 });
    }
  }

  stored(accountId: string): number {
    return this.#of(accountId).stored;
  }

  /** Takes room for events that are about to be stored. Returns RATE_LIMITED when the month has none left. */
  reserve(accountId: string, events: number): ApiError | null {
    const volume = this.#of(accountId);
    const limit = tierLimits[this.#tierOf(accountId)].max_events_per_month;
    if (!allowsMore(limit, volume.stored + volume.reserved, events)) return overVolume(limit);
    volume.reserved += events;
    return null;
  }

  /** Nothing was stored after all. */
  release(accountId: string, events: number): void {
    this.settle(accountId, events, 0);
  }

  /** The store has committed; repeats of an `event_id` make `stored` the smaller one. */
  settle(accountId: string, reserved: number, stored: number): void {
    const volume = this.#of(accountId);
    volume.reserved -= reserved;
    volume.stored += stored;
  }

  #of(accountId: string): Volume {
    const nowMs = clock.nowMs();
    if (nowMs >= this.#monthEndsAtMs) {
      this.#monthEndsAtMs = nextMonthMs(nowMs);
      for (const volume of this.#volumes.values()) volume.stored = 0;
    }
    const known = this.#volumes.get(accountId);
    if (known !== undefined) return known;
    const volume = { stored: 0, reserved: 0 };
    this.#volumes.set(accountId, volume);
    return volume;
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
