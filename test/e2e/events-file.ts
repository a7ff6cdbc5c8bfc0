import { Database } from "bun:sqlite";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { removeFolder, temporaryFolder } from "../support/server/server";

/** The compactor begins when more rows than this wait. */
const rowsWaitingAtRest = 2_048;

export interface Automated {
  readonly requests: number;
  readonly droppedEvents: number;
}

/** What the events file of a data folder holds beside events, read from a copy: opening it would already recover it. */
export interface EventsFile {
  /** Work waited for the compactor, and it had done some since then: it was at work when the process died. */
  wasCompactingSince(startedAtMs: number): boolean;
  /** Returns a project's automated requests, summed over dates and actors. */
  automatedOf(projectId: string): Automated;
}

export function lookInto<T>(dataDir: string, look: (file: EventsFile) => T): T {
  const copy = temporaryFolder();
  cpSync(dataDir, copy, { recursive: true });
  const database = new Database(join(copy, "events.db"), { strict: true });
  const number = (statement: string, parameters: Record<string, string | number>): number =>
    Number(database.query(statement).values(parameters)[0]?.[0] ?? 0);
  try {
    return look({
      wasCompactingSince: (startedAtMs) =>
        number(rowsWaiting, {}) >= rowsWaitingAtRest && number(rowsReplaced, { startedAtMs }) > 0,
      automatedOf: (project) => ({
        requests: number(automatedRequests, { project }),
        droppedEvents: number(droppedEvents, { project }),
      }),
    });
  } finally {
    database.close();
    removeFolder(copy);
  }
}

const rowsWaiting = `
  select sum(event_count) from segment
  where encoding = 'rows' and retired_at is null`;
const rowsReplaced = `
  select count(*) from segment
  where encoding = 'rows' and retired_at >= :startedAtMs`;
const automatedRequests = `
  select sum(requests) from automated_day
  where project_id = (select id from project where name = :project)`;
const droppedEvents = `
  select sum(dropped_events) from automated_day
  where project_id = (select id from project where name = :project)`;
