import type { Condition } from "../../../domain/filter";
import { type Did, eventsOfDid, type FilterItem, type OncePer } from "../../../domain/filter-items";
import { allTime } from "../../../domain/period";
import { keyOfProperty } from "../../../domain/property-field";
import type { SessionField } from "../../../domain/session-field";
import type { TimeWindow } from "../../../domain/time-window";
import type { UserField } from "../../../domain/visitor-field";
import type { Bound } from "./bound";
import { conditionSql, type EventColumns, itemsSql, usersNamed } from "./conditions";
import { FirstSessions } from "./first-sessions";
import { linksSql } from "./links";
import type { OpenRead } from "./open-read";
import { columnNamed, sessionsSql } from "./sessions";
import { isThere, placeOfEvent, textOfStored } from "./values";

export interface EventsAsked extends TimeWindow {
  readonly projectId: string;
  readonly zone?: string | undefined;
  readonly filters?: readonly FilterItem[];
}

const tableColumns = [
  ...["project", "time", "ticket", "name", "sender", "session_id", "country"],
  ...["path", "url", "referrer_host", "has_properties", "properties"],
].join(", ");

/**
 * The events of a window for which all filters hold, each with the user to whom it belongs today. A caller first asks
 * for every column that it needs, as only the innermost select reads single keys of properties; then it takes `sql`.
 */
export class Events implements EventColumns {
  private readonly stored = new Map<string, string>();
  private readonly fields: SessionField[] = [];
  private readonly firsts: FirstSessions;
  private sessionsOf: TimeWindow;
  private readonly conditions: string[] = [];
  private users: readonly string[] | null = null;

  constructor(
    readonly read: OpenRead,
    readonly bound: Bound,
    readonly asked: EventsAsked,
    /** A further condition in SQL, which names columns of the table `event`. */
    private readonly where = "1",
  ) {
    this.sessionsOf = { fromMs: asked.fromMs, toMs: asked.toMs };
    this.firsts = new FirstSessions(read, bound, asked.projectId);
    this.limitTo(asked.filters ?? []);
  }

  limitTo(items: readonly FilterItem[]): this {
    const users = usersNamed(items);
    if (users !== null) this.users = users;
    if (items.length > 0) this.conditions.push(itemsSql(this, items));
    return this;
  }
  condition(condition: Condition): string {
    return conditionSql(this, condition);
  }
  /** Returns the name of the column that holds a property as it is stored. */
  property(key: string): string {
    const name = this.stored.get(key) ?? `value_${this.stored.size}`;
    this.stored.set(key, name);
    return name;
  }
  /** Returns the column that holds a field of the event's session, which is '' when the session has none. */
  sessionField(field: SessionField, within: TimeWindow = this.asked): string {
    const { fromMs, toMs } = this.sessionsOf;
    this.sessionsOf = {
      fromMs: Math.min(fromMs, within.fromMs),
      toMs: Math.max(toMs, within.toMs),
    };
    if (!this.fields.includes(field)) this.fields.push(field);
    return columnNamed(this.fields.indexOf(field));
  }
  userField(field: UserField, zone: string | undefined): string {
    return this.firsts.column(field, zone);
  }
  usersWho(did: Did): string {
    const { fromMs, toMs } = did.window ?? this.asked;
    return `(select user from ${this.eventsOf(did, { fromMs, toMs })} where user != '')`;
  }
  sessionsWith(did: Did): string {
    return `(select session_id from ${this.eventsOf(did, allTime)} where session_id != '')`;
  }
  earliest({ once_per: field, among, window }: OncePer): string {
    const { read, bound, asked } = this;
    const own = { ...window, projectId: asked.projectId, zone: asked.zone };
    const events = new Events(read, bound, own).limitTo(among);
    const stored = events.property(keyOfProperty(field));
    return `(select earliest from (
      select argMin(ticket, ${placeOfEvent}) as earliest, count() over () as values
      from ${events.sql()} where ${isThere(stored)} group by ${textOfStored(stored)})
      where throwIf(values > ${bound.integer(read.oncePerValuesMax)}) = 0)`;
  }
  private eventsOf(item: Did, { fromMs, toMs }: TimeWindow): string {
    const { read, bound, asked } = this;
    const own = { projectId: asked.projectId, fromMs, toMs, zone: asked.zone };
    const named = `name = ${bound.text(item.did)}`;
    return new Events(read, bound, own, named).limitTo(eventsOfDid(item)).sql();
  }

  sql(more = ""): string {
    const { conditions, firsts } = this;
    const where = conditions.length === 0 ? "1" : conditions.join(" and ");
    return `(select * from ${firsts.joined(this.withSessions(this.scanned(more)))} where ${where})`;
  }
  private withSessions(scanned: string): string {
    const { read, bound, asked, fields, sessionsOf: window } = this;
    if (fields.length === 0) return scanned;
    const sessions = sessionsSql(read, bound, { projectId: asked.projectId, window, fields });
    const columns = fields.map(
      (_, index) => `session.${columnNamed(index)} as ${columnNamed(index)}`,
    );
    return `(select scanned.*, ${columns.join(", ")} from ${scanned} as scanned
      left any join ${sessions} as session on session.session_id = scanned.session_id)`;
  }

  /** The same events with the columns of the table, in whose place it can stand. */
  table(): string {
    return `(select ${tableColumns} from ${this.sql(", event.project as project, event.sender as sender")})`;
  }

  private scanned(more: string): string {
    const { read, bound, asked, users } = this;
    const { number, retainedFromMs } = read.project(asked.projectId);
    const project = bound.integer(number);
    const from = bound.time(Math.max(asked.fromMs, retainedFromMs));
    const to = bound.time(asked.toMs);
    const upTo = bound.integer(read.moment.lastTicket);
    const properties = [...this.stored].map(
      ([key, name]) => `, properties[${bound.text(key)}] as ${name}`,
    );
    const hasLinks = read.hasLinks(asked.projectId);
    const links = hasLinks ? linksSql(read, bound, asked.projectId) : "";
    const join = hasLinks ? `left any join ${links} as link on link.sender = event.sender` : "";
    const user = hasLinks ? "if(link.owner = '', event.sender, link.owner)" : "event.sender";
    const ofUsers = users === null ? "" : this.sentBy(users, hasLinks ? links : null);
    return `(select time, ticket, name, session_id, country, path, url, referrer_host, has_properties, properties,
        ${user} as user${properties.join("")}${more}
      from ${read.eventTable(bound, asked.projectId)} as event ${join}
      where project = ${project} and ticket <= ${upTo} and time >= ${from} and time < ${to}
        and (${this.where}) ${ofUsers})`;
  }

  /** The table is sorted by sender, so that the events of some users are found without reading the others. */
  private sentBy(users: readonly string[], links: string | null): string {
    const list = this.bound.texts(users);
    if (links === null) return `and event.sender in ${list}`;
    return `and (event.sender in ${list} or event.sender in (select sender from ${links} where owner in ${list}))`;
  }
}
