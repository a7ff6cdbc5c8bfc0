import type { Database } from "bun:sqlite";

/** Retired segments stay this long, which is far more than the ten seconds that a read may take. */
const retiredKeptMs = 60_000;
const segmentsPerSweep = 16;
const rowsPerSweep = 500;

const retiredLongAgo = "select id from segment where retired_at < ? limit ?";

/** Deletes a few retired segments. Returns whether there may be more. */
export function sweepSegments(db: Database, nowMs: number): boolean {
  const retired = db.query(retiredLongAgo).all(nowMs - retiredKeptMs, segmentsPerSweep);
  for (const { id } of retired as { id: number }[]) {
    db.query("delete from segment_column where segment_id = ?").run(id);
    db.query("delete from segment where id = ?").run(id);
  }
  return retired.length === segmentsPerSweep;
}

const retiredBefore = "select 1 from segment where retired_at <= ? limit 1";

/** Deletes the segments retired until a time, as soon as no read can need them. Returns whether all are deleted. */
export function sweepRetired(db: Database, untilMs: number, nowMs: number): boolean {
  while (sweepSegments(db, nowMs));
  return db.query(retiredBefore).get(untilMs) === null;
}

/** Each statement deletes some rows of a purged project. Its segments are retired and swept with the others. */
const deleteSome = [
  `delete from user where (project_id, name) in
    (select project_id, name from user where project_id = ?1 limit ?2)`,
  `delete from user_alias where version in
    (select version from user_alias where project_id = ?1 limit ?2)`,
  `delete from former_user where (project_id, name, number) in
    (select project_id, name, number from former_user where project_id = ?1 limit ?2)`,
  `delete from profile where (project_id, user) in
    (select project_id, user from profile where project_id = ?1 limit ?2)`,
  `delete from received_day where (project_id, date) in
    (select project_id, date from received_day where project_id = ?1 limit ?2)`,
  `delete from automated_day where (project_id, date, category, actor) in
    (select project_id, date, category, actor from automated_day where project_id = ?1 limit ?2)`,
  `delete from identity_edge where (project_id, membership, user, other) in
    (select project_id, membership, user, other from identity_edge where project_id = ?1 limit ?2)`,
  `delete from email_digest where (digest, project_id, membership, user) in
    (select digest, project_id, membership, user from email_digest where project_id = ?1 limit ?2)`,
  `delete from flagged_value where (project_id, digest, field, key) in
    (select project_id, digest, field, key from flagged_value where project_id = ?1 limit ?2)`,
  `delete from ended_membership where (project_id, membership) in
    (select project_id, membership from ended_membership where project_id = ?1 limit ?2)`,
];

/** Deletes some rows of one purged project. Returns whether there may be more. */
export function sweepPurged(db: Database): boolean {
  const purged = db.query("select id from purged_project limit 1").get() as { id: number } | null;
  if (purged === null) return false;
  const deleted = deleteSome.map((sql) => db.query(sql).run(purged.id, rowsPerSweep).changes);
  if (deleted.every((count) => count === 0)) {
    db.query("delete from purged_project where id = ?").run(purged.id);
  }
  return true;
}

const deleteSomeEnded = [
  `delete from identity_edge where (project_id, membership, user, other) in
    (select project_id, membership, user, other from identity_edge
     where project_id = ?1 and membership = ?2 limit ?3)`,
  `delete from email_digest where (digest, project_id, membership, user) in
    (select digest, project_id, membership, user from email_digest
     where project_id = ?1 and membership = ?2 limit ?3)`,
];

/** Deletes some rows of one membership that has ended. Returns whether there may be more. */
export function sweepEnded(db: Database): boolean {
  const ended = db.query("select * from ended_membership limit 1").get() as Ended | null;
  if (ended === null) return false;
  const { project_id: id, membership } = ended;
  const deleted = deleteSomeEnded.map(
    (sql) => db.query(sql).run(id, membership, rowsPerSweep).changes,
  );
  if (deleted.every((count) => count === 0)) {
    db.query("delete from ended_membership where project_id = ? and membership = ?").run(
      id,
      membership,
    );
  }
  return true;
}

interface Ended {
  readonly project_id: number;
  readonly membership: string;
}

const deleteSomeKeys = `
  delete from import_key where id in (select id from import_key where import_id = ? limit ?)`;
/** A block of keys has some kilobytes. */
const keyBlocksPerSweep = 16;
const deleteSomeImported = [
  `delete from import_link where (import_id, user) in
    (select import_id, user from import_link where import_id = ?1 limit ?2)`,
  `delete from import_profile where (import_id, user) in
    (select import_id, user from import_profile where import_id = ?1 limit ?2)`,
  `delete from import_automated_day where (import_id, date, category, actor) in
    (select import_id, date, category, actor from import_automated_day where import_id = ?1 limit ?2)`,
];

/** Deletes some rows of one removed import. Returns whether there may be more. */
export function sweepImports(db: Database): boolean {
  const removed = db.query("select id from removed_import limit 1").get() as { id: number } | null;
  if (removed === null) return false;
  const deleted = [
    db.query(deleteSomeKeys).run(removed.id, keyBlocksPerSweep).changes,
    ...deleteSomeImported.map((sql) => db.query(sql).run(removed.id, rowsPerSweep).changes),
  ];
  if (deleted.every((count) => count === 0))
    db.query("delete from removed_import where id = ?").run(removed.id);
  return true;
}

/** This number of pages takes about two milliseconds. */
const pagesPerSweep = 256;
/** Free pages that stay for new events: a part of the file, or only a fixed number while no events arrive. */
const freePagesShare = 1 / 8;
const freePagesKept = 128;

/** Returns a few free pages to the disk. Tells whether there are more. */
export function sweepPages(db: Database, isResting: boolean): boolean {
  const { freelist_count: free } = db.query("pragma freelist_count").get() as FreePages;
  const { page_count: pages } = db.query("pragma page_count").get() as Pages;
  const kept = isResting ? freePagesKept : Math.max(freePagesKept * 8, pages * freePagesShare);
  if (free <= kept) return false;
  // Each step frees a page.
  db.query(`pragma incremental_vacuum(${pagesPerSweep})`).all();
  const { freelist_count: left } = db.query("pragma freelist_count").get() as FreePages;
  return left < free && left > kept;
}

interface FreePages {
  readonly freelist_count: number;
}
interface Pages {
  readonly page_count: number;
}
