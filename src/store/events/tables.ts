import { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { migrate, refuseIfUnusable, type Schema } from "../migrate";
import { migrationsOf } from "../migrations.macro" with { type: "macro" };
import { checkColumns, withoutCopy } from "./check";

/* This file opens the events file. Its tables are defined in drizzle/events. */
export const schema: Schema = {
  migrations: migrationsOf("events"),
  withoutCopy,
  checkContent: checkColumns,
};

const pageBytes = 8192;
const writerCacheKib = 64 * 1024;
/** SQLite needs only a small cache, as the readers cache decoded columns. */
const readerCacheKib = 8 * 1024;
const busyMs = 5_000;
/** When the log starts over, SQLite truncates it to this size. */
const logBytesMax = 64 * 1024 * 1024;

/** Opens the events file for its only writer, after creating or migrating it if necessary. Throws StorageRefused. */
export function openForWriting(file: string, durability: "full" | "normal"): Database {
  refuseIfUnusable(file, schema);
  const db = new Database(file, { create: true, readwrite: true, strict: true });
  db.run(`pragma busy_timeout = ${busyMs}`);
  db.run(`pragma page_size = ${pageBytes}`);
  // This must be set before the first table. With it the sweep can return pages to the disk.
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

/** Opens a connection that copies the log into the file. It needs write access for this, but changes no table. */
export function openForCheckpoints(file: string): Database {
  const db = new Database(file, { readwrite: true, create: false, strict: true });
  db.run("pragma wal_autocheckpoint = 0");
  return db;
}

/** Returns the seed for the hashes of session keys and idempotency keys. Each file has its own random seed. */
export function hashSeedOf(db: Database): bigint {
  const row = db.query("select value from setting where name = 'hash_seed'").get();
  return BigInt((row as { value: string }).value);
}
