import { reasonOf, Thread, type ThreadWorker } from "../../protocol/thread";
import type { ReadAnswer, ReaderOpening, ReaderQuestion, ReadQuestion } from "../protocol/messages";
import { isWorthWarming } from "./warm-up";

export interface ReaderOptions {
  readonly takes: ReaderOpening["takes"];
  readonly file: string;
  readonly cacheBytes: number;
  readonly clockOffsetMs: number;
  readonly reopenMsMax?: number | undefined;
  readonly reading: ReaderOpening["reading"];
  start(): ThreadWorker;
  onLost(why: string): void;
}

/** The main thread's side of a reader thread. It starts the thread at the first read, as each thread takes memory. */
export class Reader {
  private thread: Thread<ReaderQuestion> | null = null;
  /** The number of the read that has to stop. */
  private readonly cancelled = new SharedArrayBuffer(4);

  constructor(private readonly options: ReaderOptions) {}

  get takes(): ReaderOptions["takes"] {
    return this.options.takes;
  }

  async ask(question: ReadQuestion): Promise<ReadAnswer> {
    const reading = new Int32Array(this.options.reading);
    Atomics.add(reading, 0, 1);
    try {
      return await this.start().ask<ReadAnswer>(question);
    } finally {
      Atomics.sub(reading, 0, 1);
    }
  }
  /** Cancels a read. The read stops at its next check, which is at the latest at its next segment. */
  cancel({ number }: ReadQuestion): void {
    Atomics.store(new Int32Array(this.cancelled), 0, number);
  }
  restart(): void {
    this.thread?.restart();
  }
  async stop(): Promise<void> {
    await this.thread?.stop();
  }

  /** Starts the thread if the file is large enough, and lets it compile its functions. */
  warmUp(): void {
    if (!isWorthWarming(this.options.file)) return;
    // If the thread has ended, the next one is warmed up by its first read.
    this.start()
      .ask({ kind: "warm up" })
      .catch(() => null);
  }

  start(): Thread<ReaderQuestion> {
    if (this.thread !== null) return this.thread;
    const { reopenMsMax, start, onLost, ...opened } = this.options;
    const { cancelled } = this;
    const opening = { kind: "open", ...opened, cancelled } as const;
    this.thread = new Thread({ name: "reader", start, opening, reopenMsMax, onLost });
    this.thread.opened.catch((error: unknown) => {
      onLost(`The reader thread cannot start: ${reasonOf(error)}`);
    });
    return this.thread;
  }
}
