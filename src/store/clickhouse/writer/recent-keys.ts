import { hourMs } from "../../../lib/clock";

/** An event that is sent again within this time is recognized. */
export const idempotencyMs = 48 * hourMs;
/** The key of an event without an id. */
export const noKey = 0n;

/** The idempotency keys of the last 48 hours, as hashes. The table has them too, and restores them at a start. */
export class RecentKeys {
  private readonly acceptedAtMs = new Map<bigint, number>();
  /** The keys since the last commit. */
  private fresh: [key: bigint, beforeMs: number | undefined][] = [];
  private cleanedAtMs = 0;

  constructor(private readonly seed: bigint) {}

  restore(key: bigint, atMs: number): void {
    this.acceptedAtMs.set(key, atMs);
  }
  /** Returns the key of a new event, or null for a repeat. `others` is JSON of the other fields that make a repeat. */
  accept(project: number, eventId: string, others: string, nowMs: number): bigint | null {
    const key =
      BigInt.asUintN(64, Bun.hash.xxHash3(`${project}:${eventId}:${others}`, this.seed)) || 1n;
    const beforeMs = this.acceptedAtMs.get(key);
    if (beforeMs !== undefined && nowMs - beforeMs < idempotencyMs) return null;
    this.fresh.push([key, beforeMs]);
    this.acceptedAtMs.set(key, nowMs);
    return key;
  }
  stored(nowMs: number): void {
    this.fresh = [];
    if (Math.abs(nowMs - this.cleanedAtMs) < hourMs) return;
    this.cleanedAtMs = nowMs;
    for (const [key, atMs] of this.acceptedAtMs) {
      if (nowMs - atMs >= idempotencyMs) this.acceptedAtMs.delete(key);
    }
  }
}
