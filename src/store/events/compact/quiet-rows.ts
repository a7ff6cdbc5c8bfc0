/*
 * Quiet rows become columns.
 * Decision: rows of a project to which no more have come for 15 to 30 s become columns from 512 events on, not 2,048.
 * Because: a small project kept its rows for ever, and each first read parsed all of them. With 1,000 events it took
 * 9 ms and now takes 2 ms; the overview of 200 such projects took 109 ms and now takes 25 ms.
 * Cost: one more merge for each pause, and a search for such projects every 15 s while segments arrive.
 * Revisit: if reads no longer have to parse rows.
 */

import type { Database } from "bun:sqlite";
import { type Tuning, usualTuning } from "../tuning";
import { quietProjects } from "./compaction";

/** Finds the projects with quiet rows: those that have received no more for a while, and are enough for columns. */
export class QuietRows {
  /** Projects with quiet rows. The compactor removes a project when it has none left. */
  readonly projects = new Set<number>();
  /** The newest segment whose rows are quiet. As ids ascend, it is the highest id of an earlier search. */
  private lastQuietId = 0;
  private newestId = 0;
  private lookedAtMs = Number.NEGATIVE_INFINITY;

  /** `nowMs` is a monotonic clock. */
  constructor(
    private readonly db: Database,
    private readonly nowMs: () => number = () => performance.now(),
    private readonly tuning: Tuning = usualTuning,
  ) {}

  get untilId(): number {
    return this.lastQuietId;
  }

  look(): void {
    const nowMs = this.nowMs();
    if (nowMs - this.lookedAtMs < this.tuning.rowsQuietMs) return;
    this.lookedAtMs = nowMs;
    const before = this.lastQuietId;
    this.lastQuietId = this.newestId;
    const newest = this.db.query("select max(id) as id from segment").get() as {
      id: number | null;
    };
    this.newestId = newest.id ?? 0;
    if (this.lastQuietId === before) return;
    for (const id of quietProjects(this.db, this.lastQuietId, this.tuning)) this.projects.add(id);
  }
}
