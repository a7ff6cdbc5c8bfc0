import { log } from "../lib/log";
import { DamageReport, damageIn, StorageDamaged } from "./damage";
import { describeFailure, type StorageFailed } from "./protocol/failure";

const usualProbeEveryMs = 1_000;

interface StorageParts {
  readonly file: string;
  /** What is refused while it fails. */
  readonly what: string;
  /** Writes something. */
  probe(): Promise<void>;
  readonly probeEveryMs?: number;
}

/**
 * Knows whether writing works, and no damage was found. After a failure a write is tried about every second, so that a
 * quiet server notices too.
 */
export class StorageState {
  private failures = 0;
  /** What was logged last. */
  private cause = "";
  private timer: Timer | null = null;

  readonly damage: DamageReport;

  constructor(private readonly parts: StorageParts) {
    this.damage = new DamageReport(parts.file);
  }

  get errors(): number {
    return this.failures;
  }
  get isFailed(): boolean {
    return this.timer !== null || !this.damage.isEmpty;
  }

  failed({ sqliteCode }: StorageFailed): void {
    this.failures++;
    if (this.timer !== null) return;
    const { what } = this.parts;
    this.tell(`the storage failed; ${what} are refused until it works again`, sqliteCode);
    this.probeLater();
  }

  /** Something was written. */
  worked(): void {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    log("info", "the storage works again", { file: this.parts.file });
  }

  /** Does some work; damage that it meets is reported. */
  async notingDamage<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      const damage = damageIn(error);
      if (damage === null) throw error;
      this.damage.note(damage);
      throw new StorageDamaged(damage);
    }
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private tell(message: string, cause: string): void {
    this.cause = cause;
    log("error", message, { file: this.parts.file, cause });
  }
  private probeLater(): void {
    this.timer = setTimeout(async () => {
      try {
        await this.parts.probe();
        this.worked();
      } catch (error) {
        // It still fails, or its thread ended: asked again until one of them works.
        if (this.timer === null) return;
        const { cause, fault = "" } = describeFailure(error);
        const reason = cause ?? fault;
        if (reason !== this.cause)
          this.tell("the storage still fails, now for another reason", reason);
        this.probeLater();
      }
    }, this.parts.probeEveryMs ?? usualProbeEveryMs);
  }
}
