import type { Database } from "bun:sqlite";
import { ApiError } from "../../domain/errors";
import type { ErasureStore } from "../erasures";
import type { Thread } from "../protocol/thread";
import type { CompactorQuestion, LogState, WriterQuestion } from "./protocol/messages";
import { openForReading } from "./tables";

const isErasing = `
  select 1 from erased_user where project_id = (select id from project where name = ?) limit 1`;
const lookEveryMs = 10;

interface ErasureParts {
  readonly file: string;
  readonly writer: Thread<WriterQuestion>;
  /** Null until maintenance has started. */
  compactor(): Thread<CompactorQuestion> | null;
  change(question: WriterQuestion): Promise<unknown>;
  /** Resolves when all events that the server has accepted so far are stored. */
  settled(): Promise<void>;
  /** Ends the exports of a project. */
  cutExports(projectId: string): void;
  readonly copyLog: (() => Promise<void>) | undefined;
}

/** The erasures of this engine: the writer removes ids, and maintenance the events that had them. */
export class Erasures implements ErasureStore {
  private db: Database | null = null;
  private isClosed = false;

  constructor(private readonly parts: ErasureParts) {}

  async erase(projectId: string, userIds: readonly string[]): Promise<void> {
    // An event that came before the ids were blocked may still wait for its commit.
    await this.parts.settled();
    await this.parts.change({ kind: "erase", projectId, userIds });
    while (this.isErasing(projectId)) await Bun.sleep(lookEveryMs);
    this.parts.cutExports(projectId);
  }

  async clean(): Promise<boolean> {
    const { writer, copyLog, compactor } = this.parts;
    if (!(await writer.ask<boolean>({ kind: "overwrite erased" }))) return false;
    if (copyLog !== undefined) await copyLog();
    else {
      await compactor()?.ask<LogState>({ kind: "checkpoint" });
      await writer.ask({ kind: "checkpoint" });
    }
    return writer.ask<boolean>({ kind: "is log cut" });
  }

  close(): void {
    this.isClosed = true;
    this.db?.close();
    this.db = null;
  }

  private isErasing(projectId: string): boolean {
    if (this.isClosed) throw new ApiError("UNAVAILABLE", "The server is stopping.");
    this.db ??= openForReading(this.parts.file);
    return this.db.query(isErasing).get(projectId) !== null;
  }
}
