import type { Database } from "bun:sqlite";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { sha256Hex } from "../lib/ids";
import { log } from "../lib/log";
import type { Migration } from "./migrations.macro";

/** Why a database file is not used. The message is for the person who starts the program: the file and the remedy. */
export class StorageRefused extends Error {}

/** The same table that drizzle's own migrator keeps, so that either can go on where the other stopped. */
const createJournal = `
  create table if not exists __drizzle_migrations (
    id integer primary key autoincrement,
    hash text not null,
    created_at numeric
  )`;
const journalExists = "select 1 from sqlite_schema where name = '__drizzle_migrations'";
const newestApplied = `
  select hash, created_at as whenMs from __drizzle_migrations order by created_at desc limit 1`;

/**
 * Brings a database to the newest schema, all migrations in one transaction. An existing file is first copied beside
 * itself, so that the version before can be gone back to.
 */
export function migrate(db: Database, file: string, migrations: readonly Migration[]): void {
  const applied = newestIn(db);
  refuseIfNewer(file, applied, migrations);
  const pending = migrations.filter(({ when }) => applied === null || when > applied.whenMs);
  if (pending.length === 0) return;
  if (applied !== null) {
    const before = migrations.find(({ when }) => when === applied.whenMs);
    snapshot(db, file, before?.tag ?? "unknown");
  }
  db.transaction(() => {
    db.run(createJournal);
    const insert = db.query("insert into __drizzle_migrations (hash, created_at) values (?, ?)");
    for (const { sql, when } of pending) {
      for (const statement of sql.split("--> statement-breakpoint")) db.run(statement);
      insert.run(sha256Hex(sql), when);
    }
  }).immediate();
}

/** Throws when the file's newest migration is one that this program does not know. */
export function refuseIfNewer(
  file: string,
  applied: Applied | null,
  migrations: readonly Migration[],
): void {
  if (applied === null) return;
  if (migrations.some(({ when }) => when === applied.whenMs)) return;
  throw new StorageRefused(
    `${file} was written by a newer Sightline. Start that version, or go back to a copy of the ` +
      "file made before the upgrade.",
  );
}

export interface Applied {
  readonly hash: string;
  readonly whenMs: number;
}

/** The newest migration that the file has seen; null for a new file. */
export function newestIn(db: Database): Applied | null {
  if (db.query(journalExists).get() === null) return null;
  return db.query(newestApplied).get() as Applied | null;
}

/** Under another name until it is whole: a copy cut short by a crash is never taken for a good one. */
function snapshot(db: Database, file: string, version: string): void {
  const copy = `${file}.before-upgrade-from-${version}`;
  const unfinished = `${copy}.part`;
  if (existsSync(unfinished)) rmSync(unfinished);
  db.query("vacuum into ?").run(unfinished);
  const descriptor = openSync(unfinished, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(unfinished, copy);
  log("info", "copied a database before changing its schema", { copy: basename(copy) });
}
