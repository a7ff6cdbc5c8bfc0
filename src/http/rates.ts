import { createHmac, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { ApiError } from "../domain/errors";
import type { Tier } from "../domain/plan";
import { clock, minuteMs, secondMs } from "../lib/clock";
import { networkOf } from "./address";

/** What a bucket has left in this UTC minute. A limit of 0 means none. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds at which the next window begins. */
  readonly resetSeconds: number;
}

/** Beyond so many addresses in one minute the newest share a bucket: memory stays bounded under a flood. */
const bucketsMax = 100_000;
const sharedBucket = "shared";

/** Request limits in fixed windows of one UTC minute, in memory only. */
export class Rates {
  #window = -1;
  #spent = new Map<string, number>();
  readonly #addressKey = randomBytes(32);

  /** Takes one request from a bucket. Throws RATE_LIMITED when it is empty; only then is the tier asked for. */
  spend(bucket: string, limit: number, tier?: () => Tier): Allowance {
    const nowMs = clock.nowMs();
    const window = Math.floor(nowMs / minuteMs);
    const resetSeconds = ((window + 1) * minuteMs) / secondMs;
    if (limit === 0) return { limit, remaining: 0, resetSeconds };
    if (window !== this.#window) {
      this.#window = window;
      this.#spent = new Map();
    }
    const isNewBeyondBound = this.#spent.size >= bucketsMax && !this.#spent.has(bucket);
    const key = isNewBeyondBound ? sharedBucket : bucket;
    const spent = (this.#spent.get(key) ?? 0) + 1;
    if (spent > limit) {
      const waitSeconds = Math.max(1, Math.ceil(resetSeconds - nowMs / secondMs));
      throw new RateLimited(limit, waitSeconds, resetSeconds, tier?.());
    }
    this.#spent.set(key, spent);
    return { limit, remaining: limit - spent, resetSeconds };
  }

  /**
   * The bucket of an address, under a keyed hash: the address itself is kept nowhere. Of an IPv6 address the network
   * counts, since its holder has all addresses in it.
   */
  addressBucket(name: string, address: string | null): string {
    const isNetwork = address !== null && isIP(address) === 6;
    return `${name}:${this.#hashed(isNetwork ? networkOf(address) : (address ?? ""))}`;
  }

  /** What stands for the network of an address where something is kept under it. Unknown addresses share one. */
  networkKey(address: string | null): string {
    return this.#hashed(address === null ? "" : networkOf(address));
  }

  #hashed(text: string): string {
    return createHmac("sha256", this.#addressKey).update(text).digest("base64");
  }
}

/** A refusal that still tells the caller's limits, for the X-RateLimit headers. */
export class RateLimited extends ApiError {
  readonly allowance: Allowance;
  constructor(limit: number, waitSeconds: number, resetSeconds: number, tier?: Tier) {
    // Clients look for these words, whichever of a Free account's limits it was.
    const hint = tier === "free" ? " on the free plan" : "";
    super(
      "RATE_LIMITED",
      `More than ${limit} requests in this minute${hint}. Try again in ${waitSeconds} s.`,
      { reason: "rate_limit", retry_after_seconds: waitSeconds },
    );
    this.allowance = { limit, remaining: 0, resetSeconds };
  }
}
