import type { Database, Statement } from "bun:sqlite";
import { closeScratch, openScratch } from "./scratch-file";

const createTable = "create table link (id text primary key, other text not null) without rowid";
const insertLink = "insert into link (id, other) values (?, ?)";
const shortenLink = "update link set other = ?2 where id = ?1";
const findLink = "select other from link where id = ?";
const linksAfter = "select id, other from link where id > ? order by id limit ?";
const linksPerPage = 500;

interface Link {
  readonly other: string;
}
export interface DiskLink extends Link {
  readonly id: string;
}

/** Ids that stand for one another, on disk, by the rule of /identify: what stood for one stands for the other. */
export class DiskLinks {
  readonly #db: Database;
  readonly #insert: Statement;
  readonly #shorten: Statement;
  readonly #find: Statement<Link, [string]>;
  #isEmpty = true;

  constructor(private readonly path: string) {
    this.#db = openScratch(path, createTable);
    this.#insert = this.#db.prepare(insertLink);
    this.#shorten = this.#db.prepare(shortenLink);
    this.#find = this.#db.prepare(findLink);
  }

  link(previousId: string, userId: string): void {
    const previous = this.canonical(previousId);
    const user = this.canonical(userId);
    if (previous === user) return;
    this.#isEmpty = false;
    this.#insert.run(previous, user);
  }

  /** The id for which another one stands in the end. Ways that are followed become shorter, so that none stays long. */
  canonical(id: string): string {
    if (this.#isEmpty) return id;
    let at = id;
    let next = this.#find.get(at)?.other;
    while (next !== undefined) {
      const further = this.#find.get(next)?.other;
      if (further === undefined) return next;
      this.#shorten.run(at, further);
      at = further;
      next = this.#find.get(at)?.other;
    }
    return at;
  }

  /** Yields all links by id; each leads to an id that is closer to the end. */
  *pages(): Generator<readonly DiskLink[]> {
    for (let after = ""; ; ) {
      const page: DiskLink[] = this.#db
        .query<DiskLink, [string, number]>(linksAfter)
        .all(after, linksPerPage);
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = last.id;
    }
  }

  close(): void {
    closeScratch(this.#db, this.path);
  }
}
