/*
 * The log grows to 64 MB, or to the free room of the disk.
 * Decision: only then the compactor copies most of it into the file, and the writer the rest.
 * Because: commits rewrite the same pages, and a copy needs only the last version of each. So rare copies write less in
 * total. With 16 MB the writer stalled six times as long.
 * Cost: 64 MB of disk and up to 0.15 s more at a start after a crash.
 * Revisit: if commits write fewer pages.
 */

import { log } from "../../../lib/log";
import type { Damage } from "../../damage";
import { describeFailure } from "../../protocol/failure";
import type { Thread } from "../../protocol/thread";
import type {
  Backlog,
  CompactorQuestion,
  Fault,
  LogState,
  Merged,
  WriterQuestion,
} from "../protocol/messages";
import { buffersOf } from "./compactor-thread";
import type { Erased } from "./erasing";
import type { Inspected } from "./inspection";

/** The pauses of maintenance. Tests use shorter ones. */
export interface MaintenanceRests {
  /** After a start, before the first look. */
  readonly startMs: number;
  /** Between two rounds while events arrive … */
  readonly busyMs: number;
  /** … and while none do. */
  readonly idleMs: number;
  /** After a round that failed: twice as long each time, up to the most. */
  readonly failedMsMin: number;
  readonly failedMsMax: number;
  readonly sweepEveryMs: number;
}

export const usualRests: MaintenanceRests = {
  startMs: 100,
  busyMs: 50,
  idleMs: 5_000,
  failedMsMin: 1_000,
  failedMsMax: 10_000,
  sweepEveryMs: 1_000,
};
/** The time of one round, as the writer has other work to do. */
const sweepMsMax = 10;
/**
 * A log of this length is copied, and then starts over. With 64 MB instead of 16, a server under small requests copies
 * a sixth as often, and its writer stands still for 3 ms instead of 30 in the same time.
 */
const logBytesMax = 64 * 1024 * 1024;
/** After this long without an event, the rest of the log is copied, too. */
const quietMs = 30_000;

interface MaintenanceParts {
  readonly writer: Thread<WriterQuestion>;
  readonly compactor: Thread<CompactorQuestion>;
  report(backlog: Backlog): void;
  damaged(damage: Damage): void;
  readonly rests: MaintenanceRests;
  /** Returns the free bytes of the disk. */
  freeBytes(): number;
  /** Tells whether the disk has room for merges, as the replaced segments are deleted only later. */
  readonly mayCompact?: (() => Promise<boolean>) | undefined;
  /** Copies the log instead of the compactor and the writer, if a follower such as a backup reads the log. */
  readonly copyLog?: (() => Promise<void>) | undefined;
}

/**
 * Keeps the file in shape: the compactor merges segments, the writer stores the merges and deletes the replaced
 * segments, and both copy the log. This class runs on the main thread and only passes messages.
 */
export class Maintenance {
  private isStopped = false;
  private isTouched = true;
  private isIdle = false;
  private touchedAtMs = performance.now();
  private sweptAtMs = 0;
  /** The current step of the round, for the log. */
  private step = "";
  private failedRestMs: number;
  private wake: (() => void) | null = null;
  private readonly ended: Promise<void>;

  constructor(private readonly parts: MaintenanceParts) {
    this.failedRestMs = parts.rests.failedMsMin;
    this.ended = this.run();
  }

  /** The caller has stored events, or failed to: there may be something to do. */
  touch(): void {
    this.touchedAtMs = performance.now();
    this.isTouched = true;
    if (this.isIdle) this.wake?.();
  }

  /** Resolves when the current round has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.wake?.();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { busyMs, idleMs, failedMsMin, failedMsMax } = this.parts.rests;
    while (!this.isStopped) {
      try {
        const { isMerging, isMoreToCome } = await this.round();
        this.failedRestMs = failedMsMin;
        if (isMerging) continue;
        await this.rest(busyMs);
        this.isIdle = !this.isTouched && !isMoreToCome;
        if (this.isIdle) await this.rest(idleMs);
        this.isIdle = false;
      } catch (error) {
        // A failed round loses nothing: the next one repeats the merges that were not stored.
        log("error", "maintenance failed and will be tried again", {
          step: this.step,
          ...describeFailure(error),
        });
        await this.rest(this.failedRestMs);
        this.failedRestMs = Math.min(2 * this.failedRestMs, failedMsMax);
      }
    }
  }

  private async round(): Promise<{ readonly isMerging: boolean; readonly isMoreToCome: boolean }> {
    const { writer, compactor } = this.parts;
    this.isTouched = false;
    this.step = "merging";
    const mayMerge = (await this.parts.mayCompact?.()) ?? true;
    const merged = await compactor.ask<Merged>({ kind: "merge", mayMerge });
    this.parts.report(merged.backlog);
    this.report(merged.faults);
    // This comes first, as it may free the room that the other steps need.
    this.step = "copying the log";
    await this.copyLog(merged.log);
    const { merges, overlaps } = merged;
    this.step = "putting merges in place";
    if (merges.length > 0) await writer.ask({ kind: "replace", merges }, buffersOf(merged));
    if (overlaps.length > 0) await writer.ask({ kind: "note overlaps", overlaps });
    const isErasing = await this.erase();
    const isInspecting = await this.inspect();
    this.step = "sweeping";
    const isSweeping = await this.sweep();
    const isMoreToCome = merged.isMoreToCome || isInspecting || isSweeping;
    return { isMerging: merges.length > 0 || isErasing, isMoreToCome };
  }

  /** Replaces segments that have events of erased users. Returns whether there may be more. */
  private async erase(): Promise<boolean> {
    this.step = "erasing";
    const { writer, compactor } = this.parts;
    const found = await compactor.ask<Erased>({ kind: "erase" });
    const { merges, erased, faults, isMoreToCome } = found;
    this.report(faults);
    if (merges.length > 0) await writer.ask({ kind: "replace", merges }, buffersOf(found));
    if (erased !== null) await writer.ask({ kind: "note erased", note: erased });
    return isMoreToCome;
  }

  /** Inspects texts. Returns whether there are more. */
  private async inspect(): Promise<boolean> {
    this.step = "looking through texts";
    const { writer, compactor } = this.parts;
    const { note, faults, isMoreToCome } = await compactor.ask<Inspected>({ kind: "inspect" });
    this.report(faults);
    if (note !== null) await writer.ask({ kind: "note inspection", note });
    return isMoreToCome;
  }

  private report(faults: readonly Fault[]): void {
    for (const { damage, ...fault } of faults) {
      if (damage !== null) this.parts.damaged(damage);
      else log("error", "could not merge, erase or inspect segments of a project", { ...fault });
    }
  }

  private async sweep(): Promise<boolean> {
    const startedAtMs = performance.now();
    if (startedAtMs - this.sweptAtMs < this.parts.rests.sweepEveryMs) return false;
    while (await this.parts.writer.ask<boolean>({ kind: "sweep" })) {
      if (this.isStopped || performance.now() - startedAtMs > sweepMsMax) return true;
    }
    this.sweptAtMs = startedAtMs;
    return false;
  }

  /**
   * Copies the log if it is long. The log starts over only if all of it is copied while nobody writes. While events
   * arrive, only the writer itself can choose such a moment, so it copies the rest. On a small disk the log is copied
   * earlier, while there is room for the copy.
   */
  private async copyLog({ logBytes, uncopiedBytes }: LogState): Promise<void> {
    const isQuiet = performance.now() - this.touchedAtMs > quietMs;
    const bytesMax = Math.min(logBytesMax, this.parts.freeBytes());
    if (uncopiedBytes === 0 || (logBytes < bytesMax && !isQuiet)) return;
    if (this.parts.copyLog !== undefined) return this.parts.copyLog();
    const after = await this.parts.compactor.ask<LogState>({ kind: "checkpoint" });
    if (after.logBytes >= bytesMax) await this.parts.writer.ask({ kind: "checkpoint" });
  }

  private rest(ms: number): Promise<void> {
    if (this.isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
