import { Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { migrate, refuseIfUnusable, type Schema } from "../migrate";
import { migrationsOf } from "../migrations.macro" with { type: "macro" };

/** The tables are in drizzle/replays; this opens the file that has them. */
export const schema: Schema = {
  migrations: migrationsOf("replays"),
  // Recordings, which are no numbers: a second copy would double the file.
  withoutCopy: new Set(["segment.frame", "timeline.frame"]),
  checkContent: null,
};

const pageBytes = 8192;
const busyMs = 5_000;
const cacheKib = 16 * 1024;
/** The log is cut back to this when it starts over. */
const logBytesMax = 64 * 1024 * 1024;

/** Opens the file for its one writer; makes it or brings it up to date first. Throws StorageRefused. */
export function openForWriting(file: string, durability: "full" | "normal"): Database {
  refuseIfUnusable(file, schema);
  const db = new Database(file, { create: true, readwrite: true, strict: true });
  db.run(`pragma busy_timeout = ${busyMs}`);
  db.run(`pragma page_size = ${pageBytes}`);
  // Must be there before the first table: sealing and erasing give pages back to the disk.
  db.run("pragma auto_vacuum = incremental");
  db.run("pragma journal_mode = wal");
  db.run(`pragma synchronous = ${durability}`);
  db.run(`pragma journal_size_limit = ${logBytesMax}`);
  db.run(`pragma cache_size = -${cacheKib}`);
  migrate(db, file, schema);
  return db;
}

export function openForReading(file: string): Database {
  const db = new Database(file, { readonly: true, strict: true });
  db.run(`pragma busy_timeout = ${busyMs}`);
  db.run(`pragma cache_size = -${cacheKib}`);
  return db;
}

/** Tells whether anything was ever recorded. Throws StorageRefused where only damage makes it seem that nothing was. */
export function hasReplays(file: string): boolean {
  if (!existsSync(file) || statSync(file).size === 0) return false;
  try {
    // If there is something, the thread that writes it checks for damage.
    if (isRecorded(file)) return true;
  } catch (error) {
    refuseIfUnusable(file, schema);
    throw error;
  }
  refuseIfUnusable(file, schema);
  return false;
}

function isRecorded(file: string): boolean {
  const db = openForReading(file);
  try {
    return db.query("select 1 from replay limit 1").get() !== null;
  } finally {
    db.close();
  }
}
