import type { Database } from "bun:sqlite";
import { TwoGenerationCache } from "../../../lib/two-generation-cache";

const insertProject = "insert into project (name) values (?) on conflict do nothing";
/** A file that was moved here has no time of its own clients' first event: its segments tell it. */
const noteOwn = `
  update project set first_own_time = min(:timeMs, coalesce(
    first_own_time,
    (select min(first_time) from segment where project_id = :id and import_id = 0),
    :timeMs
  )) where id = :id`;
const findProject = "select id from project where name = ?";

const rememberedMax = 16_384;

/** The numbers that SQL knows projects by. */
export class Projects {
  private readonly numbers = new TwoGenerationCache<string, number>(rememberedMax);
  /** No event of the project's own clients that is known of is earlier. */
  private readonly firstOwn = new TwoGenerationCache<number, number>(rememberedMax);
  constructor(private readonly db: Database) {}

  /** A project is made when the first thing of it is stored. */
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
  /** Clients sent an event of this time. */
  noteOwn(id: number, timeMs: number): void {
    if (this.firstOwn.get(id, () => Number.POSITIVE_INFINITY) <= timeMs) return;
    this.db.query(noteOwn).run({ id, timeMs });
    this.firstOwn.set(id, timeMs);
  }
  forget(name: string): void {
    this.numbers.delete(name);
  }
}
