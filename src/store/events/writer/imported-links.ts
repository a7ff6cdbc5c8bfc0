import type { Database } from "bun:sqlite";

const isLinkedFrom = (column: string): string => `exists (
  select 1 from user_alias as alias
  where alias.project_id = link.project_id and alias.user = ${column} and alias.canonical > 0)`;

const storedLink = (user: string): string => `
  select 1 from import_link as link join import on import.id = link.import_id
  where link.project_id = ?1 and link.user = ${user} and import.is_stored = 1`;

const dropLinked = `
  delete from import_link as link where import_id = ? and ${isLinkedFrom("link.user")}`;
const dropOne = "delete from import_link where import_id = ? and user = ?";
/** Selects the links to ids that are linked themselves, as they may close a circle. */
const linksToLinked = `
  select user, canonical from import_link as link
  where import_id = ? and ${isLinkedFrom("link.canonical")} order by user`;
/** Stores the links to ids without links in the project. The links of one import form no circle among themselves. */
const storeOthers = `
  insert or replace into user_alias (project_id, user, canonical)
  select project_id, user, canonical from import_link as link
  where import_id = ? and not ${isLinkedFrom("link.canonical")}`;
/** Selects the ids that got a new number, because they have been linked to another id since. */
const formerNumbers = `
  select link.user as former, user.number from import_link as link
  join former_user on former_user.project_id = link.project_id and former_user.number = link.user
  join user on user.project_id = former_user.project_id and user.name = former_user.name
  where link.import_id = ? order by link.user`;
const takeBack = `
  insert or replace into user_alias (project_id, user, canonical)
  select project_id, user, 0 from import_link as link
  where import_id = ? and ${isLinkedFrom("link.user")} and not exists (
    select 1 from former_user
    where former_user.project_id = link.project_id and former_user.number = link.user)`;
const putLink = "insert or replace into user_alias (project_id, user, canonical) values (?, ?, ?)";
const anyStored = `
  select 1 from import_link where project_id = ? and import_id in (select id from import where is_stored = 1) limit 1`;
/** Follows the links from a user. */
const withWay = `
  with recursive way (user) as (
    select ?2
    union all
    select alias.canonical from way join user_alias as alias
      on alias.project_id = ?1 and alias.user = way.user and alias.canonical > 0
  )`;
const firstOnWay = `${withWay} select user from way where exists (${storedLink("way.user")}) limit 1`;
const isOnWay = `${withWay} select 1 from way where user = ?3`;
const isStored = `select 1 where exists (${storedLink("?2")})`;
const forget = `
  delete from import_link where project_id = ? and user = ?
    and import_id in (select id from import where is_stored = 1)`;

interface FormerNumber {
  readonly former: number;
  readonly number: number;
}
interface ImportedLink {
  readonly user: number;
  readonly canonical: number;
}

/** The links that imports staged or stored, by numbers of users. */
export class ImportedLinks {
  constructor(private readonly db: Database) {}

  /** Drops the staged links of ids that the project has already linked. */
  dropLinked(importId: number): void {
    this.db.query(dropLinked).run(importId);
  }
  drop(importId: number, user: number): void {
    this.db.query(dropOne).run(importId, user);
  }
  /** Stores the links that cannot close a circle. Returns the others. */
  storeFirst(importId: number): ImportedLink[] {
    const others = this.db.query(linksToLinked).all(importId) as ImportedLink[];
    this.db.query(storeOthers).run(importId);
    return others;
  }
  /** Removes stored links. Returns whether there were any. */
  takeBack(projectId: number, importId: number): boolean {
    const { changes } = this.db.query(takeBack).run(importId);
    const renumbered = this.db.query(formerNumbers).all(importId) as FormerNumber[];
    for (const { former, number } of renumbered) {
      // A client may have made the opposite link since, which only the import's link allowed.
      if (this.leadsThrough(projectId, number, former)) continue;
      this.db.query(putLink).run(projectId, former, number);
    }
    return changes + renumbered.length > 0;
  }
  /**
   * Follows the links from a user, and returns the first user whose link an import has stored; null if there is none.
   * Users that are linked to that one stay linked to it if the import is removed.
   */
  firstOnWay(projectId: number, user: number): number | null {
    if (this.db.query(anyStored).get(projectId) === null) return null;
    const row = this.db.query(firstOnWay).get(projectId, user) as { user: number } | null;
    return row?.user ?? null;
  }
  /** Tells whether the link of a user is one that an import has stored. */
  isStored(projectId: number, user: number): boolean {
    return this.db.query(isStored).get(projectId, user) !== null;
  }
  /** Tells whether the links from a user lead to or through another one. */
  leadsThrough(projectId: number, user: number, other: number): boolean {
    return this.db.query(isOnWay).get(projectId, user, other) !== null;
  }
  /** Deletes the import's note of a link, as a client has sent or removed the same link. */
  forget(projectId: number, user: number): void {
    this.db.query(forget).run(projectId, user);
  }
}
