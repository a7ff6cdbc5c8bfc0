import type { Database } from "bun:sqlite";
import { TwoGenerationCache } from "../../../lib/two-generation-cache";

const insertProject = "insert into project (name) values (?) on conflict do nothing";
/** A project that was moved here has no time of its own clients' first event. It follows from the segments. */
const noteOwn = `
  update project set first_own_time = min(:timeMs, coalesce(
    first_own_time,
    (select min(first_time) from segment where project_id = :id and import_id = 0),
    :timeMs
  )) where id = :id`;
const findProject = "select id from project where name = ?";

const cachedMax = 16_384;

/** The numbers of projects in the tables. */
export class Projects {
  private readonly numbers = new TwoGenerationCache<string, number>(cachedMax);
  /** The time of the first known event of the project's own clients. */
  private readonly firstOwn = new TwoGenerationCache<number, number>(cachedMax);
  constructor(private readonly db: Database) {}

  /** Returns the number of a project. A new project gets one. */
  numberOf(name: string): number {
    return this.numbers.get(name, () => {
      this.db.query(insertProject).run(name);
      return this.find(name)!;
    });
  }
  find(name: string): number | null {
    const row = this.db.query(findProject).get(name) as { id: number } | null;
    return row?.id ?? null;
  }
  /** Notes the time of an event that clients have sent. */
  noteOwn(id: number, timeMs: number): void {
    if (this.firstOwn.get(id, () => Number.POSITIVE_INFINITY) <= timeMs) return;
    this.db.query(noteOwn).run({ id, timeMs });
    this.firstOwn.set(id, timeMs);
  }
  forget(name: string): void {
    this.numbers.delete(name);
  }
}
