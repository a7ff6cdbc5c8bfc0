import type { Database, Statement } from "bun:sqlite";
import { TwoGenerationCache } from "../../../lib/two-generation-cache";

const findUser = "select number from user where project_id = ? and name = ?";
const insertUser = "insert into user (project_id, name, number) values (?, ?, ?)";
const renumberUser = "update user set number = ?3 where project_id = ?1 and name = ?2";
/** Of aliases too, as a user that got a new number may have had the highest. */
const lastNumber = `
  select max(
    (select coalesce(max(number), 0) from user where project_id = ?1),
    (select coalesce(max(user), 0) from user_alias where project_id = ?1)
  ) as number`;
const findName = "select name from user where project_id = ? and number = ?";
const anyLink = "select 1 from user_alias where project_id = ? limit 1";
const findLink = "select canonical from user_alias where project_id = ? and user = ?";
const insertLink = "insert into user_alias (project_id, user, canonical) values (?, ?, ?)";
const shortenLink = "update user_alias set canonical = ?3 where project_id = ?1 and user = ?2";

/** Twice as many at most, some 40 MB. */
const rememberedMax = 131_072;

interface Numbered {
  readonly number: number;
}

/** The user ids of all projects by number, and which number stands for which (definitions.md). */
export class Users {
  private readonly numbers = new TwoGenerationCache<string, number>(rememberedMax);
  private readonly last = new Map<number, number>();
  /** Whether a project has links at all: most events need not be looked up then. */
  private readonly hasLinks = new Map<number, boolean>();
  private readonly find: Statement;
  private readonly insert: Statement;
  private readonly findLink: Statement;

  constructor(private readonly db: Database) {
    this.find = db.prepare(findUser);
    this.insert = db.prepare(insertUser);
    this.findLink = db.prepare(findLink);
  }

  /** The number of a user id; a new one gets the next. */
  numberOf(projectId: number, name: string): number {
    return this.numbers.get(`${projectId}\n${name}`, () => {
      const found = this.find.get(projectId, name) as Numbered | null;
      if (found !== null) return found.number;
      const number = this.next(projectId);
      this.insert.run(projectId, name, number);
      return number;
    });
  }

  /** The name of the user that this one stands for since it was linked; null when it is no other. */
  linkedName(projectId: number, user: number): string | null {
    let hasLinks = this.hasLinks.get(projectId);
    if (hasLinks === undefined) {
      hasLinks = this.db.query(anyLink).get(projectId) !== null;
      this.hasLinks.set(projectId, hasLinks);
    }
    if (!hasLinks) return null;
    const end = this.canonical(projectId, user);
    if (end === user) return null;
    return (this.db.query(findName).get(projectId, end) as { name: string }).name;
  }

  /** The end of the links from a number. What was walked is shortened, so that no chain is walked twice. */
  canonical(projectId: number, user: number): number {
    const walked: number[] = [];
    let end = user;
    for (;;) {
      const link = this.findLink.get(projectId, end) as { canonical: number } | null;
      if (link === null) break;
      walked.push(end);
      end = link.canonical;
    }
    for (const number of walked.slice(0, -1)) {
      this.db.query(shortenLink).run(projectId, number, end);
    }
    return end;
  }

  /**
   * From now on, events of `previousId` are events of `userId`. Returns the number that stands for both, and the one
   * whose profile it takes over, if any.
   */
  link(
    projectId: number,
    previousId: string,
    userId: string,
  ): { readonly target: number; readonly merged: number | null } {
    const target = this.canonical(projectId, this.numberOf(projectId, userId));
    const previous = this.numberOf(projectId, previousId);
    const current = this.canonical(projectId, previous);
    if (target === current) return { target, merged: null };
    const isLinked = current !== previous;
    // Linked before: what was stored stays with the old target, so the id gets another number.
    const linked = isLinked ? this.renumber(projectId, previousId) : previous;
    this.db.query(insertLink).run(projectId, linked, target);
    this.hasLinks.set(projectId, true);
    return { target, merged: isLinked ? null : previous };
  }

  private renumber(projectId: number, name: string): number {
    const number = this.next(projectId);
    this.db.query(renumberUser).run(projectId, name, number);
    this.numbers.set(`${projectId}\n${name}`, number);
    return number;
  }
  private next(projectId: number): number {
    const last =
      this.last.get(projectId) ?? (this.db.query(lastNumber).get(projectId) as Numbered).number;
    this.last.set(projectId, last + 1);
    return last + 1;
  }
}
