/*
 * Rows gather under load.
 * Decision: after a merge of a project's rows, its next rows wait for 0.3 s, or until they have 20 MB.
 * Because: a segment of 20 MB needs no further merge. With hostile keys, merges of small segments took half of the
 * compactor's time.
 * Cost: readers parse up to 0.3 s of rows: 3 to 6 µs for each row, a third of it for reads without properties. With 1 s
 * instead of 0.3 s, merges were so large that the slowest hundredth of /track waited 31 to 36 ms instead of 18.
 * Revisit: when a read must show ten thousand new events at once.
 */

import type { Database } from "bun:sqlite";
import { dayOf } from "../../../domain/event";
import { rowsWaitingMax } from "../../../domain/limits";
import { ByteBoundedCache } from "../../../lib/cache";
import { clock } from "../../../lib/clock";
import { failureOf } from "../../protocol/failure";
import { heavyEventsMin } from "../append/backpressure";
import {
  type Backlog,
  type Fault,
  faultOf,
  type LogState,
  type Merged,
} from "../protocol/messages";
import { SegmentReader } from "../segment/segment-reader";
import { openForCheckpoints, openForReading } from "../tables";
import { type Tuning, usualTuning } from "../tuning";
import type { Merge } from "../writer/segments";
import { compact, type Due, due, type Encoding, plan } from "./compaction";
import { type Erased, Eraser } from "./erasing";
import { type Inspected, Inspection } from "./inspection";
import { OverlapNotes } from "./overlap-notes";
import { QuietRows } from "./quiet-rows";

/** In a round of this length, several merges share a transaction of the writer, and other work waits little. */
const roundMs = 50;

/** Plans and makes merges. All its state follows from the file, so a new compactor can continue after a crash. */
export class Compactor {
  private readonly db: Database;
  private readonly log: Database;
  private readonly reader: SegmentReader;
  private readonly pageBytes: number;
  /** Projects whose columns may need a merge: all at the start and on a new day, and each after a merge. */
  private readonly unplanned = new Set<number>();
  private readonly setAside = new Set<number>();
  /** The times at which rows were last merged, by project. */
  private readonly rowsMergedAtMs = new Map<number, number>();
  private plannedDay = -1;
  private readonly quietRows: QuietRows;
  private readonly overlapNotes: OverlapNotes;
  private readonly inspection: Inspection;
  private readonly eraser: Eraser;

  /** `nowMs` is a monotonic clock. */
  constructor(
    file: string,
    private readonly nowMs: () => number = () => performance.now(),
    private readonly tuning: Tuning = usualTuning,
  ) {
    this.db = openForReading(file);
    this.log = openForCheckpoints(file);
    this.reader = new SegmentReader(this.db, new ByteBoundedCache(0), tuning);
    this.quietRows = new QuietRows(this.db, nowMs, tuning);
    this.overlapNotes = new OverlapNotes(this.db, nowMs, tuning);
    this.inspection = new Inspection(this.db, nowMs);
    this.eraser = new Eraser(this.db, this.reader, this.tuning);
    this.pageBytes = (this.db.query("pragma page_size").get() as { page_size: number }).page_size;
  }

  /**
   * Merges for a moment. Rows come first, as they cost reads most: those of all projects but the one with most events,
   * as far as time allows, then those of that one. Then follow at least one project with columns and one with quiet
   * rows. So neither one large project nor many small ones keep the others waiting.
   */
  merge(): Merged {
    const endMs = this.nowMs() + roundMs;
    const isInTime = (): boolean => this.nowMs() < endMs;
    this.planAllOnNewDay();
    const owed = due(this.db, this.tuning).filter(({ projectId }) => !this.setAside.has(projectId));
    const ripe = this.withoutRecentMerge(owed);
    const round: Round = { merges: [], projects: new Set(), faults: [] };
    const [heaviest, ...others] = ripe;
    for (const projectId of others) {
      if (!isInTime()) break;
      this.mergeIn(projectId, "rows", round);
    }
    if (heaviest !== undefined) this.mergeIn(heaviest, "rows", round);
    this.quietRows.look();
    for (const projectId of this.unplanned) {
      this.unplanned.delete(projectId);
      this.mergeIn(projectId, "columns", round);
      if (!isInTime()) break;
    }
    const { projects: quiet } = this.quietRows;
    for (const projectId of quiet) {
      if (round.projects.has(projectId)) continue;
      // A project stays in the list until nothing is left to merge, as a merge may fail to be stored.
      if (!this.mergeIn(projectId, "rows", round)) quiet.delete(projectId);
      else if (!isInTime()) break;
    }
    // When the writer has stored these merges, there may be more to merge.
    for (const projectId of round.projects) this.unplanned.add(projectId);
    const { merges, faults } = round;
    this.reader.clearInfos();
    const isBusy = merges.length > 0 || owed.length > 0;
    const owedIds = new Set(owed.map(({ projectId }) => projectId));
    const noted = this.overlapNotes.find({ isBusy, owedIds, isInTime });
    return {
      merges,
      overlaps: noted.overlaps,
      faults: [...faults, ...noted.faults],
      isMoreToCome: ripe.length < owed.length || quiet.size > 0 || noted.isMoreToNote,
      backlog: this.backlogOf(owed),
      log: this.logState("noop"),
    };
  }

  /** Merges nothing, as the disk has too little room. */
  paused(): Merged {
    const [backlog, log] = [this.backlogOf(due(this.db, this.tuning)), this.logState("noop")];
    return { merges: [], overlaps: [], faults: [], isMoreToCome: false, backlog, log };
  }

  /** Builds segments without the events of erased users for a moment. */
  erase(): Erased {
    const endMs = this.nowMs() + roundMs;
    try {
      const found = this.eraser.find(() => this.nowMs() < endMs, this.setAside);
      this.reader.clearInfos();
      return { ...found, faults: [] };
    } catch (error) {
      const project = this.eraser.giveUp();
      const failure = failureOf(error);
      if (project === null || (failure.kind !== "fault" && failure.kind !== "damaged")) throw error;
      this.setAside.add(project);
      const faults = [faultOf("erasing", project, error)];
      return { merges: [], erased: null, isMoreToCome: true, faults };
    }
  }

  /** Inspects texts of visitors for a moment. */
  inspect(): Inspected {
    return this.inspection.find();
  }

  close(): void {
    this.db.close();
    this.log.close();
  }

  /** Copies the log into the file, up to the first page whose older content a read still needs. */
  checkpoint(): LogState {
    return this.logState("passive");
  }

  /**
   * Returns the projects whose rows were not merged a moment ago, or have many bytes again. Under load merges are thus
   * few and large.
   */
  private withoutRecentMerge(owed: readonly Due[]): number[] {
    const nowMs = this.nowMs();
    for (const [projectId, atMs] of this.rowsMergedAtMs) {
      if (nowMs - atMs >= this.tuning.rowsRestMs) this.rowsMergedAtMs.delete(projectId);
    }
    return owed
      .filter(
        ({ projectId, bytes }) =>
          bytes >= this.tuning.rowsGatheredBytesMax || !this.rowsMergedAtMs.has(projectId),
      )
      .map(({ projectId }) => projectId);
  }

  /** Merges segments of a project. Returns whether there was something to merge. */
  private mergeIn(projectId: number, what: Encoding, { merges, projects, faults }: Round): boolean {
    if (projects.has(projectId) || this.setAside.has(projectId)) return false;
    try {
      const inputs = plan(this.db, projectId, this.plannedDay, {
        what,
        quietId: this.quietRows.untilId,
        tuning: this.tuning,
      });
      if (inputs === null) return false;
      if (what === "rows") this.rowsMergedAtMs.set(projectId, this.nowMs());
      merges.push({ inputs, outputs: compact(this.db, this.reader, projectId, inputs) });
      projects.add(projectId);
      return true;
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind !== "fault" && failure.kind !== "damaged") throw error;
      // Reads can still use its segments. Without this, the compactor would try the same merge for ever.
      this.setAside.add(projectId);
      faults.push(faultOf("merging", projectId, error));
      return false;
    }
  }

  private planAllOnNewDay(): void {
    const today = dayOf(clock.nowMs());
    if (today === this.plannedDay) return;
    this.plannedDay = today;
    const projects = this.db.query("select id from project").all() as { id: number }[];
    for (const { id } of projects) this.unplanned.add(id);
  }

  private backlogOf(owed: readonly Due[]): Backlog {
    const events = owed.reduce((sum, one) => sum + one.events, 0);
    if (events < rowsWaitingMax) return { events, heavyProjectIds: [] };
    const nameOf = this.db.query("select name from project where id = ?");
    const heavy = owed.filter((one) => one.events >= heavyEventsMin);
    const names = heavy.map(({ projectId }) => nameOf.get(projectId) as { name: string } | null);
    return { events, heavyProjectIds: names.flatMap((row) => row?.name ?? []) };
  }

  private logState(mode: "noop" | "passive"): LogState {
    const row = this.log.query(`pragma wal_checkpoint(${mode})`).get();
    const { log, checkpointed } = row as { log: number; checkpointed: number };
    const logBytes = Math.max(0, log) * this.pageBytes;
    return { logBytes, uncopiedBytes: logBytes - Math.max(0, checkpointed) * this.pageBytes };
  }
}

interface Round {
  readonly merges: Merge[];
  readonly projects: Set<number>;
  readonly faults: Fault[];
}
