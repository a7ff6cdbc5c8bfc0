/*
 * Sessions are judged from events at each read, in ClickHouse.
 * Decision: no projection of the table, and no table that a view fills, has sessions ready.
 * Because: a read sees the events up to a ticket and within the project's retention, neither of which a projection by
 * session knows. ClickHouse 26.7 did not use it with these conditions, nor under the sums of sessions without them:
 * reads took 0.92 to 1.0 of the processor time. It took 10 bytes more for each event, and lightweight deletes are
 * refused on a table that has one. A table that a view fills is not stored together with the events.
 * Cost: most of what /stats takes.
 * Revisit: when ClickHouse keeps aggregates of what a condition on a ticket holds for.
 */

import { nonInteractiveEvents } from "../../../domain/event";
import { allTime } from "../../../domain/period";
import type { SessionField } from "../../../domain/session-field";
import type { TimeWindow } from "../../../domain/time-window";
import { dayMs } from "../../../lib/clock";
import type { Bound } from "./bound";
import { linksSql } from "./links";
import type { OpenRead } from "./open-read";
import { channelSql, sourceSql } from "./sources";
import { pageOfEvent, placeOfEvent, textOfStored } from "./values";

/** A longer window has most sessions anyway, so that a set of their ids would cost more than it saves. */
const shortWindowMsMax = 31 * dayMs;

const passive = [...nonInteractiveEvents].map((name) => `'${name}'`).join(", ");

export interface SessionsAsked {
  readonly projectId: string;
  /** The statement returns at least every session that has an event in this window. */
  readonly window: TimeWindow;
  /** Each of these adds a column `field_…` to the usual ones. */
  readonly fields?: readonly SessionColumn[];
  /** This condition in SQL names columns of the table `event`; a session consists of the events that meet it. */
  readonly where?: string;
}
/** A column holds a field of sessions, or the value of a property in the earliest event that has one. */
export type SessionColumn = SessionField | `properties.${string}` | "first event" | "first version";

/** The order of a user's sessions. */
export const earliest = "(start, session_id)";

export const columnNamed = (index: number): string => `field_${index}`;

/** Selects sessions. Each is judged on all its events that are retained, whichever user they belong to today. */
export function sessionsSql(read: OpenRead, bound: Bound, asked: SessionsAsked): string {
  const { projectId, fields = [], where = "1" } = asked;
  const { number, retainedFromMs } = read.project(projectId);
  const project = bound.integer(number);
  const upTo = `ticket <= ${bound.integer(read.moment.lastTicket)}`;
  const retained = bound.time(retainedFromMs);
  const hasLinks = read.hasLinks(projectId);
  const columns = new SessionColumns(read, bound, fields, () => {
    const all = sessionsSql(read, bound, { projectId, window: allTime });
    return `(select argMin(session_id, ${earliest}) from ${all} where user != '' group by user)`;
  });
  const link = hasLinks
    ? `left any join ${linksSql(read, bound, projectId)} as link on link.sender = session.last_sender`
    : "";
  const owner = hasLinks ? "if(link.owner = '', session.last_sender, link.owner)" : "last_sender";
  return `(select session_id, start, stop, toUnixTimestamp64Milli(stop) - toUnixTimestamp64Milli(start) as duration,
      events, page_views, bounce, entry_page, exit_page, ${owner} as user${columns.shown()}
    from (select session_id, min(time) as start, max(time) as stop, count() as events,
        countIf(name = 'page_view') as page_views, min(name in (${passive})) as bounce,
        argMinIf(${pageOfEvent}, ${placeOfEvent}, ${pageOfEvent} != '') as entry_page,
        argMaxIf(${pageOfEvent}, ${placeOfEvent}, ${pageOfEvent} != '') as exit_page,
        argMaxIf(sender, ${placeOfEvent}, sender != '') as last_sender${columns.found()}
      from (select session_id, time, ticket, name, path, url, sender, country, referrer_host${columns.read()}
        from ${read.eventTable(bound, projectId)}
        where project = ${project} and ${upTo} and time >= ${retained} and session_id != '' and (${where})
          and ${withinSql(read, bound, asked)})
      group by session_id) as session ${link})`;
}

/**
 * Narrows to sessions with an event in the window. Ids are compared by hash: a session that is found because its hash
 * is the same as another's is left out later, by its start.
 */
function withinSql(read: OpenRead, bound: Bound, { projectId, window }: SessionsAsked): string {
  if (window.toMs - window.fromMs > shortWindowMsMax) return "1";
  const { number, retainedFromMs } = read.project(projectId);
  const fromMs = Math.max(window.fromMs, retainedFromMs);
  return `cityHash64(session_id) in (select cityHash64(session_id) from ${read.eventTable(bound, projectId)}
    where project = ${bound.integer(number)} and ticket <= ${bound.integer(read.moment.lastTicket)}
      and time >= ${bound.time(fromMs)} and time < ${bound.time(window.toMs)} and session_id != '')`;
}

export const startedIn = (bound: Bound, { fromMs, toMs }: TimeWindow): string =>
  `start >= ${bound.time(fromMs)} and start < ${bound.time(toMs)}`;

/** Returns SQL that tells whether the host of a referrer is one of the project's own. */
const isOwnHost = (bound: Bound, { ownHosts }: OpenRead): string =>
  `arrayExists(own -> referrer_host = own or endsWith(referrer_host, concat('.', own)), ${bound.texts(ownHosts)})`;

/** An event says in one of these properties to which version of the product it belongs. */
const versionKeys = ["version", "release", "app_version"];
const firstText = (texts: readonly string[]): string =>
  `multiIf(${texts.map((text) => `${text} != '', ${text}`).join(", ")}, '')`;

/** The three levels of the select that field columns need: the properties read, their first values, the result. */
class SessionColumns {
  /** The aggregate expressions of the middle select, by the names of their columns. */
  private readonly firsts = new Map<string, string>();
  private readonly stored = new Map<string, string>();
  private readonly columns: readonly string[];

  constructor(
    read: OpenRead,
    private readonly bound: Bound,
    fields: readonly SessionColumn[],
    /** Selects the earliest session of each user. */
    firstSessions: () => string,
  ) {
    const first = (name: string, value: string, isOne = `${value} != ''`): string => {
      this.firsts.set(name, `argMinIf(${value}, ${placeOfEvent}, ${isOne})`);
      return name;
    };
    const property = (key: string): string =>
      first(`first_${this.storedAs(key)}`, textOfStored(this.storedAs(key)));
    const referrer = (): string =>
      first(
        "first_referrer",
        "referrer_host",
        `referrer_host != '' and not ${isOwnHost(bound, read)}`,
      );
    this.columns = fields.map((field) => {
      switch (field) {
        case "session.entry_page":
          return "entry_page";
        case "session.exit_page":
          return "exit_page";
        case "session.visitor":
          return `multiIf(user = '', '', session_id in ${firstSessions()}, 'new', 'returning')`;
        case "session.country":
          return first("first_country", "country");
        case "session.referrer":
          return referrer();
        case "session.source":
          return sourceSql(read, bound, property("utm_source"), referrer());
        case "session.channel":
          return channelSql(read, bound, {
            source: property("utm_source"),
            medium: property("utm_medium"),
            referrer: referrer(),
          });
        case "first event":
          return first("first_event", "name");
        case "first version":
          return first(
            "first_version",
            firstText(versionKeys.map((key) => textOfStored(this.storedAs(key)))),
          );
        default:
          return property(field.slice(field.indexOf(".") + 1));
      }
    });
  }

  /** Returns columns of the innermost select: only there does ClickHouse read just a key's bucket of the map. */
  read(): string {
    return [...this.stored]
      .map(([key, name]) => `, properties[${this.bound.text(key)}] as ${name}`)
      .join("");
  }
  found(): string {
    return [...this.firsts].map(([name, value]) => `, ${value} as ${name}`).join("");
  }
  shown(): string {
    return this.columns.map((column, index) => `, ${column} as ${columnNamed(index)}`).join("");
  }

  private storedAs(key: string): string {
    const name = this.stored.get(key) ?? `stored_${this.stored.size}`;
    this.stored.set(key, name);
    return name;
  }
}
