import type { ExportedEvent, ExportSource } from "../exports";
import type { View } from "../questions";
import { ticketOfUlid, ulid } from "../shared/ticket";
import { Bound } from "./sql/bound";
import { Events } from "./sql/events";
import type { OpenRead } from "./sql/open-read";
import { propertiesColumns, propertiesText, type StoredProperties } from "./sql/stored-properties";
import { timeMs } from "./sql/values";

/** With the longest properties an answer of this many events has some hundred megabytes. */
const eventsPerAnswer = 5_000;

interface EventRow extends StoredProperties {
  readonly ticket: number;
  readonly time_ms: number;
  readonly name: string;
  readonly user: string;
  readonly session_id: string;
  readonly country: string;
}

/** This engine's lists of a project, as of the moment of the read. */
export const exportSourceOf = (read: OpenRead): ExportSource => ({
  async *events(view, afterId) {
    let behind = afterId === null ? 0 : ticketOfUlid(afterId);
    for (const last of await lastTickets(read, view, behind)) {
      yield await eventsBetween(read, view, behind, last);
      behind = last;
    }
  },
});

/** Returns the last ticket of each answer: asked for the next events alone, ClickHouse would sort all the rest. */
async function lastTickets(read: OpenRead, view: View, behind: number): Promise<number[]> {
  const bound = new Bound();
  const events = new Events(read, bound, view, `event.ticket > ${bound.integer(behind)}`);
  const rows = await read.ask<{ last: number }>(
    `select max(ticket) as last from (
      select ticket, intDiv(row_number() over (order by ticket) - 1, ${eventsPerAnswer}) as answer
      from ${events.sql()}
    ) group by answer order by last`,
    bound,
  );
  return rows.map(({ last }) => last);
}

async function eventsBetween(
  read: OpenRead,
  view: View,
  behind: number,
  to: number,
): Promise<ExportedEvent[]> {
  const bound = new Bound();
  const where = `event.ticket > ${bound.integer(behind)} and event.ticket <= ${bound.integer(to)}`;
  const events = new Events(read, bound, view, where);
  const rows = await read.ask<EventRow>(
    `select ticket, ${timeMs} as time_ms, name, user, session_id, country, ${propertiesColumns}
    from ${events.sql()} order by ticket`,
    bound,
  );
  const { number } = read.project(view.projectId);
  return rows.map((row) => ({
    id: ulid(number, row.ticket),
    timeMs: row.time_ms,
    name: row.name,
    userId: row.user || null,
    sessionId: row.session_id || null,
    country: row.country || null,
    properties: propertiesText(row),
  }));
}
