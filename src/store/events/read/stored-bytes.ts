import type { Database, Statement } from "bun:sqlite";

const projects = "select id, name from project order by id";
const segmentsOf = "select id from current_segment where project_id = ?";
/** The lengths stand in the heads of the rows: no column is read. */
const bytesOf = `
  select sum(ifnull(length(dictionary), 0) + ifnull(length(codes), 0)) as bytes
  from segment_column where segment_id = ?`;

/** Segments that are measured before others have their turn: some milliseconds. */
const segmentsPerTurn = 50;

/** Measures the events of projects as they lie in the file. A segment never changes, so it is measured once. */
export class StoredBytes {
  private readonly projects: Statement<{ id: number; name: string }, []>;
  private readonly segments: Statement<{ id: number }, [number]>;
  private readonly bytes: Statement<{ bytes: number | null }, [number]>;
  /** The bytes of each segment, by project. */
  private readonly known = new Map<number, ReadonlyMap<number, number>>();

  constructor(db: Database) {
    this.projects = db.prepare(projects);
    this.segments = db.prepare(segmentsOf);
    this.bytes = db.prepare(bytesOf);
  }

  async of(names: readonly string[] | null): Promise<ReadonlyMap<string, number>> {
    const wanted = names === null ? null : new Set(names);
    const found = new Map<string, number>();
    for (const { id, name } of this.projects.all()) {
      if (wanted?.has(name) !== false) found.set(name, await this.measure(id));
    }
    return found;
  }

  private async measure(projectId: number): Promise<number> {
    const before = this.known.get(projectId);
    const now = new Map<number, number>();
    let [sum, measured] = [0, 0];
    for (const { id } of this.segments.all(projectId)) {
      const isNew = before?.has(id) !== true;
      const bytes = before?.get(id) ?? this.bytes.get(id)?.bytes ?? 0;
      now.set(id, bytes);
      sum += bytes;
      measured += isNew ? 1 : 0;
      if (isNew && measured % segmentsPerTurn === 0) await Bun.sleep(0);
    }
    this.known.set(projectId, now);
    return sum;
  }
}
