import type { Database } from "bun:sqlite";
import { ByteBoundedCache } from "../../../lib/cache";
import { failureOf } from "../../protocol/failure";
import { type Fault, faultOf } from "../protocol/messages";
import { SegmentReader } from "../segment/segment-reader";
import { type OverlapNote, overlapOf } from "../session/session-overlap";
import { type Tuning, usualTuning } from "../tuning";

/**
 * The bytes of cached session keys, of which a visit has 4, and as many again where its segment is searched for one.
 * When the keys of a project do not fit, each note decodes all of them again: of 15 million visits it took 170 ms with
 * 32 MB, and 27 with these …
 */
const cacheBytes = 96 * 1024 * 1024;
/** … kept for this long after the last segment was noted. */
const cacheKeptMs = 60_000;
/** It takes a twentieth of the thread's time … */
const restsPerWork = 20;
const restMsMin = 250;
/** … and waits for merges, which remove segments anyway, but not for ever. */
const patienceMs = 60_000;

interface Circumstances {
  /** Merges were made in this round, or will be in a moment. */
  readonly isBusy: boolean;
  /** Projects whose rows will be merged in a moment. */
  readonly owedIds: ReadonlySet<number>;
  isInTime(): boolean;
}

interface Found {
  readonly overlaps: readonly OverlapNote[];
  /** Their projects are left alone until the next start: reads then look at more. */
  readonly faults: readonly Fault[];
  readonly isMoreToNote: boolean;
}

/**
 * Finds out which segments share sessions (session/session-overlap.ts), for projects with many segments, the
 * newest first. It looks at those that were replaced a moment ago too, as a read that began before may still use them.
 */
export class OverlapNotes {
  private readonly cache = new ByteBoundedCache(cacheBytes);
  private readonly reader: SegmentReader;
  /** Projects that may have segments of which nothing is known yet. */
  private readonly projects = new Set<number>();
  private readonly setAside = new Set<number>();
  private seenId = 0;
  private restsUntilMs = 0;
  private notedAtMs: number;
  private foundAtMs = Number.NEGATIVE_INFINITY;

  /** `nowMs` is the time that passes, as performance.now tells it. */
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

  find({ isBusy, owedIds, isInTime }: Circumstances): Found {
    const startedAtMs = this.nowMs();
    const isPatient = isBusy && startedAtMs - this.notedAtMs < patienceMs;
    if (startedAtMs < this.restsUntilMs || isPatient) return this.found([], []);
    this.notedAtMs = startedAtMs;
    this.db.run("begin"); // what is swept meanwhile stays readable
    try {
      return this.relateProjects(owedIds, isInTime);
    } finally {
      if (this.db.inTransaction) this.db.run("rollback");
      this.reader.clearInfos();
      if (startedAtMs - this.foundAtMs >= cacheKeptMs) this.letGo();
      const tookMs = this.nowMs() - startedAtMs;
      this.restsUntilMs = this.nowMs() + Math.max(restMsMin, restsPerWork * tookMs);
    }
  }

  /** Pages of the file are read for notes above all: a server at rest keeps none of them. */
  private letGo(): void {
    this.cache.clear();
    this.db.run("pragma shrink_memory");
  }

  private relateProjects(owedIds: ReadonlySet<number>, isInTime: () => boolean): Found {
    this.findProjects();
    const overlaps: OverlapNote[] = [];
    const faults: Fault[] = [];
    for (const projectId of this.projects) {
      try {
        const found = this.relateIn(projectId, owedIds.has(projectId), isInTime);
        // A note may fail to be written: only a look that finds nothing is the last.
        if (found.length === 0 && !owedIds.has(projectId)) this.projects.delete(projectId);
        overlaps.push(...found);
        if (found.length > 0) this.foundAtMs = this.notedAtMs;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.kind !== "fault" && failure.kind !== "damaged") throw error;
        this.projects.delete(projectId);
        this.setAside.add(projectId);
        faults.push(faultOf("looking for shared sessions", projectId, error));
      }
      if (!isInTime()) break;
    }
    return this.found(overlaps, faults);
  }

  private findProjects(): void {
    const { overlapSegmentsMin } = this.tuning;
    const found = this.db.query(projectsAfter).values(this.seenId, overlapSegmentsMin) as [
      number,
    ][];
    for (const [projectId] of found) {
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
      // One after the other: what is open holds on to its keys.
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

  private found(overlaps: readonly OverlapNote[], faults: readonly Fault[]): Found {
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
/** Selects by two indexes. */
const segmentsOf = `
  select id, encoding, related is not null as isKnown, 1 as isCurrent from current_segment
  where project_id = :projectId
  union all
  select id, encoding, 1, 0 from segment where retired_at is not null and project_id = :projectId
  order by id`;
