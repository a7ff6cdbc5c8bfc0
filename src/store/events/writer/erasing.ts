/*
 * The ids of a person go first, then their events.
 * Decision: one transaction removes the ids, traits, edges and digests of a person and notes the numbers that their
 * events have; the compactor then writes each segment again that has one of these numbers, without them.
 * Because: if the id is sent again, it gets another number, so events that arrive meanwhile need no search. After a
 * crash at any moment the erasure continues.
 * Cost: until the segments are written, reads count these events as those of users without an id.
 */

import type { Database } from "bun:sqlite";
import { noteErasedBytes } from "../../cleaning";
import type { WriterMemory } from "./writer-memory";

const linksOf = "select user, canonical from user_alias where project_id = ? and canonical > 0";
const nameOf = "select name from user where project_id = ? and number = ?";
const formerNumbersOf = "select number from former_user where project_id = ? and name = ?";
const insertErased = `
  insert into erased_user (project_id, number) values (?, ?) on conflict do nothing`;
const deleteUser = "delete from user where project_id = ? and name = ?";
const deleteFormer = "delete from former_user where project_id = ? and number = ?";
/** The number stays with the user to whom its events belong. Only a move reads this name. */
const renameFormer = "update former_user set name = ?3 where project_id = ?1 and number = ?2";
const deleteLink = "delete from user_alias where project_id = ? and user = ?";
/** Stores the highest number, so that no number is used twice. */
const keepNumber =
  "insert or replace into user_alias (project_id, user, canonical) values (?, ?, 0)";
const deleteProfile = "delete from profile where project_id = ? and user = ?";
const deleteImportedLinks = `
  delete from import_link where project_id = ?1 and (user = ?2 or canonical = ?2)`;
const deleteImportedProfile = "delete from import_profile where project_id = ? and user = ?";
const nextMembership = (table: "identity_edge" | "email_digest"): string =>
  `select min(membership) as membership from ${table} where project_id = ? and membership > ?`;
const nextOfEdges = nextMembership("identity_edge");
const nextOfDigests = nextMembership("email_digest");
const deleteDigests =
  "delete from email_digest where project_id = ? and membership = ? and user = ?";
const edgesOf =
  "select other from identity_edge where project_id = ? and membership = ? and user = ?";
const deleteEdge = `
  delete from identity_edge where project_id = ?1 and membership = ?2
    and ((user = ?3 and other = ?4) or (user = ?4 and other = ?3))`;

interface Numbered {
  readonly number: number;
}

/**
 * Removes all rows of these ids from the tables of people, and those of every id that stands for one of them. Runs
 * within the writer's transaction. Returns whether there were any.
 */
export function eraseUsers(
  db: Database,
  { users }: Pick<WriterMemory, "users">,
  projectId: number,
  userIds: readonly string[],
): boolean {
  const seeds = userIds.flatMap((id) => users.canonicalOf(projectId, id) ?? []);
  const numbers = allLeadingTo(db, projectId, seeds);
  const names = new Set(userIds);
  for (const number of numbers) {
    const row = db.query(nameOf).get(projectId, number) as { name: string } | null;
    if (row !== null) names.add(row.name);
    db.query(insertErased).run(projectId, number);
    db.query(deleteFormer).run(projectId, number);
    db.query(deleteLink).run(projectId, number);
    db.query(deleteProfile).run(projectId, number);
    db.query(deleteImportedLinks).run(projectId, number);
    db.query(deleteImportedProfile).run(projectId, number);
  }
  let isFound = numbers.size > 0;
  for (const name of names) {
    if (eraseName(db, projectId, name)) isFound = true;
  }
  if (numbers.size > 0) db.query(keepNumber).run(projectId, Math.max(...numbers));
  return isFound;
}

/** Returns these numbers and all numbers that stand for one of them. */
function allLeadingTo(
  db: Database,
  projectId: number,
  seeds: readonly number[],
): ReadonlySet<number> {
  const numbers = new Set(seeds);
  if (seeds.length === 0) return numbers;
  const links = db.query(linksOf).all(projectId) as { user: number; canonical: number }[];
  const above = Map.groupBy(links, ({ canonical }) => canonical);
  // The loop visits the numbers that it adds, as a set is iterated in the order of insertion.
  for (const number of numbers) {
    for (const { user } of above.get(number) ?? []) numbers.add(user);
  }
  return numbers;
}

function eraseName(db: Database, projectId: number, name: string): boolean {
  let changes = db.query(deleteUser).run(projectId, name).changes;
  const former = db.query(formerNumbersOf).all(projectId, name) as Numbered[];
  for (const { number } of former) {
    changes += db.query(renameFormer).run(projectId, number, `erased ${number}`).changes;
  }
  for (const membership of membershipsIn(db, nextOfDigests, projectId)) {
    changes += db.query(deleteDigests).run(projectId, membership, name).changes;
  }
  for (const membership of membershipsIn(db, nextOfEdges, projectId)) {
    const edges = db.query(edgesOf).all(projectId, membership, name) as { other: string }[];
    for (const { other } of edges) {
      changes += db.query(deleteEdge).run(projectId, membership, name, other).changes;
    }
  }
  return changes > 0;
}

/** Yields the memberships under which a table has rows of the project; '' is the project's own scope. */
function* membershipsIn(db: Database, next: string, projectId: number): Generator<string> {
  const own = ownScope;
  yield own;
  for (let last = own; ; ) {
    const row = db.query(next).get(projectId, last) as { membership: string | null };
    if (row.membership === null) return;
    yield row.membership;
    last = row.membership;
  }
}
const ownScope = "";

const deleteErased = `
  delete from erased_user where project_id = ?1 and number in (select value from json_each(?2))`;
const earliestOwn = `
  update project set first_own_time = (
    select min(first_time) from current_segment where project_id = project.id and import_id = 0
  ) where id = ? and first_own_time >= retained_from_ms`;
const deleteFlagged = `
  delete from flagged_value where project_id = ? and digest = ? and field = ? and key = ?`;
const growFlags = "update project set flag_changes = flag_changes + 1 where id = ?";

/** The compactor's report to the writer that no segment of a project has an event of these users any more. */
export interface ErasedNote {
  readonly project: number;
  readonly users: readonly number[];
  /** The flagged texts that no other user has sent. */
  readonly flagged: readonly FlaggedPlace[];
}
export interface FlaggedPlace {
  readonly digest: string;
  readonly field: string;
  readonly key: string;
}

/** Notes that users are erased: only replaced segments still have events of theirs. */
export function noteErased(
  db: Database,
  { project, users, flagged }: ErasedNote,
  nowMs: number,
): void {
  db.query(deleteErased).run(project, JSON.stringify(users));
  db.query(earliestOwn).run(project);
  for (const { digest, field, key } of flagged) {
    db.query(deleteFlagged).run(project, digest, field, key);
  }
  if (flagged.length > 0) db.query(growFlags).run(project);
  noteErasedBytes(db, nowMs);
}
