import { clockAt } from "./clocks";
import { sessionFieldOf } from "./session-fields";
import { withNames } from "./sources";
import { bucketOf, compared, date, dayMs, grouped, lowerAscii, passiveEvents } from "./values";
import { firstSessions, visitorFieldOf } from "./visitor-fields";

/**
 * What is stored, as an array of events; every read is a loop over it. It is slow and too simple to be
 * wrong, and shares no code with the product.
 */
export interface ModelEvent {
  /** Place in the order of ingestion. */
  readonly order: number;
  readonly timeMs: number;
  readonly name: string;
  user: string | null;
  readonly session: string | null;
  readonly country: string | null;
  readonly properties: Readonly<Record<string, unknown>> | null;
  /** The user id with which an event came, as it was linked then. */
  sender?: ModelId | undefined;
  /** All events of its session, in order of time; none for an event without a session. */
  beside(): readonly ModelEvent[];
  /** All events that are stored with it. */
  among(): readonly ModelEvent[];
  /** The earliest stored session of a user. */
  firstOf(user: string): ModelSession | null;
}

export interface ModelSession {
  readonly id: string;
  readonly events: readonly ModelEvent[];
  readonly user: string | null;
  readonly startMs: number;
  readonly endMs: number;
  readonly durationMs: number;
  readonly entryPage: string | null;
  readonly exitPage: string | null;
  readonly isBounce: 0 | 1;
}

/** A user id from one linking to another target to the next: what came before stays where it was. */
interface ModelId {
  readonly name: string;
  /** The one that it was told to be. */
  isNow: ModelId | null;
}

type Told = "order" | "among" | "beside" | "firstOf" | "sender";
export interface SentEvent extends Omit<ModelEvent, Told> {
  readonly eventId: string | null;
}

/** Days since 1970, inclusive. */
export interface ModelDays {
  readonly from: number;
  readonly to: number;
  /** The time zone of the dates; UTC when absent. */
  readonly zone?: string | undefined;
  /** What happened from then on is left out. */
  readonly untilMs?: number | undefined;
}

/** Tells whether a time lies on one of the dates. */
export const isOn = (timeMs: number, { from, to, zone, untilMs }: ModelDays): boolean => {
  if (untilMs !== undefined && timeMs >= untilMs) return false;
  const clock = clockAt(timeMs, zone);
  return clock >= from * dayMs && clock < (to + 1) * dayMs;
};

const repeatMs = 48 * 3_600_000;

export class Model {
  private stored: ModelEvent[] = [];
  /** Everything that each user id was, the latest last. */
  private readonly ids = new Map<string, ModelId[]>();
  private readonly repeats = new Map<string, number>();
  private retainedFromMs = 0;
  /** The events, also by session, and the first session of each user, which are kept until something changes. */
  private known: {
    all?: readonly ModelEvent[];
    besides?: ReadonlyMap<string | null, readonly ModelEvent[]>;
    firsts?: ReadonlyMap<string | null, ModelSession>;
  } = {};

  add(event: SentEvent, receivedAtMs: number): void {
    const { eventId, ...rest } = event;
    if (eventId !== null) {
      // The user as sent: whom it stands for may change between an event and its repeat.
      const repeat = JSON.stringify([eventId, rest.name, rest.user, rest.session]);
      const seenMs = this.repeats.get(repeat);
      if (seenMs !== undefined && receivedAtMs - seenMs < repeatMs) return;
      this.repeats.set(repeat, receivedAtMs);
    }
    const sender = rest.user === null ? undefined : this.idOf(rest.user);
    const user = sender === undefined ? null : ownerOf(sender).name;
    const beside = () => this.besides().get(rest.session) ?? [];
    const firstOf = (owner: string) => {
      this.known.firsts ??= firstSessions(this.allSessions());
      return this.known.firsts.get(owner) ?? null;
    };
    const among = () => {
      this.known.all ??= this.all();
      return this.known.all;
    };
    const order = this.stored.length;
    this.stored.push({ ...rest, user, sender, order, among, beside, firstOf });
    this.known = {};
  }

  /** definitions.md, Identity, step by step. */
  identify(previousId: string, userId: string): void {
    const target = ownerOf(this.idOf(userId));
    const previous = this.idOf(previousId);
    if (target === ownerOf(previous)) return;
    if (previous.isNow === null) previous.isNow = target;
    else this.ids.get(previousId)?.push({ name: previousId, isNow: target });
    this.nameUsers();
  }
  /** Takes back what was told of an id. Returns whose it was; null when it was its own. */
  unlink(previousId: string): string | null {
    const owner = this.behind(previousId);
    if (owner === previousId) return null;
    const now = this.idOf(previousId);
    for (const one of this.ids.get(previousId) ?? []) one.isNow = one === now ? null : now;
    this.nameUsers();
    return owner;
  }
  behind(userId: string): string {
    return this.ids.has(userId) ? ownerOf(this.idOf(userId)).name : userId;
  }
  private idOf(name: string): ModelId {
    const known = this.ids.get(name) ?? [{ name, isNow: null }];
    this.ids.set(name, known);
    return known[known.length - 1];
  }
  private nameUsers(): void {
    for (const event of this.stored) {
      if (event.sender !== undefined) event.user = ownerOf(event.sender).name;
    }
    this.known = {};
  }

  /** What is older is as if it had never been stored. */
  retainFrom(timeMs: number): void {
    this.retainedFromMs = Math.max(this.retainedFromMs, timeMs);
    this.known = {};
  }
  get retainedFrom(): number {
    return this.retainedFromMs;
  }
  /** After purging: nothing is left of the project. */
  clear(): void {
    this.stored = [];
    this.known = {};
    this.ids.clear();
    this.repeats.clear();
    this.retainedFromMs = 0;
  }

  private besides(): ReadonlyMap<string | null, readonly ModelEvent[]> {
    this.known.besides ??= new Map(
      grouped(this.all(), ({ session }) => session)
        .filter(([session]) => session !== null)
        .map(([session, events]) => [session, events.toSorted(inTime)]),
    );
    return this.known.besides;
  }

  all(): readonly ModelEvent[] {
    return this.stored.filter(({ timeMs }) => timeMs >= this.retainedFromMs);
  }
  /** All that is stored, whatever a read is filtered by. */
  everything(): readonly ModelEvent[] {
    return this.all();
  }
  /** E of definitions.md. */
  events(days: ModelDays): readonly ModelEvent[] {
    return this.all().filter(({ timeMs }) => isOn(timeMs, days));
  }
  /** S of definitions.md. */
  sessions(days: ModelDays): readonly ModelSession[] {
    return this.allSessions().filter(({ startMs }) => isOn(startMs, days));
  }
  /** Sessions that /retention counts as a return. */
  visits(): readonly ModelSession[] {
    return this.allSessions();
  }
  allSessions(): readonly ModelSession[] {
    const withSession = this.all().filter(({ session }) => session !== null);
    return grouped(withSession, ({ session }) => session ?? "").map(([id, events]) =>
      sessionOf(id, [...events].sort(inTime)),
    );
  }
}

const ownerOf = (id: ModelId): ModelId => (id.isNow === null ? id : ownerOf(id.isNow));

export function sessionOf(id: string, events: readonly ModelEvent[]): ModelSession {
  const pages = events.map(pageOf).filter((page) => page !== null);
  const startMs = events[0].timeMs;
  const endMs = events[events.length - 1].timeMs;
  return {
    id,
    events,
    user: events.findLast(({ user }) => user !== null)?.user ?? null,
    startMs,
    endMs,
    durationMs: endMs - startMs,
    entryPage: pages[0] ?? null,
    exitPage: pages.at(-1) ?? null,
    isBounce: events.every(({ name }) => passiveEvents.includes(name)) ? 1 : 0,
  };
}

export const inTime = (a: ModelEvent, b: ModelEvent): number =>
  a.timeMs - b.timeMs || a.order - b.order;

export function pageOf(event: ModelEvent): string | null {
  for (const value of [own(event, "path"), own(event, "url")]) {
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

export const own = ({ properties }: ModelEvent, key: string): unknown =>
  properties !== null && Object.hasOwn(properties, key) ? properties[key] : null;

/** A value as filters and groups see it. */
export const textOf = (value: unknown): string | null =>
  value === null || value === undefined
    ? null
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

/** A field of `/query`, or `properties.<key>`, or one of the event's session. */
export function fieldOf(event: ModelEvent, field: string, zone?: string): string | null {
  switch (field) {
    case "event":
      return event.name;
    case "user_id":
      return event.user;
    case "session_id":
      return event.session;
    case "country":
      return event.country;
    case "date":
      return date(event.timeMs, zone);
    case "hour":
    case "week":
    case "month":
      return bucketOf(clockAt(event.timeMs, zone), field);
    case "timestamp":
      return String(event.timeMs);
    default:
      if (/^(user\.|session\.visitor$)/.test(field)) return visitorFieldOf(event, field, zone);
      if (field.startsWith("session.")) return sessionFieldOf(event.beside(), field);
      return textOf(own(event, field.slice("properties.".length)));
  }
}

export interface ModelCondition {
  readonly field: string;
  readonly op: string;
  readonly value: string | readonly string[];
}

/** Tells whether an event passes a filter (definitions.md, Filters). */
export function passes(event: ModelEvent, condition: ModelCondition, zone?: string): boolean {
  const { field, op, value } = withNames(condition);
  const found = fieldOf(event, field, zone);
  if (op === "is_null" || op === "not_null") return (found === null) === (op === "is_null");
  if (typeof value !== "string") {
    const isAmong = found !== null && value.includes(found);
    return op === "not_in" ? !isAmong : isAmong;
  }
  if (found === null) return false;
  const order = compared(found, value);
  switch (op) {
    case "eq":
      return found === value;
    case "neq":
      return found !== value;
    case "contains":
      return lowerAscii(found).includes(lowerAscii(value));
    case "prefix":
      return found.startsWith(value);
    case "gt":
      return order > 0;
    case "lt":
      return order < 0;
    case "gte":
      return order >= 0;
    default:
      return order <= 0;
  }
}
