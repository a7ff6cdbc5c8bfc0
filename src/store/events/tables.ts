import { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { migrate, refuseIfUnusable, type Schema } from "../migrate";
import { migrationsOf } from "../migrations.macro" with { type: "macro" };
import { checkColumns, withoutCopy } from "./check";

/** The tables are in drizzle/events; this opens the file that has them. */
export const schema: Schema = {
  migrations: migrationsOf("events"),
  withoutCopy,
  checkContent: checkColumns,
};

const pageBytes = 8192;
const writerCacheKib = 64 * 1024;
/** Decoded columns are cached by us; SQLite needs little. */
const readerCacheKib = 8 * 1024;
const busyMs = 5_000;
/** The log is cut back to this when it starts over. */
const logBytesMax = 64 * 1024 * 1024;

/** Opens the events file for its one writer; makes it or brings it up to date first. Throws StorageRefused. */
export function openForWriting(file: string, durability: "full" | "normal"): Database {
  refuseIfUnusable(file, schema);
  const db = new Database(file, { create: true, readwrite: true, strict: true });
  db.run(`pragma busy_timeout = ${busyMs}`);
  db.run(`pragma page_size = ${pageBytes}`);
  // Must be there before the first table: sweeping gives pages back to the disk.
  db.run("pragma auto_vacuum = incremental");
  db.run("pragma journal_mode = wal");
  db.run(`pragma synchronous = ${durability}`);
  // The compactor's thread checkpoints, so that no commit waits for it.
  db.run("pragma wal_autocheckpoint = 0");
  db.run(`pragma journal_size_limit = ${logBytesMax}`);
  db.run(`pragma cache_size = -${writerCacheKib}`);
  migrate(db, file, schema);
  db.query("insert or ignore into setting (name, value) values ('hash_seed', ?)").run(
    String(randomBytes(8).readBigUInt64LE()),
  );
  return db;
}

export function openForReading(file: string): Database {
  const db = new Database(file, { readonly: true, strict: true });
  db.run(`pragma cache_size = -${readerCacheKib}`);
  db.run(`pragma busy_timeout = ${busyMs}`);
  return db;
}

/** A connection that only copies the log into the file: it must be able to write that, and changes no table. */
export function openForCheckpoints(file: string): Database {
  const db = new Database(file, { readwrite: true, create: false, strict: true });
  db.run("pragma wal_autocheckpoint = 0");
  return db;
}

/** What session keys and idempotency keys are hashed with; drawn when the file was made. */
export function hashSeedOf(db: Database): bigint {
  const row = db.query("select value from setting where name = 'hash_seed'").get();
  return BigInt((row as { value: string }).value);
}
