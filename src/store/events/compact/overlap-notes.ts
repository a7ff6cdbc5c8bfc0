import type { Database } from "bun:sqlite";
import { ByteBoundedCache } from "../../../lib/cache";
import { failureOf } from "../../protocol/failure";
import { type Fault, faultOf } from "../protocol/messages";
import { SegmentReader } from "../segment/segment-reader";
import { type OverlapNote, overlapOf } from "../session/session-overlap";
import { type Tuning, usualTuning } from "../tuning";

/**
 * The cache of session keys has this size. A visit has 4 bytes, and 4 more if its segment is searched for a key. If the
 * keys of a project do not fit, each note decodes all of them again: with 15 million visits a note took 170 ms with
 * 32 MB, and 27 ms with 96 MB.
 */
const cacheBytes = 96 * 1024 * 1024;
/** The cache is cleared when no note was found for this long. */
const cacheKeptMs = 60_000;
/** The search takes a twentieth of the thread's time … */
const restsPerWork = 20;
const restMsMin = 250;
/** … and waits for merges, which remove segments anyway, but not for ever. */
const patienceMs = 60_000;

interface Circumstances {
  /** Tells whether this round has merged, or the next one will. */
  readonly isBusy: boolean;
  /** Projects whose rows will be merged soon. */
  readonly owedIds: ReadonlySet<number>;
  isInTime(): boolean;
}

interface Overlaps {
  readonly overlaps: readonly OverlapNote[];
  /** These projects get no more notes until the next start, so that their reads search more segments. */
  readonly faults: readonly Fault[];
  readonly isMoreToNote: boolean;
}

/**
 * Finds the segments that share sessions (session/session-overlap.ts) in projects with many segments, beginning with
 * the newest. It also searches segments that were just replaced, as a read that began before may still use them.
 */
export class OverlapNotes {
  private readonly cache = new ByteBoundedCache(cacheBytes);
  private readonly reader: SegmentReader;
  /** Projects that may have segments without a note. */
  private readonly projects = new Set<number>();
  private readonly setAside = new Set<number>();
  private seenId = 0;
  private restsUntilMs = 0;
  private notedAtMs: number;
  private foundAtMs = Number.NEGATIVE_INFINITY;

  /** `nowMs` is a monotonic clock. */
  constructor(
    private readonly db: Database,
    private readonly nowMs: () => number = () => performance.now(),
    private readonly tuning: Tuning = usualTuning,
  ) {
    this.reader = new SegmentReader(db, this.cache, tuning);
    this.notedAtMs = nowMs();
  }

  get cachedBytes(): number {
    return this.cache.bytes;
  }

  find({ isBusy, owedIds, isInTime }: Circumstances): Overlaps {
    const startedAtMs = this.nowMs();
    const isPatient = isBusy && startedAtMs - this.notedAtMs < patienceMs;
    if (startedAtMs < this.restsUntilMs || isPatient) return this.resultOf([], []);
    this.notedAtMs = startedAtMs;
    this.db.run("begin"); // in a transaction, segments that are deleted meanwhile stay readable
    try {
      return this.relateProjects(owedIds, isInTime);
    } finally {
      if (this.db.inTransaction) this.db.run("rollback");
      this.reader.clearInfos();
      if (startedAtMs - this.foundAtMs >= cacheKeptMs) this.releaseMemory();
      const tookMs = this.nowMs() - startedAtMs;
      this.restsUntilMs = this.nowMs() + Math.max(restMsMin, restsPerWork * tookMs);
    }
  }

  /** Clears the caches of keys and of pages, so that an idle server keeps none of them. */
  private releaseMemory(): void {
    this.cache.clear();
    this.db.run("pragma shrink_memory");
  }

  private relateProjects(owedIds: ReadonlySet<number>, isInTime: () => boolean): Overlaps {
    this.findProjects();
    const overlaps: OverlapNote[] = [];
    const faults: Fault[] = [];
    for (const projectId of this.projects) {
      try {
        const notes = this.relateIn(projectId, owedIds.has(projectId), isInTime);
        // The writer may fail to store a note, so a project stays until a search finds nothing.
        if (notes.length === 0 && !owedIds.has(projectId)) this.projects.delete(projectId);
        overlaps.push(...notes);
        if (notes.length > 0) this.foundAtMs = this.notedAtMs;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.kind !== "fault" && failure.kind !== "damaged") throw error;
        this.projects.delete(projectId);
        this.setAside.add(projectId);
        faults.push(faultOf("looking for shared sessions", projectId, error));
      }
      if (!isInTime()) break;
    }
    return this.resultOf(overlaps, faults);
  }

  private findProjects(): void {
    const { overlapSegmentsMin } = this.tuning;
    const rows = this.db.query(projectsAfter).values(this.seenId, overlapSegmentsMin) as [number][];
    for (const [projectId] of rows) {
      if (!this.setAside.has(projectId)) this.projects.add(projectId);
    }
    const last = this.db.query("select max(id) from segment").values() as [number | null][];
    this.seenId = last[0]?.[0] ?? 0;
  }

  /** Notes the overlaps of at least one of the project's segments, if one has none yet. */
  private relateIn(
    projectId: number,
    areRowsOwed: boolean,
    isInTime: () => boolean,
  ): OverlapNote[] {
    const all = this.db.query(segmentsOf).all({ projectId }) as ToRelate[];
    const overlaps: OverlapNote[] = [];
    const isWanted = ({ isKnown, isCurrent, encoding }: ToRelate): boolean =>
      isKnown === 0 && isCurrent === 1 && !(areRowsOwed && encoding === "rows");
    if (!all.some(isWanted)) return overlaps;
    this.reader.loadInfos(all.map(({ id }) => id));
    for (const [index, segment] of all.entries().toArray().reverse()) {
      if (!isWanted(segment)) continue;
      if (!isInTime() && overlaps.length > 0) break;
      // The older segments are opened one after the other, as an open segment keeps its keys in memory.
      const older = all.values().take(index);
      const overlap = overlapOf(
        this.reader.open(segment.id),
        older.map(({ id }) => this.reader.open(id)),
        this.tuning.overlapRunsMax,
      );
      overlaps.push({ id: segment.id, overlap });
    }
    return overlaps;
  }

  private resultOf(overlaps: readonly OverlapNote[], faults: readonly Fault[]): Overlaps {
    return { overlaps, faults, isMoreToNote: this.projects.size > 0 };
  }
}

interface ToRelate {
  readonly id: number;
  readonly encoding: string;
  readonly isKnown: 0 | 1;
  readonly isCurrent: 0 | 1;
}
const projectsAfter = `
  select project_id from current_segment
  where project_id in (select project_id from segment where id > ?1)
  group by project_id having count(*) >= ?2`;
/** Selects current and retired segments by one index each. */
const segmentsOf = `
  select id, encoding, related is not null as isKnown, 1 as isCurrent from current_segment
  where project_id = :projectId
  union all
  select id, encoding, 1, 0 from segment where retired_at is not null and project_id = :projectId
  order by id`;
