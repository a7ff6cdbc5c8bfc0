/*
 * Each export has its own thread and its own snapshot.
 * Decision: each export starts a thread, which reads in one transaction and makes the next piece when the client has
 * taken the last one; the thread ends with the export.
 * Because: an export takes minutes, or longer with a slow client. It must not delay reads, nor reads the export. One
 * transaction sees one moment, whatever the writer stores, links or deletes meanwhile.
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
/** A thread that does not close its file within this time is ended. */
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

  /** Ends the exports of a project. Their clients see that the files are incomplete. */
  cut(projectId: string): void {
    for (const one of this.open) if (one.isAbout(projectId)) one.close();
  }

  /** Resolves when all threads have closed the file. */
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

  /** Tells whether the export may have data of a project, as its input names all its projects. */
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
    // The thread may be making a piece. After that, whether it fails or not, the thread has to close its file.
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
