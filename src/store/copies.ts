/*
 * Each value stands twice.
 * Decision: what has no checksum of its own is also in an index that no query uses, made at the opening
 * (`store/copies.ts`).
 * Because: SQLite keeps no checksums, but `pragma integrity_check` compares rows with indexes, both ways.
 * Cost: a few pages more per commit, and that check takes 1 s per 100 MB: a start does it up to 64 MB, beyond that a
 * thread after the start (`store/background-check.ts`), table by table, so that no snapshot holds up the log; `doctor`
 * always.
 * Revisit: when the runtime's SQLite has the checksum VFS.
 */

import type { Database } from "bun:sqlite";

/**
 * SQLite keeps no checksums: a flipped bit in a row is read as another number. But `pragma integrity_check` compares
 * each row with its entries in the indexes, both ways. So every column that no index holds gets into one that is there
 * for nothing else: then each value stands in two places of the file, and no damage of one of them goes unseen. What
 * has a checksum of its own, or may be lost, is left out.
 */
export function keepCopies(db: Database, leftOut: ReadonlySet<string>): void {
  for (const [table, isWithoutRowid] of tablesIn(db)) {
    if (leftOut.has(table)) continue;
    const uncopied = uncopiedIn(db, table, isWithoutRowid).filter(
      (column) => !leftOut.has(`${table}.${column}`),
    );
    if (uncopied.length === 0) continue;
    const columns = uncopied.map(quoted).join();
    // No query's conditions contain this one, so that none is ever answered from here.
    forgetSchema(db);
    db.run(`create index ${quoted(copyPrefix + table)} on ${quoted(table)} (${columns}) where 1`);
  }
}

/** A migration could not drop a column that an index holds. */
export function dropCopies(db: Database): void {
  const named = db.query("select name from sqlite_schema where type = 'index'").values();
  for (const [name] of named) {
    if (String(name).startsWith(copyPrefix)) db.run(`drop index ${quoted(String(name))}`);
  }
}

/**
 * The statements that made the tables stand in one place only, and a flipped bit can give a column another name: a sum
 * of them is kept in the number that SQLite's header has for programs, where 0 is none.
 */
export function noteSchema(db: Database): void {
  if (notedIn(db) === 0) db.run(`pragma user_version = ${sumOfSchema(db)}`);
}
/** Before a change of it. */
export const forgetSchema = (db: Database): void => void db.run("pragma user_version = 0");

export function isSchemaAsNoted(db: Database): boolean {
  const noted = notedIn(db);
  return noted === 0 || noted === sumOfSchema(db);
}

const notedIn = (db: Database): number =>
  (db.query("pragma user_version").get() as { user_version: number }).user_version;

/** 31 bits, as the header's number is signed; never 0. */
function sumOfSchema(db: Database): number {
  const made = db.query("select type, name, tbl_name, sql from sqlite_schema order by type, name");
  return (Bun.hash.xxHash32(JSON.stringify(made.values())) >>> 1) | 1;
}

const copyPrefix = "copy_of_";

const tablesIn = (db: Database): [name: string, isWithoutRowid: boolean][] =>
  db
    .query("select name, wr from pragma_table_list where schema = 'main' and type = 'table'")
    .values()
    .map(([name, isWithoutRowid]): [string, boolean] => [String(name), isWithoutRowid === 1])
    .filter(([name]) => !name.startsWith("sqlite_"));

function uncopiedIn(db: Database, table: string, isWithoutRowid: boolean): string[] {
  const copied = new Set<unknown>();
  let indexes = 0;
  for (const { name, origin, partial } of indexesOf(db, table)) {
    // The primary key of such a table is the table itself.
    if (isWithoutRowid && origin === "pk") continue;
    if (partial === 1 && !name.startsWith(copyPrefix)) continue;
    indexes += 1;
    for (const [column] of db.query("select name from pragma_index_xinfo(?)").values(name)) {
      copied.add(column);
    }
  }
  const columns = db
    .query("select name, pk, type from pragma_table_info(?)")
    .all(table) as Column[];
  const rowid = isWithoutRowid ? null : rowidOf(columns);
  // Every entry of an index names its row.
  if (rowid !== null && indexes > 0) copied.add(rowid);
  const missing = columns.map(({ name }) => name).filter((name) => !copied.has(name));
  return missing;
}

interface Column {
  readonly name: string;
  readonly pk: number;
  readonly type: string;
}
interface Index {
  readonly name: string;
  readonly origin: string;
  readonly partial: number;
}

const indexesOf = (db: Database, table: string): Index[] =>
  db.query("select name, origin, partial from pragma_index_list(?)").all(table) as Index[];

function rowidOf(columns: readonly Column[]): string | null {
  const keys = columns.filter(({ pk }) => pk > 0);
  return keys.length === 1 && /^integer$/i.test(keys[0].type) ? keys[0].name : null;
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
