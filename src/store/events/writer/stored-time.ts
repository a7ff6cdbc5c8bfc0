import type { Database } from "bun:sqlite";
import type { StoredTime } from "../../port";
import { readBeside } from "../../read-beside";
import { ticketTimeMs } from "../../shared/ticket";

/** Selects the ticket of the last stored event, which is kept even if its segment is deleted. */
export const lastTicket = "select value from setting where name = 'last_ticket'";
const latestRetainedFrom = "select coalesce(max(retained_from_ms), 0) as ms from project";

const projectsAhead = `
  select id, retained_from_ms as retainedFromMs from project where retained_from_ms > ?`;
const lowerRetained = `
  update project set retained_from_ms = ?2, data_version = data_version + 1 where id = ?1`;
/**
 * Shows the segments again that retention has retired last. One statement has retired all of them, so they have the
 * same time, and it is the latest one. Segments that merges have retired have other times. They must stay hidden, as
 * other segments replace them.
 */
const showRetired = `
  update segment set retired_at = null, is_inspected = 0
  where project_id = ?1 and last_time < ?2 and retired_at = (
    select max(retired_at) from segment where project_id = ?1 and last_time < ?2 and retired_at > ?3
  ) and (import_id = 0 or import_id in (select id from import))`;
/** Deletes the notes on shared sessions, as they do not name the segments that were hidden. */
const unrelate = "update segment set related = null where project_id = ? and related is not null";

export function storedTime(db: Database): StoredTime {
  const ticket = db.query(lastTicket).get() as { value: string } | null;
  const { ms: retainedFromMs } = db.query(latestRetainedFrom).get() as { ms: number };
  const newestCommitMs = ticket === null ? null : ticketTimeMs(Number(ticket.value));
  return { newestCommitMs, retainedFromMs };
}

export const storedTimeIn = (file: string): StoredTime | null => readBeside(file, storedTime);

/** Shows the events again that a clock ahead of time has hidden (EventStore.showAgain). Runs within a transaction. */
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
