/*
 * An export has a thread, and a snapshot, of its own.
 * Decision: each export starts a thread, which reads in one transaction and makes the next piece when the client has
 * taken the last one; the thread ends with the export.
 * Because: an export takes minutes, and as long as its client likes: it must not hold up reads, nor they it. One
 * transaction sees one moment, whatever is stored, linked or swept meanwhile.
 * Cost: 0.1 s of a processor and some 130 MB for each thread; the log of events.db cannot start over while an export
 * is open, so an export is given 2 hours at most (features/export).
 * Revisit: if logs grow large beside exports.
 */

import { ApiError } from "../../../domain/errors";
import { minuteMs, secondMs } from "../../../lib/clock";
import type { ExportStream } from "../../exports";
import { BoundedThread } from "../../protocol/bounded-thread";
import type { ThreadWorker } from "../../protocol/thread";
import type { ExporterOpening, ExporterQuestion } from "../protocol/messages";

/** A piece is made within tens of milliseconds; the first one looks at the ids of all events. */
const pieceMsMax = 2 * minuteMs;
/** After this time a thread is ended that does not let go of its file. */
const closeMsMax = 5 * secondMs;

export interface ExportsOptions {
  readonly file: string;
  readonly clockOffsetMs: number;
  start(): ThreadWorker;
}

/** The exports that are open. */
export class Exports {
  private readonly open = new Set<ThreadExport>();
  private isClosed = false;

  constructor(private readonly options: ExportsOptions) {}

  async start(name: string, input: unknown): Promise<ExportStream> {
    if (this.isClosed) throw brokenOff();
    const { file, clockOffsetMs, start } = this.options;
    const opening: ExporterOpening = { kind: "open", file, clockOffsetMs, name, input };
    const started = new ThreadExport(start, JSON.stringify(input));
    this.open.add(started);
    void started.ended.then(() => this.open.delete(started));
    await started.begin(opening);
    return started;
  }

  /** Ends those of a project: their clients see that they are not complete. */
  cut(projectId: string): void {
    for (const one of this.open) if (one.isAbout(projectId)) one.close();
  }

  /** Resolves when all have let go of the file. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const one of this.open) one.close();
    await Promise.all([...this.open].map(({ ended }) => ended));
  }
}

class ThreadExport implements ExportStream {
  readonly ended: Promise<void>;
  private readonly thread: BoundedThread<ExporterQuestion>;
  private last: Promise<unknown> = Promise.resolve();
  private isClosing = false;

  /** Tells whether the export may have something of a project: its input names all of them. */
  isAbout(projectId: string): boolean {
    return this.named.includes(projectId);
  }

  constructor(
    start: () => ThreadWorker,
    private readonly named: string,
  ) {
    this.thread = new BoundedThread({
      start,
      answerMsMax: pieceMsMax,
      tooSlow: brokenOff,
      brokenOff,
    });
    this.ended = this.thread.ended;
  }

  async begin(opening: ExporterOpening): Promise<void> {
    try {
      await this.ask(opening);
    } catch (error) {
      this.close();
      throw error;
    }
  }
  next(): Promise<Uint8Array | null> {
    return this.isClosing ? Promise.reject(brokenOff()) : this.ask({ kind: "next" });
  }
  close(): void {
    if (this.isClosing) return;
    this.isClosing = true;
    void this.end();
  }

  private async end(): Promise<void> {
    const timer = setTimeout(() => this.thread.end(brokenOff()), closeMsMax);
    // A piece may be on its way. However it ends, the thread is asked to let go of its file next.
    await this.last.catch(() => null);
    await this.ask({ kind: "close" }).catch(() => null);
    clearTimeout(timer);
    this.thread.end(brokenOff());
  }
  private ask<Answer>(question: ExporterQuestion): Promise<Answer> {
    const answer = this.thread.ask<Answer>(question);
    this.last = answer;
    return answer;
  }
}

const brokenOff = (): ApiError =>
  new ApiError("UNAVAILABLE", "The export ended before it was complete. Request it again.", {
    retry_after_seconds: 1,
  });
