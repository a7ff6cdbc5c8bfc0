/*
 * Quiet rows become columns.
 * Decision: rows of a project to which no more have come for 15 to 30 s become columns from 512 events on, not 2,048.
 * Because: a small project kept its rows for ever, and each first read took all of them apart: 9 ms at 1,000 events,
 * now 2; the overview of 200 such projects 109 ms, now 25.
 * Cost: one more merge for each pause, and a look for such projects every 15 s while segments come.
 * Revisit: when rows are read without being taken apart.
 */

import type { Database } from "bun:sqlite";
import { type Tuning, usualTuning } from "../tuning";
import { quietProjects } from "./compaction";

/**
 * Rows that no more are coming to. A small project has too few for a merge, and a read of them takes all of them apart;
 * once no rows have come to them for a while they become columns, if they are enough for that.
 */
export class QuietRows {
  /** Projects with such rows; who merges takes out those that have none any more. */
  readonly projects = new Set<number>();
  /** The newest segment that is old enough: ids ascend, so that a look at the highest one now and then is enough. */
  private lastQuietId = 0;
  private newestId = 0;
  private lookedAtMs = Number.NEGATIVE_INFINITY;

  /** `nowMs` is the time that passes, as performance.now tells it. */
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
