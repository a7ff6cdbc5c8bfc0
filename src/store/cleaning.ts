/*
 * A database is written again after an erasure.
 * Decision: once nobody needs what was replaced, `vacuum` writes the whole file again, and the log is copied and cut.
 * Because: SQLite leaves copies of deleted rows in the unused parts of pages (measured: 100 copies of 50 ids among
 * 300,000), and overwrites only what it deletes itself, not what it has moved before.
 * Cost: whoever writes waits for it, 0.6 s for a file of 137 MB, and it needs twice the room of the file.
 * Revisit: when files are so large that events must not wait for it.
 */

import type { Database } from "bun:sqlite";
import { dirname } from "node:path";
import { freeBytesIn } from "./free-bytes";

/** The settings of a database say what is left to do, so that it goes on after a stop. */
const read = "select cast(value as integer) as atMs from setting where name = ?";
const put = "insert or replace into setting (name, value) values (?, ?)";
const forget = "delete from setting where name = ?";
const inFile = "erased_in_file";
const inLog = "erased_in_log";

/** The new file is made beside the old one, and then written through the log. */
const roomPerByte = 2.2;

/** Notes that the file may have bytes of what was erased. Runs within the transaction that erases. */
export const noteErasedBytes = (db: Database, nowMs: number): void =>
  void db.query(put).run(inFile, String(nowMs));

/**
 * Writes the file again where it may have such bytes. Returns false while that has to wait: `isReady` says whether what
 * was erased until a time is deleted.
 */
export function overwriteErased(
  db: Database,
  nowMs: number,
  isReady: (erasedAtMs: number) => boolean = () => true,
): boolean {
  const erased = db.query(read).get(inFile) as { readonly atMs: number } | null;
  if (erased === null) return true;
  if (!isReady(erased.atMs) || !hasRoom(db)) return false;
  // The temporary folder of a container is often small.
  db.run(`pragma temp_store_directory = '${dirname(db.filename).replaceAll("'", "''")}'`);
  db.run("vacuum");
  db.transaction(() => {
    db.query(forget).run(inFile);
    db.query(put).run(inLog, String(nowMs));
  })();
  return true;
}

function hasRoom(db: Database): boolean {
  const { page_count: pages } = db.query("pragma page_count").get() as { page_count: number };
  const { page_size: bytes } = db.query("pragma page_size").get() as { page_size: number };
  return freeBytesIn(dirname(db.filename)) > pages * bytes * roomPerByte;
}

/**
 * Tells whether the log has no such bytes, once it was copied into the file. A commit starts a log over that nobody
 * reads, and cuts it to the bytes of that commit.
 */
export function isLogCut(db: Database): boolean {
  if (db.query(read).get(inLog) === null) return true;
  const { journal_size_limit: limit } = db.query("pragma journal_size_limit").get() as {
    readonly journal_size_limit: number;
  };
  const before = framesOf(db);
  db.run("pragma journal_size_limit = 0");
  try {
    db.query(put).run(inLog, "0");
  } finally {
    db.run(`pragma journal_size_limit = ${limit}`);
  }
  // A log that goes on is longer than it was.
  if (before > 0 && framesOf(db) > before) return false;
  db.query(forget).run(inLog);
  return true;
}

const framesOf = (db: Database): number =>
  (db.query("pragma wal_checkpoint(noop)").get() as { readonly log: number }).log;
