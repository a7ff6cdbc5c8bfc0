import type { DayDimension, DayRow } from "../../src/domain/day-row";
import { isoDate, nonInteractiveEvents, type ObjectEvent } from "../../src/domain/event";
import { textOf } from "../../src/domain/filter";
import { direct, nameOfHost, nameOfSource } from "../../src/domain/sources/channel";
import { hostOf, isOwn } from "../../src/domain/sources/referrer";
import { timeZoneOf } from "../../src/domain/time-zone";

/**
 * Counts events into rows of days. Each number is the one that GET /stats gives for the date, with the value as a
 * filter: visitors, page views and events of the date; visits, bounces and seconds of the sessions that begin on it and
 * have such an event on it. Events are added in the order of their time. Memory: the sessions, and the visitors of one
 * date.
 */
export class DayFold {
  readonly #dayAt: (timeMs: number) => number;
  readonly #sums = new Map<string, Sums>();
  readonly #sessions = new Map<string, FoldedSession>();
  #day = Number.NEGATIVE_INFINITY;
  /** The visitors of the date by the place of their row. */
  #visitors = new Map<string, Set<string>>();
  /** Events of the date, to be counted for the values of their sessions when these are known. */
  readonly #ofSessions = new Map<FoldedSession, Map<number, DateOfSession>>();

  constructor(
    zone: string | undefined,
    private readonly ownHosts: readonly string[],
  ) {
    const named = timeZoneOf(zone);
    this.#dayAt = (timeMs) => named.dayAt(timeMs);
  }

  add(event: ObjectEvent): void {
    const day = this.#dayAt(event.timeMs);
    if (day !== this.#day) {
      this.#visitors = new Map();
      this.#day = day;
    }
    const places = valuesOf(event).map(([dimension, value]) => placeOf(day, dimension, value));
    for (const place of places) this.#count(place, event);
    if (event.sessionId !== null) this.#addToSession(event, event.sessionId, day, places);
  }

  /** The rows of all dates, in no order. */
  rows(): DayRow[] {
    for (const [session, dates] of this.#ofSessions) this.#addSession(session, dates);
    this.#ofSessions.clear();
    return Array.from(this.#sums, ([place, sums]) => {
      const [day = 0, dimension = "total", value = ""] = JSON.parse(place) as [
        number,
        DayDimension,
        string,
      ];
      const seconds = Math.round(sums.durationMs / 1_000);
      const { visitors, visits, page_views, events, bounces } = sums;
      const counts = { visitors, visits, page_views, events, bounces, seconds };
      return { date: isoDate(day), dimension, value, ...counts };
    });
  }

  #count(place: string, { name, userId }: ObjectEvent): void {
    const sums = this.#sumsOf(place);
    sums.events += 1;
    if (name === "page_view") sums.page_views += 1;
    if (userId === null) return;
    const visitors = this.#visitors.get(place) ?? new Set();
    this.#visitors.set(place, visitors);
    if (visitors.has(userId)) return;
    visitors.add(userId);
    sums.visitors += 1;
  }

  #addToSession(event: ObjectEvent, id: string, day: number, places: readonly string[]): void {
    const session = this.#sessions.get(id) ?? new FoldedSession(event.timeMs, day);
    this.#sessions.set(id, session);
    session.add(event, this.ownHosts);
    if (day === session.day) for (const place of places) session.places.add(place);
    const dates = this.#ofSessions.get(session) ?? new Map<number, DateOfSession>();
    this.#ofSessions.set(session, dates);
    const date = dates.get(day) ?? { events: 0, pageViews: 0, visitors: new Set<string>() };
    dates.set(day, date);
    date.events += 1;
    if (event.name === "page_view") date.pageViews += 1;
    if (event.userId !== null) date.visitors.add(event.userId);
  }

  /** Adds a session that has ended: to the values of its events, and with its events to its own values. */
  #addSession(session: FoldedSession, dates: ReadonlyMap<number, DateOfSession>): void {
    const own = session.values();
    for (const place of session.places) this.#addVisit(place, session);
    for (const [dimension, value] of own) {
      for (const [day, date] of dates) {
        const place = placeOf(day, dimension, value);
        const sums = this.#sumsOf(place);
        sums.events += date.events;
        sums.page_views += date.pageViews;
        const visitors = this.#visitorsOfSessions.get(place) ?? new Set();
        this.#visitorsOfSessions.set(place, visitors);
        for (const visitor of date.visitors) visitors.add(visitor);
        sums.visitors = visitors.size;
      }
      this.#addVisit(placeOf(session.day, dimension, value), session);
    }
  }
  readonly #visitorsOfSessions = new Map<string, Set<string>>();

  #addVisit(place: string, session: FoldedSession): void {
    const sums = this.#sumsOf(place);
    sums.visits += 1;
    sums.bounces += session.isBounce ? 1 : 0;
    sums.durationMs += session.durationMs;
  }
  #sumsOf(place: string): Sums {
    const known = this.#sums.get(place);
    if (known !== undefined) return known;
    const sums = { visitors: 0, visits: 0, page_views: 0, events: 0, bounces: 0, durationMs: 0 };
    this.#sums.set(place, sums);
    return sums;
  }
}

interface Sums {
  visitors: number;
  visits: number;
  page_views: number;
  events: number;
  bounces: number;
  durationMs: number;
}
/** The events that a session has on a date. */
interface DateOfSession {
  events: number;
  pageViews: number;
  readonly visitors: Set<string>;
}
type Value = readonly [dimension: DayDimension, value: string];

const placeOf = (day: number, dimension: DayDimension, value: string): string =>
  JSON.stringify([day, dimension, value]);

const own = ({ properties }: ObjectEvent, key: string): unknown =>
  properties !== null && Object.hasOwn(properties, key) ? properties[key] : null;

/** The values of an event, among them the total. */
function valuesOf(event: ObjectEvent): Value[] {
  const values: Value[] = [
    ["total", ""],
    ["event", event.name],
  ];
  const add = (dimension: DayDimension, value: string | null): void => {
    if (value !== null) values.push([dimension, value]);
  };
  if (event.name === "page_view") {
    add("page", textOf(own(event, "path")) ?? textOf(own(event, "url")));
  }
  add("country", event.country);
  for (const key of ["device", "browser", "os"] as const) add(key, textOf(own(event, key)));
  return values;
}

const campaignKeys = [
  ...(["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"] as const),
] as const;

class FoldedSession {
  /** The rows of its first date that its events are counted in. */
  readonly places = new Set<string>();
  readonly #firsts = new Map<DayDimension, string>();
  #lastMs: number;
  isBounce = true;

  constructor(
    private readonly firstMs: number,
    readonly day: number,
  ) {
    this.#lastMs = firstMs;
  }

  get durationMs(): number {
    return this.#lastMs - this.firstMs;
  }

  add(event: ObjectEvent, ownHosts: readonly string[]): void {
    this.#lastMs = event.timeMs;
    if (!nonInteractiveEvents.has(event.name)) this.isBounce = false;
    const page = pageOf(event);
    if (page !== null) {
      this.#keepFirst("entry_page", page);
      this.#firsts.set("exit_page", page);
    }
    for (const key of campaignKeys) this.#keepFirst(key, textOf(own(event, key)));
    if (this.#firsts.has("referrer")) return;
    const referrer = own(event, "referrer");
    const host = typeof referrer === "string" ? hostOf(referrer) : null;
    if (host !== null && !isOwn(host, ownHosts)) this.#keepFirst("referrer", host);
  }

  /** The session's facts, and its source. */
  values(): Value[] {
    const source = nameOfSource(this.#firsts.get("utm_source") ?? "");
    const referrer = this.#firsts.get("referrer");
    const ofReferrer = referrer === undefined ? direct : nameOfHost(referrer);
    return [...this.#firsts, ["source", source ?? ofReferrer]];
  }

  #keepFirst(dimension: DayDimension, value: string | null): void {
    if (value === null || value === "" || this.#firsts.has(dimension)) return;
    this.#firsts.set(dimension, value);
  }
}

/** The page of any event (definitions.md, Sessions). */
function pageOf(event: ObjectEvent): string | null {
  for (const key of ["path", "url"]) {
    const page = own(event, key);
    if (typeof page === "string" && page !== "") return page;
  }
  return null;
}
