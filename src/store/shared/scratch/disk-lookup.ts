import type { Database, Statement } from "bun:sqlite";
import { closeScratch, openScratch } from "./scratch-file";

const createTable = "create table pair (key text not null, value text not null)";
const createIndex = "create index pair_by_key on pair (key)";
const insertPair = "insert into pair (key, value) values (?, ?)";
const findValues = "select value from pair where key = ? order by rowid";

interface Pair {
  readonly value: string;
}

/**
 * Values by their keys on disk, where there may be more of them than memory should hold. All are added first; the index
 * is made when the first one is looked up, which costs less than to keep it up to date.
 */
export class DiskLookup {
  readonly #db: Database;
  readonly #insert: Statement;
  #find: Statement<Pair, [string]> | null = null;
  #isEmpty = true;

  constructor(private readonly path: string) {
    this.#db = openScratch(path, createTable);
    this.#insert = this.#db.prepare(insertPair);
  }

  add(key: string, value: string): void {
    this.#isEmpty = false;
    this.#insert.run(key, value);
  }

  /** Returns the values of a key in the order in which they were added. */
  find(key: string): readonly string[] {
    if (this.#isEmpty) return [];
    this.#find ??= this.#ready();
    return this.#find.all(key).map(({ value }) => value);
  }

  #ready(): Statement<Pair, [string]> {
    this.#db.run(createIndex);
    return this.#db.prepare(findValues);
  }

  close(): void {
    closeScratch(this.#db, this.path);
  }
}
