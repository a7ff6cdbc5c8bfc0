import type { Database } from "bun:sqlite";
import { idOf } from "./key-run";

const rowsPerSweep = 2_000;
const blocksPerSweep = 400;

const retireRun = "update key_run set state = 'retired' where id = ?";
const retiredRun = "select id from key_run where state = 'retired' order by id limit 1";
/** Rows of the log are in order of time, so a sweep reads only the oldest. */
const deleteLog = `
  delete from accepted_key where id in (
    select id from (select id, accepted_at from accepted_key order by id limit ?)
    where id <= ? or accepted_at <= ?
  )`;
const deleteBlocks = `
  delete from key_block where id in (
    select id from key_block where id >= ? and id < ? limit ?
  )`;
const deleteFilters = "delete from key_filter where id >= ? and id < ?";

/** Deletes some of the runs and rows of the log that nothing needs any more. Returns true if there are more. */
export function sweepKeys(
  db: Database,
  expiredRuns: readonly number[],
  expiredAtMs: number,
  sealedThrough: number,
): boolean {
  for (const id of expiredRuns) db.query(retireRun).run(id);
  const rows = db.query(deleteLog).run(rowsPerSweep, sealedThrough, expiredAtMs).changes;
  return deleteSomeBlocks(db) || rows === rowsPerSweep;
}

function deleteSomeBlocks(db: Database): boolean {
  const run = db.query(retiredRun).get() as { id: number } | null;
  if (run === null) return false;
  const range = [idOf(run.id, 0), idOf(run.id + 1, 0)] as const;
  if (db.query(deleteBlocks).run(...range, blocksPerSweep).changes === 0) {
    db.query(deleteFilters).run(...range);
    db.query("delete from key_run where id = ?").run(run.id);
  }
  return true;
}
