import type { Database, Statement } from "bun:sqlite";

const projects = "select id, name, retained_from_ms as retainedFromMs from project order by id";
const segmentsOf = `
  select id, first_time as firstMs, last_time as lastMs from current_segment where project_id = ?`;
/** SQLite reads the lengths from the heads of the rows, without the columns themselves. */
const bytesOf = `
  select sum(ifnull(length(dictionary), 0) + ifnull(length(codes), 0)) as bytes
  from segment_column where segment_id = ?`;

/** After this number of segments, which take some milliseconds, other work has its turn. */
const segmentsPerTurn = 50;

/** Measures the bytes of projects' events in the file. A segment never changes, so it is measured once. */
export class StoredBytes {
  private readonly projects: Statement<ProjectOfFile, []>;
  private readonly segments: Statement<SegmentOfFile, [number]>;
  private readonly bytes: Statement<{ bytes: number | null }, [number]>;
  /** The bytes of each segment, by project. */
  private readonly measured = new Map<number, ReadonlyMap<number, number>>();

  constructor(db: Database) {
    this.projects = db.prepare(projects);
    this.segments = db.prepare(segmentsOf);
    this.bytes = db.prepare(bytesOf);
  }

  async of(names: readonly string[] | null): Promise<ReadonlyMap<string, number>> {
    const wanted = names === null ? null : new Set(names);
    const sizes = new Map<string, number>();
    for (const project of this.projects.all()) {
      const { name } = project;
      if (wanted?.has(name) !== false) sizes.set(name, await this.measure(project));
    }
    return sizes;
  }

  private async measure({ id: projectId, retainedFromMs }: ProjectOfFile): Promise<number> {
    const before = this.measured.get(projectId);
    const now = new Map<number, number>();
    let [sum, newSegments] = [0, 0];
    for (const segment of this.segments.all(projectId)) {
      const { id } = segment;
      const isNew = before?.has(id) !== true;
      const bytes = before?.get(id) ?? this.bytes.get(id)?.bytes ?? 0;
      now.set(id, bytes);
      sum += bytes * shownShare(segment, retainedFromMs);
      newSegments += isNew ? 1 : 0;
      if (isNew && newSegments % segmentsPerTurn === 0) await Bun.sleep(0);
    }
    this.measured.set(projectId, now);
    return Math.round(sum);
  }
}

interface ProjectOfFile {
  readonly id: number;
  readonly name: string;
  readonly retainedFromMs: number;
}
interface SegmentOfFile {
  readonly id: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/**
 * Returns the part of a segment's bytes that counts. Events beyond retention stay in the file as long as their segment.
 * The part of the segment's time span within retention is the estimate for the others.
 */
function shownShare({ firstMs, lastMs }: SegmentOfFile, retainedFromMs: number): number {
  if (retainedFromMs <= firstMs) return 1;
  return retainedFromMs > lastMs ? 0 : (lastMs - retainedFromMs + 1) / (lastMs - firstMs + 1);
}
