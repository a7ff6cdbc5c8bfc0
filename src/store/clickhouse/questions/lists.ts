import type {
  EventsRequest,
  FoundKeys,
  KeysRequest,
  SessionsRequest,
} from "../../../domain/counting";
import { isoDate } from "../../../domain/event";
import { timeZoneOf } from "../../../domain/time-zone";
import { clock, dayMs } from "../../../lib/clock";
import { compareText } from "../../../lib/text";
import type { EventsPage, FoundSession, View } from "../../questions";
import { ulid } from "../../shared/ticket";
import { Bound, timeWithin } from "../sql/bound";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";
import { sessionsSql, startedIn } from "../sql/sessions";
import { propertiesColumns, propertiesText, type StoredProperties } from "../sql/stored-properties";
import { timeMs } from "../sql/values";
import { matchingSql } from "./sessions";

interface StoredRow extends StoredProperties {
  readonly ticket: number;
  readonly time_ms: number;
  readonly name: string;
  readonly user: string;
  readonly session_id: string;
  readonly country: string;
}

export async function newestEvents(
  read: OpenRead,
  view: View,
  request: EventsRequest,
): Promise<EventsPage> {
  const { limit } = request;
  const rows = await newestRows(read, view, request);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const inOrder = request.oldest_first === true ? shown.toReversed() : shown;
  const { number } = read.project(view.projectId);
  const texts = inOrder.map((row) => eventText(row, number, request.project_id, view.zone));
  return {
    count: shown.length,
    next: last === undefined ? null : { timeMs: last.time_ms, ticket: last.ticket },
    events: `[${texts.join(",")}]`,
  };
}

/**
 * Reads look this far back before they look at everything, as the newest events are mostly those of the last days,
 * whose rows lie together.
 */
const looksBack: readonly number[] = [dayMs, 8 * dayMs];

async function newestRows(
  read: OpenRead,
  view: View,
  request: EventsRequest,
): Promise<StoredRow[]> {
  const { filters, limit, before } = request;
  const newestMs = Math.min(view.toMs, before?.timeMs ?? view.toMs, clock.nowMs());
  // With filters the last days rarely have enough events.
  const isFiltered = filters.length > 0 || (view.filters ?? []).length > 0;
  for (const back of isFiltered ? [] : looksBack) {
    const fromMs = newestMs - back;
    if (fromMs <= view.fromMs) break;
    const rows = await rowsSince(read, view, request, fromMs);
    if (rows.length > limit) return rows;
  }
  return rowsSince(read, view, request, view.fromMs);
}

/** Returns one row more than are shown, when there are more. */
function rowsSince(
  read: OpenRead,
  view: View,
  { filters, limit, before }: EventsRequest,
  fromMs: number,
): Promise<StoredRow[]> {
  const bound = new Bound();
  const since = `event.time >= ${bound.time(fromMs)}`;
  const events = new Events(read, bound, view, since).limitTo(filters);
  const below =
    before === null
      ? "1"
      : `(${timeMs}, ticket) < (${bound.integer(before.timeMs)}, ${bound.integer(before.ticket)})`;
  return read.ask<StoredRow>(
    `select ticket, ${timeMs} as time_ms, name, user, session_id, country, ${propertiesColumns}
    from ${events.sql()} where ${below} order by time desc, ticket desc limit ${bound.integer(limit + 1)}`,
    bound,
  );
}

/** Returns an EventRow as JSON. */
function eventText(
  row: StoredRow,
  number: number,
  projectId: string,
  zone: string | undefined,
): string {
  const orNull = (value: string): string => (value === "" ? "null" : JSON.stringify(value));
  const date = isoDate(timeZoneOf(zone).dayAt(row.time_ms));
  return (
    `{"id":"${ulid(number, row.ticket)}","project_id":${JSON.stringify(projectId)},` +
    `"event":${JSON.stringify(row.name)},` +
    `"properties":${propertiesText(row)},"user_id":${orNull(row.user)},` +
    `"session_id":${orNull(row.session_id)},"timestamp":${row.time_ms},"date":"${date}",` +
    `"country":${orNull(row.country)}}`
  );
}

interface FoundKey {
  readonly key: string;
  readonly event: string;
  readonly found: number;
}

export async function newestKeys(
  read: OpenRead,
  view: View,
  request: KeysRequest,
): Promise<FoundKeys> {
  const bound = new Bound();
  const events = new Events(read, bound, view);
  const event = request.by_event ? "name" : "''";
  const rows = await read.ask<FoundKey>(
    `select key, event, count() as found from (
      select arrayJoin(mapKeys(properties)) as key, ${event} as event
      from (select name, properties from ${events.sql()} where has_properties
        order by time desc, ticket desc limit ${bound.integer(request.sample)})
    ) group by key, event`,
    bound,
  );
  const byText = (a: FoundKey, b: FoundKey): number =>
    compareText(a.key, b.key) || compareText(a.event, b.event);
  const best = rows.toSorted((a, b) => b.found - a.found || byText(a, b)).slice(0, request.limit);
  const pairs = best.sort(byText).map(({ key, event: name }) => [key, name] as const);
  return { pairs, is_cut: rows.length > request.limit };
}

interface SessionRow {
  readonly session_id: string;
  readonly user: string;
  readonly start_ms: number;
  readonly stop_ms: number;
  readonly entry_page: string;
  readonly exit_page: string;
  readonly events: number;
  readonly bounce: 0 | 1;
}

export async function newestSessions(
  read: OpenRead,
  view: View,
  request: SessionsRequest,
): Promise<FoundSession[]> {
  const { user_id: user, session_id: id, is_bounce: isBounce, before, limit } = request;
  const bound = new Bound();
  const conditions = [
    startedIn(bound, view),
    matchingSql(read, bound, view),
    ...(user === null ? [] : [`user = ${bound.text(user)}`]),
    ...(isBounce === null ? [] : [`bounce = ${bound.integer(isBounce)}`]),
    ...(before === null
      ? []
      : [
          `(toUnixTimestamp64Milli(start), session_id)
            < (${bound.integer(timeWithin(before.startMs))}, ${bound.text(before.id)})`,
        ]),
  ];
  const where = id === null ? "1" : `session_id = ${bound.text(id)}`;
  const sessions = sessionsSql(read, bound, { projectId: view.projectId, window: view, where });
  const rows = await read.ask<SessionRow>(
    `select session_id, user, toUnixTimestamp64Milli(start) as start_ms, toUnixTimestamp64Milli(stop) as stop_ms,
      entry_page, exit_page, events, bounce
    from ${sessions} where ${conditions.join(" and ")}
    order by start desc, session_id desc limit ${bound.integer(limit)}`,
    bound,
  );
  const zone = timeZoneOf(view.zone);
  return rows.map((row) => ({
    session_id: row.session_id,
    user_id: row.user || null,
    project_id: request.project_id,
    start_time: row.start_ms,
    end_time: row.stop_ms,
    duration: row.stop_ms - row.start_ms,
    entry_page: row.entry_page || null,
    exit_page: row.exit_page || null,
    event_count: row.events,
    is_bounce: row.bounce,
    date: isoDate(zone.dayAt(row.start_ms)),
  }));
}
