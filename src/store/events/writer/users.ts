import type { Database, Statement } from "bun:sqlite";
import { TwoGenerationCache } from "../../../lib/two-generation-cache";
import { ImportedLinks } from "./imported-links";

const findUser = "select number from user where project_id = ? and name = ?";
const insertUser = "insert into user (project_id, name, number) values (?, ?, ?)";
const renumberUser = "update user set number = ?3 where project_id = ?1 and name = ?2";
/** Selects the last number, of aliases too, as a user that got a new number may have had the highest. */
const lastNumber = `
  select max(
    (select coalesce(max(number), 0) from user where project_id = ?1),
    (select coalesce(max(user), 0) from user_alias where project_id = ?1)
  ) as number`;
const findName = "select name from user where project_id = ? and number = ?";
const anyLink = "select 1 from user_alias where project_id = ? limit 1";
const findLink = `
  select canonical, shortcut, shortcut_at as shortcutAt from user_alias
  where project_id = ? and user = ? and canonical > 0`;
/** Inserts a link, in place of one that was taken back if there is one: readers notice by its version. */
const insertLink = `
  insert or replace into user_alias (project_id, user, canonical) values (?, ?, ?)`;
const shortenLink = `
  update user_alias set shortcut = ?3, shortcut_at = ?4 where project_id = ?1 and user = ?2`;
const insertFormer = "insert into former_user (project_id, name, number) values (?, ?, ?)";
const findFormer = "select number from former_user where project_id = ? and name = ?";
const findUnlinked = "select unlinked from project where id = ?";
const countUnlinked = "update project set unlinked = unlinked + 1 where id = ?";
/** The target of a link that was removed. */
const nobody = 0;

/** The cache has at most twice this number of ids, in some 40 MB. */
const cachedMax = 131_072;

interface Numbered {
  readonly number: number;
}
interface Link {
  readonly canonical: number;
  readonly shortcut: number;
  readonly shortcutAt: number;
}

/** The numbers of user ids in all projects, and the links between them (definitions.md, Identity). */
export class Users {
  private readonly numbers = new TwoGenerationCache<string, number>(cachedMax);
  private readonly last = new Map<number, number>();
  /** Tells whether a project has any links. Without links, the user of an event needs no lookup. */
  private readonly hasLinks = new Map<number, boolean>();
  /** By project: how often links were removed. Shortcuts from before are then invalid. */
  private readonly unlinked = new Map<number, number>();
  private readonly find: Statement;
  private readonly insert: Statement;
  private readonly findLink: Statement;
  private readonly imported: ImportedLinks;

  constructor(private readonly db: Database) {
    this.imported = new ImportedLinks(db);
    this.find = db.prepare(findUser);
    this.insert = db.prepare(insertUser);
    this.findLink = db.prepare(findLink);
  }

  /** Returns the number of a user id. A new id gets the next number. */
  numberOf(projectId: number, name: string): number {
    return this.numbers.get(`${projectId}\n${name}`, () => {
      const row = this.find.get(projectId, name) as Numbered | null;
      if (row !== null) return row.number;
      const number = this.next(projectId);
      this.insert.run(projectId, name, number);
      return number;
    });
  }

  /** Returns the name of the user that this one is linked to; null if it is not linked. */
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

  /**
   * Returns the end of the links from a number. Each link on the way gets a shortcut, so that the next walk is short.
   */
  canonical(projectId: number, user: number): number {
    const now = this.timesUnlinked(projectId);
    const walked: number[] = [];
    let end = user;
    for (;;) {
      const link = this.findLink.get(projectId, end) as Link | null;
      if (link === null) break;
      walked.push(end);
      const isShort = link.shortcut !== nobody && link.shortcutAt === now;
      end = isShort ? link.shortcut : link.canonical;
    }
    for (const number of walked.slice(0, -1)) {
      this.db.query(shortenLink).run(projectId, number, end, now);
    }
    return end;
  }

  /**
   * Makes events of `previousId` events of `userId` from now on. Returns the number that stands for both, and the one
   * whose profile it takes over, if any.
   */
  link(
    projectId: number,
    previousId: string,
    userId: string,
  ): { readonly target: number; readonly merged: number | null } {
    const user = this.numberOf(projectId, userId);
    const target = this.canonical(projectId, user);
    const previous = this.numberOf(projectId, previousId);
    const current = this.canonical(projectId, previous);
    if (target === current) {
      this.takeOver(projectId, previous, user);
      return { target, merged: null };
    }
    const isLinked = current !== previous;
    // If the id was linked before, its stored events stay with the old target, so it gets a new number.
    const linked = isLinked ? this.renumber(projectId, previousId) : previous;
    this.db.query(insertLink).run(projectId, linked, this.lastingEnd(projectId, user));
    this.hasLinks.set(projectId, true);
    return { target, merged: isLinked ? null : previous };
  }

  /**
   * Removes the link of `previousId`. It gets back all its numbers, and the ids that are linked to these. Returns the
   * id that it stood for; null if it had no link.
   */
  unlink(projectId: number, previousId: string): string | null {
    const owner = this.ownerOf(projectId, previousId);
    if (owner === null || owner.id === previousId) return null;
    this.db.query(insertLink).run(projectId, owner.number, nobody);
    this.imported.forget(projectId, owner.number);
    const former = this.db.query(findFormer).all(projectId, previousId) as Numbered[];
    for (const { number } of former) {
      this.db.query(insertLink).run(projectId, number, owner.number);
      this.imported.forget(projectId, number);
    }
    this.noteUnlinked(projectId);
    return owner.id;
  }

  /** Stores the links that an import staged, for the ids that are not linked yet. */
  showImported(projectId: number, importId: number): void {
    this.imported.dropLinked(importId);
    for (const { user, canonical } of this.imported.storeFirst(importId)) {
      // A link that leads back to the user would close a circle.
      const target = this.canonical(projectId, canonical);
      if (target === user) this.imported.drop(importId, user);
      else this.db.query(insertLink).run(projectId, user, target);
    }
    this.hasLinks.delete(projectId);
  }
  /** Removes the links that an import stored, except those that clients have sent as well. */
  takeBackImported(projectId: number, importId: number): void {
    if (this.imported.takeBack(projectId, importId)) this.noteUnlinked(projectId);
  }

  /** Returns the canonical number of an id; null if the id is new. */
  canonicalOf(projectId: number, name: string): number | null {
    const row = this.find.get(projectId, name) as Numbered | null;
    return row === null ? null : this.canonical(projectId, row.number);
  }

  /** Returns the number of an id, and the id that it stands for; null if the id is new. */
  ownerOf(
    projectId: number,
    name: string,
  ): { readonly number: number; readonly id: string } | null {
    const row = this.find.get(projectId, name) as Numbered | null;
    if (row === null) return null;
    const end = this.canonical(projectId, row.number);
    const { name: id } = this.db.query(findName).get(projectId, end) as { name: string };
    return { number: row.number, id };
  }

  private renumber(projectId: number, name: string): number {
    const number = this.next(projectId);
    this.db.query(insertFormer).run(projectId, name, this.numberOf(projectId, name));
    this.db.query(renumberUser).run(projectId, name, number);
    this.numbers.set(`${projectId}\n${name}`, number);
    return number;
  }
  /** Makes a link of an import one of clients, as a client has sent the same link. */
  private takeOver(projectId: number, previous: number, user: number): void {
    const { imported } = this;
    if (!imported.isStored(projectId, previous)) return;
    // Without the import, the user would stand for the previous one.
    if (imported.leadsThrough(projectId, user, previous)) return;
    this.db.query(insertLink).run(projectId, previous, this.lastingEnd(projectId, user));
    imported.forget(projectId, previous);
  }
  /** Returns the end of the links from a user, up to the first link of an import, which may be removed. */
  private lastingEnd(projectId: number, user: number): number {
    return this.imported.firstOnWay(projectId, user) ?? this.canonical(projectId, user);
  }
  private noteUnlinked(projectId: number): void {
    this.db.query(countUnlinked).run(projectId);
    this.unlinked.delete(projectId);
  }
  private timesUnlinked(projectId: number): number {
    const cached = this.unlinked.get(projectId);
    if (cached !== undefined) return cached;
    const row = this.db.query(findUnlinked).get(projectId) as { unlinked: number } | null;
    const times = row?.unlinked ?? 0;
    this.unlinked.set(projectId, times);
    return times;
  }
  private next(projectId: number): number {
    const last =
      this.last.get(projectId) ?? (this.db.query(lastNumber).get(projectId) as Numbered).number;
    this.last.set(projectId, last + 1);
    return last + 1;
  }
}
