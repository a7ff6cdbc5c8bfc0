import type { Database } from "bun:sqlite";
import type { StoredTime } from "../../port";
import { readBeside } from "../../read-beside";
import { ticketTimeMs } from "../../shared/ticket";

/** The ticket of the event that was stored last, which outlives segments. */
export const lastTicket = "select value from setting where name = 'last_ticket'";
const latestRetainedFrom = "select coalesce(max(retained_from_ms), 0) as ms from project";

const projectsAhead = `
  select id, retained_from_ms as retainedFromMs from project where retained_from_ms > ?`;
const lowerRetained = `
  update project set retained_from_ms = ?2, data_version = data_version + 1 where id = ?1`;
/**
 * Retiring by age takes all older segments of a project in one statement, so those have one time, the last one of
 * them. Merges retire segments too, at other times: these have a replacement, and must not come back.
 */
const showRetired = `
  update segment set retired_at = null, is_inspected = 0
  where project_id = ?1 and last_time < ?2 and retired_at = (
    select max(retired_at) from segment where project_id = ?1 and last_time < ?2 and retired_at > ?3
  ) and (import_id = 0 or import_id in (select id from import))`;
/** Whoever looked for sessions that several segments share did not see the hidden ones. */
const unrelate = "update segment set related = null where project_id = ? and related is not null";

export function storedTime(db: Database): StoredTime {
  const ticket = db.query(lastTicket).get() as { value: string } | null;
  const { ms: retainedFromMs } = db.query(latestRetainedFrom).get() as { ms: number };
  const newestCommitMs = ticket === null ? null : ticketTimeMs(Number(ticket.value));
  return { newestCommitMs, retainedFromMs };
}

export const storedTimeIn = (file: string): StoredTime | null => readBeside(file, storedTime);

/** Shows again what a clock that was ahead has hidden: see EventStore.showAgain. Runs within a transaction. */
export function showAgain(db: Database, aheadOfMs: number, toMs: number): void {
  const projects = db.query(projectsAhead).all(aheadOfMs) as Ahead[];
  for (const { id, retainedFromMs } of projects) {
    db.query(showRetired).run(id, retainedFromMs, aheadOfMs);
    db.query(unrelate).run(id);
    db.query(lowerRetained).run(id, toMs);
  }
}

interface Ahead {
  readonly id: number;
  readonly retainedFromMs: number;
}
