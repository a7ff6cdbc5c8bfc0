/*
 * Limits of strangers and of accounts are kept apart.
 * Decision: requests are counted per minute in two tables of 100,000, one for accounts and projects, one for addresses
 * and what anybody can make. When the second is full, new addresses share a bucket with their /16 or /32.
 * Because: a flood from ever new addresses put accounts into the one shared bucket, and refused them.
 * Cost: 20 MB for a minute under such a flood.
 */

import { createHmac, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { ApiError } from "../../domain/errors";
import type { Tier } from "../../domain/plan";
import { clock, minuteMs, secondMs } from "../../lib/clock";
import { networkOf, wideNetworkOf } from "./address";

/** The requests that a bucket has left in this UTC minute. A limit of 0 means none. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds at which the next window begins. */
  readonly resetSeconds: number;
}

/**
 * The number of buckets of accounts, and of clients without one. Beyond it new ones share buckets, so that memory stays
 * bounded under a flood.
 */
const bucketsMax = 100_000;
/** Buckets that strangers share then: those of one wide network have the same. */
const sharedBucketsMax = 1_024;

/**
 * Request limits in fixed windows of one UTC minute, in memory only. Buckets that anybody can make, by coming from
 * ever new addresses, are kept apart from those of accounts: they never take the place of one.
 */
export class Rates {
  readonly #accounts = new Buckets();
  readonly #strangers = new Buckets();
  readonly #addressKey = randomBytes(32);

  /**
   * Takes one request from a bucket of an account or of its project. Throws RATE_LIMITED when it is empty; only then
   * is the tier asked for.
   */
  spend(bucket: string, limit: number, tier?: () => Tier): Allowance {
    return unlessLimited(this.trySpend(bucket, limit, tier));
  }

  /** Takes one request like `spend`, and returns RATE_LIMITED where that throws it. */
  trySpend(bucket: string, limit: number, tier?: () => Tier): Allowance | RateLimited {
    return this.#accounts.spend(bucket, limit, { shared: "shared", tier });
  }

  /** The number of buckets that clients without an account have in this minute. */
  get strangersCount(): number {
    return this.#strangers.count;
  }

  /** Takes one request from a bucket of what somebody without an account has made, such as a request to sign in. */
  spendOfStranger(bucket: string, limit: number): Allowance {
    return unlessLimited(this.#strangers.spend(bucket, limit, { shared: "shared" }));
  }

  /**
   * Spends a request of an address. All addresses of an IPv6 network count as one, since its holder has them all. Under
   * a flood from everywhere those that came first keep their own bucket, the others share one with their neighbours.
   */
  spendOfAddress(name: string, address: string | null, limit: number): Allowance {
    const own = this.addressKey(address);
    const shared = (): string => {
      const wide = this.#hashed(address === null ? "" : wideNetworkOf(address));
      return `${name} shared ${Buffer.from(wide, "base64").readUInt32LE() % sharedBucketsMax}`;
    };
    return unlessLimited(this.#strangers.spend(`${name}:${own}`, limit, { shared }));
  }

  /** Returns the key under which an address is counted; for an IPv6 address it is that of its network. */
  addressKey(address: string | null): string {
    const isNetwork = address !== null && isIP(address) === 6;
    return this.#hashed(isNetwork ? networkOf(address) : (address ?? ""));
  }

  /** Returns the key under which something is kept for the network of an address. Unknown addresses share one. */
  networkKey(address: string | null): string {
    return this.#hashed(address === null ? "" : networkOf(address));
  }

  /** Returns a keyed hash, as the address itself is kept nowhere. */
  #hashed(text: string): string {
    return createHmac("sha256", this.#addressKey).update(text).digest("base64");
  }
}

interface Beyond {
  /** The bucket of those that come when all are taken. */
  readonly shared: string | (() => string);
  readonly tier?: (() => Tier) | undefined;
}

/** The requests that were spent in this minute. */
class Buckets {
  #window = -1;
  #spent = new Map<string, number>();

  get count(): number {
    return this.#spent.size;
  }

  spend(bucket: string, limit: number, { shared, tier }: Beyond): Allowance | RateLimited {
    const nowMs = clock.nowMs();
    const window = Math.floor(nowMs / minuteMs);
    const resetSeconds = ((window + 1) * minuteMs) / secondMs;
    if (limit === 0) return { limit, remaining: 0, resetSeconds };
    if (window !== this.#window) {
      this.#window = window;
      this.#spent = new Map();
    }
    const isNewBeyondBound = this.#spent.size >= bucketsMax && !this.#spent.has(bucket);
    const key = isNewBeyondBound ? sharedBucketOf(shared) : bucket;
    const spent = (this.#spent.get(key) ?? 0) + 1;
    if (spent > limit) {
      const waitSeconds = Math.max(1, Math.ceil(resetSeconds - nowMs / secondMs));
      return new RateLimited(limit, waitSeconds, resetSeconds, tier?.());
    }
    this.#spent.set(key, spent);
    return { limit, remaining: limit - spent, resetSeconds };
  }
}

function unlessLimited(spent: Allowance | RateLimited): Allowance {
  if (spent instanceof RateLimited) throw spent;
  return spent;
}

const sharedBucketOf = (shared: Beyond["shared"]): string =>
  typeof shared === "string" ? shared : shared();

/** A refusal that still tells the caller's limits, for the X-RateLimit headers. */
export class RateLimited extends ApiError {
  readonly allowance: Allowance;
  constructor(limit: number, waitSeconds: number, resetSeconds: number, tier?: Tier) {
    // Clients look for these words, whichever of a Free account's limits it was.
    const hint = tier === "free" ? ", the limit of the free plan" : "";
    super(
      "RATE_LIMITED",
      `You have sent more than ${limit} requests in this minute${hint}. Try again in ${waitSeconds} s.`,
      { reason: "rate_limit", retry_after_seconds: waitSeconds },
    );
    this.allowance = { limit, remaining: 0, resetSeconds };
  }
}
