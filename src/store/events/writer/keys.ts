import type { Database } from "bun:sqlite";
import { idempotencyMs } from "../../../domain/limits";
import { hash64 } from "../segment/hash";

/** The idempotency keys of the last 48 hours. */
export class AcceptedKeys {
  private readonly seenAtMs = new Map<string, number>();
  private fresh: number[] = [];

  constructor(
    private readonly db: Database,
    private readonly seed: bigint,
    nowMs: number,
  ) {
    const rows = db.query("select accepted_at, hashes from accepted_key where accepted_at > ?");
    for (const row of rows.iterate(nowMs - idempotencyMs)) {
      const { accepted_at, hashes } = row as { accepted_at: number; hashes: Uint8Array };
      const halves = new Uint32Array(hashes.slice().buffer);
      for (let i = 0; i < halves.length; i += 2) {
        this.seenAtMs.set(`${halves[i]} ${halves[i + 1]}`, accepted_at);
      }
    }
  }

  /** False when the project's event id was accepted within 48 hours. */
  accept(projectId: number, eventId: string, nowMs: number): boolean {
    const [high, low] = hash64(`${projectId}:${eventId}`, this.seed);
    const key = `${high} ${low}`;
    const seenAtMs = this.seenAtMs.get(key);
    if (seenAtMs !== undefined && nowMs - seenAtMs < idempotencyMs) return false;
    this.seenAtMs.set(key, nowMs);
    this.fresh.push(high, low);
    return true;
  }

  /** Stores what was accepted since the last time, in the transaction of the events. */
  store(nowMs: number): void {
    if (this.fresh.length === 0) return;
    this.db
      .query("insert into accepted_key (accepted_at, hashes) values (?, ?)")
      .run(nowMs, new Uint8Array(new Uint32Array(this.fresh).buffer));
    this.fresh = [];
  }

  sweep(nowMs: number): boolean {
    this.db.query("delete from accepted_key where accepted_at <= ?").run(nowMs - idempotencyMs);
    return false;
  }
}
