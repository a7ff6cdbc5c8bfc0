/*
 * Failed scans have a bound of their own.
 * Decision: of the five scans that an address without an account has in an hour, those that fail are none; sixty that
 * fail are enough for the hour.
 * Because: who mistypes a domain has lost nothing, but each one makes this server ask another.
 * Cost: a second number for each address.
 */

import { ApiError } from "../../domain/errors";
import { nextMonthMs } from "../../domain/month";
import { fullScansPerMonthMax, type Tier } from "../../domain/plan";
import { clock, hourMs, secondMs } from "../../lib/clock";

const anonymousRunningMax = 2;
const anonymousPerHourMax = 5;
/** Scans that fail use none of the five, but each makes this server ask another, so they have a bound of their own. */
const anonymousFailedPerHourMax = 60;
const accountRunningMax = 2;
/** Scans of all accounts together: each has a thread while it runs. */
const accountsRunningMax = 8;
/** Addresses that are counted within an hour; when this number has come, nobody new is let in until it is over. */
const addressesMax = 10_000;
/** A scan that runs is over by then, mostly. */
const busyRetrySeconds = 10;

/** The scans of an address without an account in this hour. A scan that runs counts as one that succeeds. */
interface Spent {
  succeeded: number;
  failed: number;
}

export type Outcome = "succeeded" | "failed";

/** Counts the scans that run, and for whom. It is kept in memory, as no scan runs on after a stop of the server. */
export class Admission {
  readonly #running = new Map<string, number>();
  #anonymous = 0;
  #ofAccounts = 0;
  #hour = -1;
  #spent = new Map<string, Spent>();

  /** Throws SCAN_BUSY; otherwise returns what ends the place. `address` is a keyed hash. */
  ofAddress(address: string): (outcome: Outcome) => void {
    const spent = this.#spentBy(address);
    if (this.#running.has(address) || this.#anonymous >= anonymousRunningMax) {
      throw busy("The server is running another scan. Try again in a moment.", busyRetrySeconds);
    }
    this.#spent.set(address, spent);
    spent.succeeded += 1;
    this.#anonymous += 1;
    const leave = this.#enter(address);
    return (outcome) => {
      this.#anonymous -= 1;
      if (outcome === "failed") {
        spent.succeeded -= 1;
        spent.failed += 1;
      }
      leave();
    };
  }

  /** Returns what the address has used in this hour. Throws SCAN_BUSY when nothing is left of it. */
  #spentBy(address: string): Spent {
    const hour = Math.floor(clock.nowMs() / hourMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#spent = new Map();
    }
    const spent = this.#spent.get(address) ?? { succeeded: 0, failed: 0 };
    const isNew = spent.succeeded + spent.failed === 0;
    const waitSeconds = Math.ceil(((hour + 1) * hourMs - clock.nowMs()) / secondMs);
    if (spent.failed >= anonymousFailedPerHourMax) {
      const message = `${anonymousFailedPerHourMax} of your scans have failed in the last hour. Try again later.`;
      throw busy(message, waitSeconds);
    }
    if (spent.succeeded >= anonymousPerHourMax || (isNew && this.#spent.size >= addressesMax)) {
      const message =
        `You have used the ${anonymousPerHourMax} scans per hour that need no account. Sign in, or try again ` +
        "later.";
      throw busy(message, waitSeconds);
    }
    return spent;
  }

  /** Admits a scan of an account, or throws. Returns what is called when the scan has ended. */
  ofAccount(accountId: string): () => void {
    if ((this.#running.get(accountId) ?? 0) >= accountRunningMax) {
      const message = `This account has ${accountRunningMax} scans running, the maximum. Try again in a moment.`;
      throw busy(message, busyRetrySeconds);
    }
    if (this.#ofAccounts >= accountsRunningMax) {
      const message = `The server is already running ${accountsRunningMax} scans, the maximum. Try again in a moment.`;
      throw busy(message, busyRetrySeconds);
    }
    this.#ofAccounts += 1;
    const leave = this.#enter(accountId);
    return () => {
      this.#ofAccounts -= 1;
      leave();
    };
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
  const message = `You have used all ${most} full scans of this month. You can still run previews.`;
  throw new ApiError("SCAN_QUOTA_REACHED", message, { retry_after_seconds: waitSeconds });
}
