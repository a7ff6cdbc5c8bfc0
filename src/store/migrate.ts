import { Database } from "bun:sqlite";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { sha256Hex } from "../lib/ids";
import { log } from "../lib/log";
import {
  dropCopies,
  forgetSchema,
  isSchemaAsNoted,
  keepCopies,
  noteSchema,
  quoted,
} from "./copies";
import { DamagedBlob, damageIn, describeDamage } from "./damage";
import type { Migration } from "./migrations.macro";
import { refusedBySystem, StorageRefused, systemCodeOf } from "./refused";

/** What is true of a database file in general. */
export interface Schema {
  readonly migrations: readonly Migration[];
  /** Tables, and columns as `table.column`, that need no copy (copies.ts). */
  readonly withoutCopy: ReadonlySet<string>;
  /** Compares what has checksums of its own with these, and says which share is done. Throws DamagedBlob. */
  readonly checkContent: ((db: Database) => Iterable<number>) | null;
}

/** The same table that drizzle's own migrator keeps, so that either can go on where the other stopped. */
const createJournal = `
  create table if not exists __drizzle_migrations (
    id integer primary key autoincrement,
    hash text not null,
    created_at numeric
  )`;
const journalExists = "select 1 from sqlite_schema where name = '__drizzle_migrations'";
const newestApplied = `
  select created_at as whenMs from __drizzle_migrations order by created_at desc limit 1`;

/** Reading all of a larger file would hold up the start: it is read in the background (background-check.ts). */
export const checkedAtStartBytesMax = 64 * 1024 * 1024;

/**
 * Looks at a file through a connection that cannot write, so that one that is refused stays as it is: damaged, or
 * written by a newer program. Throws StorageRefused. A file that does not exist is fine.
 */
export function refuseIfUnusable(
  file: string,
  schema: Schema,
  checkedBytesMax = checkedAtStartBytesMax,
): void {
  refuseIfUnwritable(file);
  if (!existsSync(file) || statSync(file).size === 0) return;
  const sidecars = [`${file}-wal`, `${file}-shm`].filter((path) => !existsSync(path));
  try {
    withReadonly(file, (db) => {
      refuseIfNewer(file, newestIn(db), schema.migrations);
      if (statSync(file).size <= checkedBytesMax) checkDatabase(db, schema.checkContent);
    });
  } catch (error) {
    for (const path of sidecars) rmSync(path, { force: true });
    throw error;
  }
}

/** Throws when a file, of any size, is of a newer version or damaged. All of it is read. */
export function refuseIfDamaged(
  file: string,
  schema: Schema,
  progress: (share: number) => void = () => undefined,
): void {
  withReadonly(file, (db) => {
    refuseIfNewer(file, newestIn(db), schema.migrations);
    // What is checked is one state, also beside a server that writes.
    db.transaction(() => checkDatabase(db, schema.checkContent, progress))();
  });
}

/** The names of the migrations that a start would run on a file; none of them runs. Throws as a start would. */
export function pendingMigrations(file: string, { migrations }: Schema): readonly string[] {
  const pending: string[] = [];
  withReadonly(file, (db) => {
    const version = newestIn(db);
    refuseIfNewer(file, version, migrations);
    pending.push(...after(version, migrations).map(({ tag }) => tag));
  });
  return pending;
}

/**
 * Runs work on a file. An error of the system says nothing about what the file holds: it may be on a full disk, or
 * locked. Any other error of a file that can be read and written is damage.
 */
function withReadonly(file: string, work: (db: Database) => void): void {
  let db: Database | null = null;
  try {
    db = new Database(file, { readonly: true, strict: true });
    work(db);
  } catch (error) {
    if (error instanceof StorageRefused) throw error;
    const code = damageIn(error) === null ? systemCodeOf(error) : null;
    if (code !== null) throw refusedBySystem(file, code);
    throw new StorageRefused(
      `${file} is damaged (${describeDamage(error)}). Restore it from a backup, or move all databases to ` +
        "another folder to start with empty ones.",
    );
  } finally {
    db?.close();
  }
}

/**
 * SQLite opens what it cannot write and fails later, in words that sound of damage; and what sounds of damage makes
 * people restore a backup over data that is well. Throws StorageRefused.
 */
export function refuseIfUnwritable(file: string): void {
  for (const path of [dirname(file), file, `${file}-wal`, `${file}-shm`]) {
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
    } catch (error) {
      // A server that ends removes its log at any moment, also between two looks at it.
      const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (isGone && path !== dirname(file)) continue;
      throw new StorageRefused(
        `This user cannot write to ${path}. Run this command as the server's user, or grant ` +
          "this user write permission; no data is lost.",
      );
    }
  }
}

/**
 * Brings a database to the newest schema, all migrations in one transaction. An existing file is first copied beside
 * itself, so that the version before can be gone back to.
 */
export function migrate(db: Database, file: string, schema: Schema): void {
  const { migrations, withoutCopy } = schema;
  const version = newestIn(db);
  refuseIfNewer(file, version, migrations);
  const pending = after(version, migrations);
  if (pending.length > 0) runAll(db, file, version, pending, migrations);
  db.transaction(() => {
    keepCopies(db, withoutCopy);
    noteSchema(db);
  }).immediate();
}

const after = (version: number | null, migrations: readonly Migration[]): readonly Migration[] =>
  migrations.filter(({ when }) => version === null || when > version);

function runAll(
  db: Database,
  file: string,
  version: number | null,
  pending: readonly Migration[],
  migrations: readonly Migration[],
): void {
  const before = migrations.find(({ when }) => when === version);
  if (before !== undefined) copyBeside(db, file, before.tag);
  db.transaction(() => {
    dropCopies(db);
    forgetSchema(db);
    db.run(createJournal);
    const insert = db.query("insert into __drizzle_migrations (hash, created_at) values (?, ?)");
    for (const { sql, when } of pending) {
      for (const statement of sql.split("--> statement-breakpoint")) db.run(statement);
      insert.run(sha256Hex(sql), when);
    }
  }).immediate();
}

/**
 * Reads all of a database: its pages, each row against its entries in the indexes (copies.ts), then what has checksums.
 * Throws when something is not as it was written.
 */
function checkDatabase(
  db: Database,
  checkContent: Schema["checkContent"],
  progress: (share: number) => void = () => undefined,
): void {
  const { integrity_check: found } = db.query("pragma integrity_check(1)").get() as IntegrityCheck;
  if (found !== "ok") throw new DamagedBlob(found.replace(/\s+/g, " "));
  if (!isSchemaAsNoted(db))
    throw new DamagedBlob("its tables differ from those that Sightline created");
  for (const share of checkContent?.(db) ?? []) progress(share);
}

/**
 * Reads all of a database beside a server, in pieces that each see one state, so that no piece keeps the log from
 * starting over for long: every table against its indexes, then what has checksums. Pages that belong to no table are
 * not looked at: nothing is read from them. Yields after each piece.
 */
export function* checkInPieces(db: Database, { checkContent }: Schema): Generator<void> {
  if (!isSchemaAsNoted(db))
    throw new DamagedBlob("its tables differ from those that Sightline created");
  const tables = db.query("select name from sqlite_schema where type = 'table'").values();
  for (const [name] of tables) {
    const check = db.query(`pragma integrity_check(${quoted(String(name))})`);
    const { integrity_check: found } = check.get() as IntegrityCheck;
    if (found !== "ok") throw new DamagedBlob(found.replace(/\s+/g, " "));
    yield;
  }
  for (const _ of checkContent?.(db) ?? []) yield;
}

interface IntegrityCheck {
  readonly integrity_check: string;
}

/** The time (`when`) of the newest migration that the file has seen; null for a new file. */
function newestIn(db: Database): number | null {
  if (db.query(journalExists).get() === null) return null;
  return (db.query(newestApplied).get() as { whenMs: number } | null)?.whenMs ?? null;
}

/** Throws StorageRefused when the newest migration of a file is one that this program does not know. */
function refuseIfNewer(
  file: string,
  version: number | null,
  migrations: readonly Migration[],
): void {
  if (version === null || migrations.some(({ when }) => when === version)) return;
  throw new StorageRefused(
    `A newer version of Sightline wrote ${file}. Start that version, or restore the copy of the file from ` +
      "before the upgrade.",
  );
}

/** The copy has another name until it is whole, so that one cut short by a crash is never taken for a good one. */
function copyBeside(db: Database, file: string, tag: string): void {
  const copy = `${file}.before-upgrade-from-${tag}`;
  const unfinished = `${copy}.part`;
  rmSync(unfinished, { force: true });
  db.query("vacuum into ?").run(unfinished);
  sync(unfinished);
  renameSync(unfinished, copy);
  sync(dirname(copy));
  log("info", "copied a database before changing its schema", { copy: basename(copy) });
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
