/*
 * Each import has its own thread, and uses the writer between requests.
 * Decision: a thread reads the file and makes the segments; the main thread hands each step to the writer, which
 * numbers 500 users or inserts one segment in a step.
 * Because: parsing and packing a million rows takes half a minute of a processor. Neither requests nor the writer may
 * wait for more than some milliseconds of it.
 * Cost: a thread starts for each check and commit. Segments pass through the main thread, without copies.
 * Revisit: if imports of many gigabytes are frequent.
 */

import type { Database } from "bun:sqlite";
import { ApiError } from "../../../domain/errors";
import type { ImportReport } from "../../../domain/import-report";
import { assert } from "../../../lib/assert";
import { minuteMs } from "../../../lib/clock";
import type {
  CountedDate,
  CountedWithout,
  DayWithout,
  ImportStore,
  ImportWork,
  RemovedEvents,
  StoredImport,
} from "../../imports";
import { BoundedThread } from "../../protocol/bounded-thread";
import type { ThreadWorker } from "../../protocol/thread";
import type { ImportChange } from "../protocol/import-messages";
import { openForReading } from "../tables";
import { isStoredIn } from "./basis";
import type { CommitAnswer, CommitStep } from "./commit";
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
  async remove(importId: string): Promise<RemovedEvents> {
    const removed = await this.options.change<RemovedEvents | null>({
      step: "remove",
      name: importId,
    });
    return removed ?? { events: 0, firstKeptMs: null };
  }
  async dropOthers(importIds: readonly string[]): Promise<void> {
    await this.options.change({ step: "drop others", names: importIds });
  }
  isStored(importId: string): boolean {
    this.db ??= openForReading(this.options.file);
    return isStoredIn(this.db, importId);
  }

  countWithout(date: CountedDate): Promise<CountedWithout> {
    const { file, clockOffsetMs } = this.options;
    const opening = { kind: "open", file, clockOffsetMs, what: "count without", date } as const;
    return this.started().count(opening);
  }

  /** Resolves when all threads have closed the file. Unfinished imports continue at the next start. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const one of this.running) one.cancel();
    await Promise.all([...this.running].map(({ ended }) => ended));
    this.db?.close();
  }

  private started(): Running {
    if (this.isClosed) throw interrupted();
    const running = new Running(this.options);
    this.running.add(running);
    void running.ended.then(() => this.running.delete(running));
    return running;
  }
  private async run(
    what: "check" | "commit",
    work: ImportWork,
    { signal, ...request }: Request,
  ): Promise<StoredImport> {
    if (signal.aborted) throw interrupted();
    const running = this.started();
    signal.addEventListener("abort", () => running.cancel(), { once: true });
    const { file, clockOffsetMs } = this.options;
    return running.finish({ kind: "open", file, clockOffsetMs, what, work }, work, request);
  }
}

/** One check, one commit, or the count of one date. */
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

  finish(
    opening: ImporterOpening,
    work: ImportWork,
    { progress, days }: Omit<Request, "signal">,
  ): Promise<StoredImport> {
    return this.within(opening, async (next) => {
      let answer: CommitAnswer = null;
      for (;;) {
        const step = await next(answer);
        assert(step !== null, "a check and a commit end with what is stored");
        if (step.kind === "done") return step.stored;
        answer = null;
        if (step.kind === "progress") progress(step.share);
        else if (step.kind === "days") days(step.dated);
        else if (step.kind !== "imports of date" && step.kind !== "counted") {
          answer = await this.change(work, step);
        }
      }
    });
  }

  count(opening: ImporterOpening): Promise<CountedWithout> {
    return this.within(opening, async (next) => {
      const first = await next(null);
      assert(first?.kind === "imports of date", "a date begins with its imports");
      const sets: DayWithout[] = [];
      for (let step = await next(null); step !== null; step = await next(null)) {
        if (step.kind === "counted") sets.push(step.without);
      }
      return { imports: first.imports, sets: first.isTooMany ? null : sets };
    });
  }

  /** Works with the steps of a thread, which has closed the file when this resolves. */
  private async within<Result>(
    opening: ImporterOpening,
    work: (next: (answer: CommitAnswer) => Promise<ImporterStep | null>) => Promise<Result>,
  ): Promise<Result> {
    try {
      await this.thread.ask(opening);
      return await work(async (answer) => {
        const step: ImporterStep | null = await this.thread.ask({ kind: "next", answer });
        // A cancelled import stops here, and changes nothing.
        if (this.isCancelled) throw interrupted();
        return step;
      });
    } finally {
      if (!this.isCancelled) await this.thread.ask({ kind: "close" }).catch(() => null);
      this.thread.end(interrupted());
    }
  }

  private change(
    { importId: name, projectId }: ImportWork,
    step: CommitStep,
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

/** The import continues at the next request for it. */
class ImportInterrupted extends ApiError {
  constructor() {
    super("UNAVAILABLE", "The import was interrupted. It goes on when the server is back.", {
      retry_after_seconds: 1,
    });
  }
}
const interrupted = (): ApiError => new ImportInterrupted();
