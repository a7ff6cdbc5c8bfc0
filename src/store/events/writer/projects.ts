import type { Database } from "bun:sqlite";
import { TwoGenerationCache } from "../../../lib/two-generation-cache";

const insertProject = "insert into project (name) values (?) on conflict do nothing";
const findProject = "select id from project where name = ?";

const rememberedMax = 16_384;

/** The numbers that SQL knows projects by. */
export class Projects {
  private readonly numbers = new TwoGenerationCache<string, number>(rememberedMax);
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
  forget(name: string): void {
    this.numbers.delete(name);
  }
}
