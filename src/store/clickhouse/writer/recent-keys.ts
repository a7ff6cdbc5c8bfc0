import { hourMs } from "../../../lib/clock";

/** An event that is sent again within this time is recognized. */
export const idempotencyMs = 48 * hourMs;
/** The key of an event without an id. */
export const noKey = 0n;

/** The idempotency keys of the last 48 hours, as hashes; the table has them too, for the next start. */
export class RecentKeys {
  private readonly acceptedAtMs = new Map<bigint, number>();
  /** Since the last commit: they are taken back when it fails. */
  private fresh: [key: bigint, beforeMs: number | undefined][] = [];
  private cleanedAtMs = 0;

  constructor(private readonly seed: bigint) {}

  restore(key: bigint, atMs: number): void {
    this.acceptedAtMs.set(key, atMs);
  }
  /** The key of an event that is new; null for a repeat. `others` are the fields by which a repeat is told, as JSON. */
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
