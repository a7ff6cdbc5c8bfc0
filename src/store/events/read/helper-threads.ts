import { availableParallelism, loadavg } from "node:os";
import { log } from "../../../lib/log";
import { Thread, type ThreadWorker } from "../../protocol/thread";
import type { Helpers, PartRequest } from "../parts/helpers";
import type { PartName, PartResult } from "../parts/parts";
import type { ReaderOpening, ReaderQuestion } from "../protocol/messages";

interface HelperOptions {
  readonly opening: Omit<ReaderOpening, "takes" | "over" | "helpers">;
  readonly count: number;
  start(): ThreadWorker;
  /** The time that a restarted helper may take to open its files. */
  readonly reopenMsMax?: number;
  /** After this one that did not come back is started again; tests do not wait as long. */
  readonly retryAfterMs?: number;
  /** Tells whether a helper would have a core for itself. */
  isIdle(): boolean;
}

/**
 * The load of the last minute at most, per core: threads that ran or waited to run. On a busy machine the parts of a
 * read wait for each other, and it would take longer than alone.
 */
const idleLoadMax = 1.5;
export const isMachineIdle = (): boolean => loadavg()[0] <= idleLoadMax * availableParallelism();

/** After this time the reason why a helper ended, such as a full memory, may be gone. */
const usualRetryAfterMs = 30_000;

/** The threads of a reader's helpers. Each is started when it is first needed or before, and ends with the reader's. */
export class HelperThreads implements Helpers {
  private readonly threads: (Thread<ReaderQuestion> | null)[];
  /** The times before which no helper is started in place of a lost one. */
  private readonly restsUntil: number[];
  readonly declined = new Set<string>();
  private readonly over = new SharedArrayBuffer(4);
  private read = 0;
  private turn = 0;
  private isAsked = false;
  private isIdle = false;

  constructor(private readonly options: HelperOptions) {
    this.threads = Array.from({ length: options.count }, () => null);
    this.restsUntil = this.threads.map(() => 0);
  }

  get count(): number {
    return this.isIdle ? this.threads.length : 0;
  }

  /** `read` is the number under which it is cancelled. */
  beginRead(read: number): void {
    this.read = read;
    this.turn++;
    this.isAsked = false;
    this.isIdle = this.options.isIdle();
  }

  async ask<Name extends PartName>(
    helper: number,
    request: PartRequest<Name>,
  ): Promise<PartResult<Name> | null> {
    this.isAsked = true;
    const { read: number, turn } = this;
    const question = { kind: "part", number, turn, request } as const;
    try {
      return (await this.started(helper)?.ask<PartResult<Name> | null>(question)) ?? null;
    } catch {
      // It was ended, or its part cannot be counted: who asked finds out why by counting it.
      return null;
    }
  }

  endRead(): void {
    if (!this.isAsked) return;
    Atomics.store(new Int32Array(this.over), 0, this.turn);
    for (const thread of this.threads) {
      // If the thread has ended, its snapshot is closed too.
      void thread?.ask({ kind: "parts over" }).catch(() => null);
    }
  }

  /** Starts all helpers, so that no read waits for it. */
  startAll(): void {
    for (const helper of this.threads.keys()) this.started(helper);
  }

  /** Has those that are there compile what they will be asked; others do with their first part. */
  warmUpAll(): void {
    for (const thread of this.threads) void thread?.ask({ kind: "warm up" }).catch(() => null);
  }

  /** They end with the thread that started them; a test ends them before. */
  async stop(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread?.stop()));
  }

  /** Returns a helper's thread, and starts it if needed; null while it is too early to replace a lost one. */
  private started(helper: number): Thread<ReaderQuestion> | null {
    if (this.threads[helper] === null && performance.now() >= this.restsUntil[helper]) {
      this.threads[helper] = this.start(helper);
    }
    return this.threads[helper];
  }
  private start(helper: number): Thread<ReaderQuestion> {
    const { opening, start, retryAfterMs = usualRetryAfterMs } = this.options;
    const { over } = this;
    const lose = (message: string, why: string): void => {
      log("error", message, { why });
      this.threads[helper] = null;
      this.restsUntil[helper] = performance.now() + retryAfterMs;
    };
    const thread: Thread<ReaderQuestion> = new Thread<ReaderQuestion>({
      name: "helper",
      start,
      opening: { ...opening, takes: "parts", over },
      reopenMsMax: this.options.reopenMsMax,
      onLost: (why) => lose("reads continue without a helper for a while", why),
    });
    thread.opened.catch((error: unknown) => {
      if (!(error instanceof Error)) throw error;
      void thread.stop();
      if (this.threads[helper] === thread) lose("a helper could not start", error.message);
    });
    return thread;
  }
}
