import { ApiError } from "../../domain/errors";
import { nextMonthMs } from "../../domain/month";
import { fullScansPerMonthMax, type Tier } from "../../domain/plan";
import { clock, hourMs, secondMs } from "../../lib/clock";

const anonymousRunningMax = 2;
const anonymousPerHourMax = 5;
const accountRunningMax = 2;
/** Addresses that are counted within an hour; when this number has come, nobody new is let in until it is over. */
const addressesMax = 10_000;
/** A scan that runs is over by then, mostly. */
const busyRetrySeconds = 10;

/** How many scans run, and for whom. In memory: what ran when the server stopped runs no more. */
export class Admission {
  readonly #running = new Map<string, number>();
  #anonymous = 0;
  #hour = -1;
  #spent = new Map<string, number>();

  /** Throws SCAN_BUSY; otherwise returns what ends the place. `address` is a keyed hash. */
  ofAddress(address: string): () => void {
    const hour = Math.floor(clock.nowMs() / hourMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#spent = new Map();
    }
    const spent = this.#spent.get(address) ?? 0;
    const isFull = spent === 0 && this.#spent.size >= addressesMax;
    if (spent >= anonymousPerHourMax || isFull) {
      const waitSeconds = Math.ceil(((hour + 1) * hourMs - clock.nowMs()) / secondMs);
      const message = `Without an account ${anonymousPerHourMax} scans an hour are free. Sign in, or come back later.`;
      throw busy(message, waitSeconds);
    }
    if (this.#running.has(address) || this.#anonymous >= anonymousRunningMax) {
      throw busy("Another scan is running. Try again in a moment.", busyRetrySeconds);
    }
    this.#spent.set(address, spent + 1);
    this.#anonymous += 1;
    const leave = this.#enter(address);
    return () => {
      this.#anonymous -= 1;
      leave();
    };
  }

  /** The same for an account. */
  ofAccount(accountId: string): () => void {
    if ((this.#running.get(accountId) ?? 0) >= accountRunningMax) {
      const message = `${accountRunningMax} scans of this account are running. Try again in a moment.`;
      throw busy(message, busyRetrySeconds);
    }
    return this.#enter(accountId);
  }

  #enter(holder: string): () => void {
    this.#running.set(holder, (this.#running.get(holder) ?? 0) + 1);
    return () => {
      const left = (this.#running.get(holder) ?? 1) - 1;
      if (left === 0) this.#running.delete(holder);
      else this.#running.set(holder, left);
    };
  }
}

const busy = (message: string, waitSeconds: number): ApiError =>
  new ApiError("SCAN_BUSY", message, { retry_after_seconds: waitSeconds });

/** Throws SCAN_QUOTA_REACHED when a month's full scans are used up. Scans that run are among them. */
export function requireQuota(tier: Tier, used: number): void {
  const most = fullScansPerMonthMax[tier];
  if (used < most) return;
  const nowMs = clock.nowMs();
  const waitSeconds = Math.ceil((nextMonthMs(nowMs) - nowMs) / secondMs);
  const message = `This plan has ${most} full scans a month, and they are used up. Previews are still free.`;
  throw new ApiError("SCAN_QUOTA_REACHED", message, { retry_after_seconds: waitSeconds });
}
