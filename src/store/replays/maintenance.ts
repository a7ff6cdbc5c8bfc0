import { clock } from "../../lib/clock";
import { log } from "../../lib/log";
import { StorageDamaged } from "../damage";
import { StorageFailed } from "../protocol/failure";
import { reasonOf } from "../protocol/thread";
import type { Due, Sealed } from "./questions";
import type { ReplayThreads } from "./threads";

/** Closes what has ended, seals what is closed and erases what is deleted: one round at a time. */
export class Maintenance {
  #running: Promise<void> = Promise.resolve();
  #isPlanned = false;
  #isClosed = false;

  constructor(
    private readonly threads: ReplayThreads,
    private readonly isClockTrusted: () => boolean,
  ) {}

  /** Says that there may be something to do. Nobody waits for it. */
  touch(): void {
    if (this.#isPlanned || this.#isClosed) return;
    this.#isPlanned = true;
    this.#running = this.#running.then(() => this.#attempt());
  }

  /** Resolves when there is nothing left to do. Rejects with what stood in the way, and is tried again each minute. */
  run(): Promise<void> {
    const round = this.#running.then(() => this.#round());
    this.#running = round.catch(() => undefined);
    return round;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#running;
  }

  async #attempt(): Promise<void> {
    try {
      await this.#round();
    } catch (error) {
      // What is told as a state of the storage already is not told again with every recording that ends.
      if (error instanceof StorageFailed) return;
      log("error", "maintenance of recordings failed and will be tried again", {
        reason: reasonOf(error),
      });
    }
  }

  async #round(): Promise<void> {
    this.#isPlanned = false;
    for (let isMore = true; isMore && !this.#isClosed; ) {
      const nowMs = clock.nowMs();
      // With a clock at 0 nothing is due because of its age.
      const dueMs = this.isClockTrusted() ? nowMs : 0;
      const due = await this.threads.writer.ask<Due>({ kind: "due", nowMs: dueMs });
      isMore = due.toErase.length > 0;
      for (const number of due.toErase) await this.#erase(number, nowMs);
      for (const number of due.toSeal) {
        if (!this.#isClosed && (await this.#seal(number))) isMore = true;
      }
    }
    await this.threads.writer.ask({ kind: "free pages" });
  }

  /**
   * Seals a recording. Returns false when it was deleted meanwhile, or is damaged: that one stays as it is, and the
   * others go on.
   */
  async #seal(number: number): Promise<boolean> {
    const { writer, keeper } = this.threads;
    const sealed = await keeper.ask<Sealed>({ kind: "seal", number }).catch(nullIfDamaged);
    if (sealed === null) return false;
    const isKept = await writer.ask<boolean>({ kind: "sealed", ...sealed });
    if (!isKept) await keeper.ask({ kind: "unlink", number });
    return isKept;
  }

  async #erase(number: number, nowMs: number): Promise<void> {
    const { writer, keeper } = this.threads;
    await writer.ask({ kind: "erase", number, nowMs });
    await keeper.ask({ kind: "unlink", number });
  }
}

function nullIfDamaged(error: unknown): null {
  if (error instanceof StorageDamaged) return null;
  throw error;
}
