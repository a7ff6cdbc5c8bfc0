import type { Database } from "bun:sqlite";
import type { MovedSender } from "../../shared/moved";

const known = `
  select name, number from former_user where project_id = :project
  union all
  select name, number from user where project_id = :project
  order by name, number`;
const lastNumber = `
  select max(
    (select coalesce(max(number), 0) from user where project_id = :project),
    (select coalesce(max(number), 0) from former_user where project_id = :project)
  ) as number`;
const insertUser = "insert into user (project_id, name, number) values (?, ?, ?)";
const insertFormer = "insert into former_user (project_id, name, number) values (?, ?, ?)";
const renumberUser = "update user set number = ?3 where project_id = ?1 and name = ?2";

/** Assigns numbers to the ids of a project that is moved. An id has a number for each time it was linked. */
export class MovedUsers {
  private readonly numbers = new Map<string, number[]>();
  private last: number;

  constructor(
    private readonly db: Database,
    private readonly project: number,
  ) {
    const of = { project };
    for (const { name, number } of db.query(known).all(of) as { name: string; number: number }[]) {
      this.numbersOf(name).push(number);
    }
    this.last = (db.query(lastNumber).get(of) as { number: number }).number;
  }

  /** Returns the number of the sender, which may be one that its id had before. The table of users has the last one. */
  numberOf({ name, generation }: MovedSender): number {
    const { db, project } = this;
    const numbers = this.numbersOf(name);
    while (numbers.length <= generation) {
      const before = numbers.at(-1);
      const number = ++this.last;
      if (before === undefined) db.query(insertUser).run(project, name, number);
      else {
        db.query(insertFormer).run(project, name, before);
        db.query(renumberUser).run(project, name, number);
      }
      numbers.push(number);
    }
    return numbers[generation];
  }

  private numbersOf(name: string): number[] {
    const numbers = this.numbers.get(name) ?? [];
    this.numbers.set(name, numbers);
    return numbers;
  }
}
