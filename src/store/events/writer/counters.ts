import type { Database } from "bun:sqlite";
import { dayOf, isoDate } from "../../../domain/event";
import { genericActorsPerDayMax } from "../../../domain/limits";
import type { AutomatedEntry } from "../../port";

const countReceived = `
  insert into received_day (project_id, date, event_count) values (?, ?, ?)
  on conflict do update set event_count = event_count + excluded.event_count`;
const countAutomated = `
  insert into automated_day (project_id, date, category, actor, requests, dropped_events, last_seen_at)
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict do update set
    requests = requests + excluded.requests,
    dropped_events = dropped_events + excluded.dropped_events,
    last_seen_at = max(last_seen_at, excluded.last_seen_at)`;
const isKnownActor = `
  select 1 from automated_day where project_id = ? and date = ? and category = ? and actor = ?`;
const actorsOfDay = `
  select count(*) as actors from automated_day
  where project_id = ? and date = ? and category = ? and actor <> ?`;

/** Anyone can invent actors of this category, so the number of different ones in a day is limited. */
const openCategory = "generic_bot";
const otherActor = "Other";

/** Stores counts in the transaction of the data that they count. */
export class Counters {
  constructor(private readonly db: Database) {}

  received(projectId: number, receivedAtMs: number, events: number): void {
    this.db.query(countReceived).run(projectId, isoDate(dayOf(receivedAtMs)), events);
  }

  automated(projectId: number, entry: AutomatedEntry): void {
    const { date, category, requests, droppedEvents, lastSeenAtMs } = entry;
    const actor = this.mayCount(projectId, entry) ? entry.actor : otherActor;
    this.db
      .query(countAutomated)
      .run(projectId, date, category, actor, requests, droppedEvents, lastSeenAtMs);
  }

  private mayCount(projectId: number, { date, category, actor }: AutomatedEntry): boolean {
    if (category !== openCategory) return true;
    if (this.db.query(isKnownActor).get(projectId, date, category, actor) !== null) return true;
    const row = this.db.query(actorsOfDay).get(projectId, date, category, otherActor);
    return (row as { actors: number }).actors < genericActorsPerDayMax;
  }
}
