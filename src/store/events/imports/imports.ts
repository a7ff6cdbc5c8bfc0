/*
 * An import has a thread of its own, and the writer between two requests.
 * Decision: a thread reads the file and makes the segments; the main thread hands each step to the writer, which
 * numbers 500 users or inserts one segment in a step.
 * Because: parsing and packing a million rows takes half a minute of a processor, of which neither requests nor the
 * writer may see more than some milliseconds at a time.
 * Cost: a thread's start for each check and commit; segments pass through the main thread, handed over and not copied.
 * Revisit: if imports of many gigabytes are frequent.
 */

import type { Database } from "bun:sqlite";
import { ApiError } from "../../../domain/errors";
import type { ImportReport } from "../../../domain/import-report";
import { minuteMs } from "../../../lib/clock";
import type { ImportStore, ImportWork, RemovedRows, StoredImport } from "../../imports";
import { BoundedThread } from "../../protocol/bounded-thread";
import type { ThreadWorker } from "../../protocol/thread";
import type { ImportChange } from "../protocol/import-messages";
import { openForReading } from "../tables";
import { isStoredIn } from "./basis";
import type { CommitAnswer } from "./commit";
import type { ImporterOpening, ImporterQuestion, ImporterStep } from "./importer-thread";

/** A step takes some hundred milliseconds; counting a large file for its report takes longest. */
const stepMsMax = 10 * minuteMs;

export interface ImportsOptions {
  readonly file: string;
  readonly clockOffsetMs: number;
  start(): ThreadWorker;
  change<Answer>(change: ImportChange): Promise<Answer>;
}

type Request = Parameters<ImportStore["check"]>[1];

/** The imports of this engine. */
export class Imports implements ImportStore {
  private readonly running = new Set<Running>();
  private db: Database | null = null;
  private isClosed = false;

  constructor(private readonly options: ImportsOptions) {}

  async check(work: ImportWork, request: Request): Promise<ImportReport> {
    return (await this.run("check", work, request)).report;
  }
  commit(work: ImportWork, request: Request): Promise<StoredImport> {
    return this.run("commit", work, request);
  }
  async remove(importId: string): Promise<Pick<RemovedRows, "events">> {
    const removed = await this.options.change<RemovedRows | null>({
      step: "remove",
      name: importId,
    });
    return { events: removed?.events ?? 0 };
  }
  async dropOthers(importIds: readonly string[]): Promise<void> {
    await this.options.change({ step: "drop others", names: importIds });
  }
  isStored(importId: string): boolean {
    this.db ??= openForReading(this.options.file);
    return isStoredIn(this.db, importId);
  }

  /** Resolves when all have let go of the file. What was under way goes on at the next start. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const one of this.running) one.cancel();
    await Promise.all([...this.running].map(({ ended }) => ended));
    this.db?.close();
  }

  private async run(
    what: ImporterOpening["what"],
    work: ImportWork,
    { signal, ...request }: Request,
  ): Promise<StoredImport> {
    if (this.isClosed || signal.aborted) throw interrupted();
    const running = new Running(this.options);
    this.running.add(running);
    void running.ended.then(() => this.running.delete(running));
    signal.addEventListener("abort", () => running.cancel(), { once: true });
    const { file, clockOffsetMs } = this.options;
    return running.finish({ kind: "open", file, clockOffsetMs, what, work }, request);
  }
}

/** One check or commit. */
class Running {
  private readonly thread: BoundedThread<ImporterQuestion>;
  private isCancelled = false;

  constructor(private readonly options: ImportsOptions) {
    this.thread = new BoundedThread({
      start: options.start,
      answerMsMax: stepMsMax,
      tooSlow: interrupted,
      brokenOff: interrupted,
    });
  }
  get ended(): Promise<void> {
    return this.thread.ended;
  }
  cancel(): void {
    this.isCancelled = true;
    this.thread.end(interrupted());
  }

  async finish(
    opening: ImporterOpening,
    { progress, days }: Omit<Request, "signal">,
  ): Promise<StoredImport> {
    try {
      await this.thread.ask(opening);
      let answer: CommitAnswer = null;
      for (;;) {
        const step: ImporterStep = await this.thread.ask<ImporterStep>({ kind: "next", answer });
        // A cancelled import changes nothing any more.
        if (this.isCancelled) throw interrupted();
        if (step.kind === "done") return step.stored;
        answer = null;
        if (step.kind === "progress") progress(step.share);
        else if (step.kind === "days") days(step.dated);
        else answer = await this.change(opening.work, step);
      }
    } finally {
      if (!this.isCancelled) await this.thread.ask({ kind: "close" }).catch(() => null);
      this.thread.end(interrupted());
    }
  }

  private change(
    { importId: name, projectId }: ImportWork,
    step: Exclude<ImporterStep, { kind: "progress" | "days" | "done" }>,
  ): Promise<CommitAnswer> {
    const { change } = this.options;
    switch (step.kind) {
      case "begin": {
        const { content, events } = step;
        return change({ step: "begin", begin: { name, projectId, content, events } });
      }
      case "number users":
        return change({ step: "number users", name, users: step.users });
      case "stage":
        return change({ step: "stage", name, piece: step.piece });
      case "store":
        return change({ step: "store", name });
    }
  }
}

/** The import goes on when it is asked for again. */
class ImportInterrupted extends ApiError {
  constructor() {
    super("UNAVAILABLE", "The import was interrupted. It goes on when the server is back.", {
      retry_after_seconds: 1,
    });
  }
}
const interrupted = (): ApiError => new ImportInterrupted();
