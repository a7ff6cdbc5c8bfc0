/*
 * control.db counts without fsync.
 * Decision: read counts, last use of a key and renewal of a cookie are written with synchronous=normal, once a second.
 * Because: they may lose a second, and an fsync would hold the main thread.
 * Cost: a power cut loses them back to the last full write.
 */

import { Database, SQLiteError } from "bun:sqlite";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { ApiError } from "../../domain/errors";
import { clock } from "../../lib/clock";
import { log } from "../../lib/log";
import { isLogCut, noteErasedBytes, overwriteErased } from "../cleaning";
import { DamageReport } from "../damage";
import { migrate, refuseIfUnusable, type Schema } from "../migrate";
import { migrationsOf } from "../migrations.macro" with { type: "macro" };
import { Room } from "./room";

export const schema: Schema = {
  migrations: migrationsOf("control"),
  withoutCopy: new Set(),
  checkContent: null,
};
const busyMs = 2_000;

export type ControlDatabase = BunSQLiteDatabase;

export function openControlFile(file: string): Database {
  refuseIfUnusable(file, schema);
  const client = new Database(file, { create: true, readwrite: true, strict: true });
  // `sightline setup` may write beside the server, for moments.
  client.run(`pragma busy_timeout = ${busyMs}`);
  client.run("pragma journal_mode = wal");
  client.run("pragma synchronous = full");
  migrate(client, file, schema);
  // What is deleted is overwritten: keys that were destroyed are in no file.
  client.run("pragma secure_delete = on");
  // Off while tables are rebuilt by a migration, on for everything else.
  client.run("pragma foreign_keys = on");
  return client;
}

/** A statement that is prepared when it is first asked, so that a start waits only for those that it asks itself. */
export function prepared<Statement>(prepare: () => Statement): () => Statement {
  let made: Statement | null = null;
  return () => {
    made ??= prepare();
    return made;
  };
}

/** A connection to control.db: everybody reads through `db`, and writes through `write`. */
export class ControlConnection {
  readonly db: ControlDatabase;
  /** Reports the damage that requests have met. */
  readonly damage = new DamageReport("control.db");
  /** Room for rows that anybody can make. */
  readonly room = new Room();
  readonly #client: Database;
  #revision = 0;

  constructor(client: Database) {
    this.#client = client;
    this.db = drizzle(client);
  }

  /**
   * Everything in `work` or nothing, on the disk when it returns. What it reads cannot change before it writes, also
   * not through another process. Throws UNAVAILABLE when the disk is full or fails; reads go on meanwhile.
   */
  write<T>(work: () => T): T {
    const result = this.#transact(work);
    this.#revision += 1;
    return result;
  }

  /** Writes counts that may be lost with the last moment: it waits neither for the disk nor for another process. */
  writeSoon(work: () => void): void {
    this.#client.run("pragma synchronous = normal");
    this.#client.run("pragma busy_timeout = 0");
    try {
      this.#transact(work);
    } finally {
      this.#client.run("pragma synchronous = full");
      this.#client.run(`pragma busy_timeout = ${busyMs}`);
    }
  }

  /** Grows whenever something was changed: what was read with an older one may hold no more. */
  get revision(): number {
    return this.#revision;
  }

  /** Moves the log into the file and empties it: what was deleted is in neither then. */
  emptyLog(): void {
    this.#client.run("pragma wal_checkpoint(truncate)");
  }

  /** Notes that the file may have bytes of a person who was erased. */
  noteErased(): void {
    this.write(() => noteErasedBytes(this.#client, clock.nowMs()));
  }
  /** Overwrites them. `copyLog` copies the log where something follows it. False while that has to wait. */
  async clean(copyLog: () => Promise<void>): Promise<boolean> {
    if (!overwriteErased(this.#client, clock.nowMs())) return false;
    await copyLog();
    this.#client.query("pragma wal_checkpoint(passive)").get();
    return isLogCut(this.#client);
  }

  close(): void {
    this.#client.close();
  }

  #transact<T>(work: () => T): T {
    try {
      return this.#client.transaction(work).immediate();
    } catch (error) {
      if (!isTrouble(error)) throw error;
      log("error", "could not write to control.db", { cause: error.code });
      throw new ApiError(
        "UNAVAILABLE",
        "The server cannot write to its disk, so nothing was changed. Try again in a moment.",
      );
    }
  }
}

/** The machine's trouble, as opposed to a constraint or a mistake of ours. */
const isTrouble = (error: unknown): error is SQLiteError =>
  error instanceof SQLiteError &&
  /^SQLITE_(FULL|IOERR|BUSY|READONLY|CANTOPEN|NOMEM)/.test(error.code ?? "");

/** Tells whether a write failed because it would have made something twice. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof SQLiteError && /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)/.test(error.code ?? "");
