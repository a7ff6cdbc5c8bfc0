import type { BackupConfig } from "../../config-backups";
import type { KnownErasure } from "../../domain/erased-digest";
import { log } from "../../lib/log";
import { describeFailure } from "../protocol/failure";
import { Thread, type ThreadWorker } from "../protocol/thread";
import type { BackupQuestion, BackupStatus } from "./messages";
import { nameOfPlace } from "./open-target";

export interface BackupsOptions {
  readonly dataDir: string;
  readonly config: BackupConfig;
  readonly version: string;
  readonly clockOffsetMs: number;
  start(): ThreadWorker;
}

/** The most that a request waits for a point, and how often it looks. */
const runMsMax = 60_000;
const lookEveryMs = 100;

/** The continuous backup of a server. */
export class Backups {
  /**
   * Resolves when it has opened the databases, or cannot. Others wait for it: the first to open a database after a
   * crash recovers its log, and keeps everybody else away meanwhile.
   */
  readonly opened: Promise<void>;
  readonly #thread: Thread<BackupQuestion>;

  /** It must be opened before the databases are, and closed after them. */
  constructor(private readonly options: BackupsOptions) {
    const { start, dataDir, config, version, clockOffsetMs } = options;
    this.#thread = new Thread<BackupQuestion>({
      ...{ name: "backups", start },
      opening: { kind: "open", dataDir, config, version, clockOffsetMs },
      // The server goes on without; whoever looks at the backup sees that none was made.
      onLost: (why) => log("error", "the thread of backups ended", { why }),
    });
    this.opened = this.#thread.opened.then(
      () => undefined,
      (error: unknown) => log("error", "the backup cannot start", describeFailure(error)),
    );
  }

  get config(): BackupConfig {
    return this.options.config;
  }
  get target(): string {
    return nameOfPlace(this.config.place);
  }

  status(): Promise<BackupStatus> {
    return this.#thread.ask<BackupStatus>({ kind: "status" });
  }

  /** Copies a database's log into the file, so that it starts over; the backup has then seen all of it. */
  async copyLog(file: string): Promise<void> {
    await this.#thread.ask({ kind: "copy log", file });
  }

  /** Notes who was erased beside the copies, so that a restore of an older moment leaves them out. */
  async noteErasure(erasure: KnownErasure): Promise<void> {
    await this.#thread.ask({ kind: "note erasure", erasure });
  }

  /** Makes a point now. Resolves with the state after it, or after the most that is waited for. */
  async run(nowMs: () => number): Promise<BackupStatus> {
    const askedAtMs = nowMs();
    const { failures } = await this.status();
    await this.#thread.ask({ kind: "run" });
    for (;;) {
      const status = await this.status();
      const isOver = (status.lastOkMs ?? 0) >= askedAtMs || status.failures > failures;
      if (isOver || nowMs() - askedAtMs > runMsMax) return status;
      await Bun.sleep(lookEveryMs);
    }
  }

  /** Sends what was stored since the last point. */
  async close(): Promise<void> {
    try {
      await this.#thread.ask({ kind: "close" });
    } catch (error) {
      log("error", "the backup could not be completed", describeFailure(error));
    }
    await this.#thread.stop();
  }
}
