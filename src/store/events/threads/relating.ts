import type { Database } from "bun:sqlite";
import { ByteBoundedCache } from "../../../lib/cache";
import { type Relation, relatedOf } from "../functions/related";
import { SegmentReader } from "../segment/reader";
import type { SegmentInfo } from "../segment/segment";
import { relatingSizes } from "../segment/sizes";
import { failureOf } from "./failure";

/** Of session keys, 4 bytes a visit. */
const cacheBytes = 32 * 1024 * 1024;
/** It takes a twentieth of the thread's time at the most … */
const restsPerWork = 20;
const restMsMin = 250;
/** … and waits for merges, which remove segments anyway, but not for ever. */
const patienceMs = 10_000;

interface Circumstances {
  /** Merges were made in this round. */
  readonly isBusy: boolean;
  /** Rows of the project will be merged in a moment. */
  isOwed(projectId: number): boolean;
  isInTime(): boolean;
}

interface Found {
  readonly relations: readonly Relation[];
  /** Names of errors. Their projects are left alone until the next start: reads then look at more. */
  readonly faults: readonly string[];
  readonly isMoreToRelate: boolean;
}

/**
 * Finds out which segments share sessions (functions/related.ts) of projects with many of them. It looks at those that
 * were replaced a moment ago too, as a read that began before may still use them.
 */
export class Relating {
  private readonly reader: SegmentReader;
  /** Projects with segments of which nothing is known yet. */
  private readonly projects = new Set<number>();
  private readonly setAside = new Set<number>();
  private seenId = 0;
  private restsUntilMs = 0;
  private relatedAtMs = performance.now();

  constructor(private readonly db: Database) {
    this.reader = new SegmentReader(db, new ByteBoundedCache(cacheBytes));
  }

  relate({ isBusy, isOwed, isInTime }: Circumstances): Found {
    const startedAtMs = performance.now();
    if (startedAtMs < this.restsUntilMs) return this.found([], []);
    if (isBusy && startedAtMs - this.relatedAtMs < patienceMs) return this.found([], []);
    this.relatedAtMs = startedAtMs;
    this.db.run("begin"); // what is swept meanwhile stays readable
    try {
      this.findProjects();
      const relations: Relation[] = [];
      const faults: string[] = [];
      for (const projectId of this.projects) {
        if (!isInTime() && relations.length > 0) break;
        try {
          const isDone = this.relateIn(projectId, isOwed(projectId), isInTime, relations);
          if (isDone) this.projects.delete(projectId);
        } catch (error) {
          const failure = failureOf(error);
          if (failure.kind !== "fault") throw error;
          this.projects.delete(projectId);
          this.setAside.add(projectId);
          faults.push(failure.name);
        }
      }
      return this.found(relations, faults);
    } finally {
      this.db.run("rollback");
      this.reader.forgetInfos();
      const tookMs = performance.now() - startedAtMs;
      this.restsUntilMs = performance.now() + Math.max(restMsMin, restsPerWork * tookMs);
    }
  }

  private findProjects(): void {
    const found = this.db.query(projectsAfter).all(this.seenId) as ProjectWithNew[];
    for (const { projectId, lastId } of found) {
      if (!this.setAside.has(projectId)) this.projects.add(projectId);
      this.seenId = Math.max(this.seenId, lastId);
    }
  }

  /** At least one of the project's segments. True when none is left. */
  private relateIn(
    projectId: number,
    areRowsOwed: boolean,
    isInTime: () => boolean,
    relations: Relation[],
  ): boolean {
    const all = this.db.query(segmentsOf).all(projectId) as (SegmentInfo & { isCurrent: number })[];
    if (all.length < relatingSizes.segmentsMin) return true;
    for (const [index, { id, related, isCurrent, encoding }] of all.entries()) {
      if (related !== null || isCurrent === 0) continue;
      if (areRowsOwed && encoding === "rows") continue;
      if (!isInTime() && relations.length > 0) return false;
      const older = all.slice(0, index).map((one) => this.reader.open(one.id));
      relations.push({ id, related: relatedOf(this.reader.open(id), older, nothing) });
    }
    return !areRowsOwed;
  }

  private found(relations: readonly Relation[], faults: readonly string[]): Found {
    return { relations, faults, isMoreToRelate: this.projects.size > 0 };
  }
}

const nothing = (): void => undefined;

interface ProjectWithNew {
  readonly projectId: number;
  readonly lastId: number;
}
const projectsAfter = `
  select project_id as projectId, max(id) as lastId from segment where id > ? group by project_id`;
const segmentsOf = `
  select id, related, encoding, retired_at is null as isCurrent from segment
  where project_id = ? order by id`;
