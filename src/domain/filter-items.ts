import { isoDate } from "./event";
import { type Condition, conditionAsSent, eventConditions } from "./filter";
import { allTime, type Days, dayOfText } from "./period";
import type { PropertyField } from "./property-field";
import { nameOfSource } from "./sources/channel";
import type { TimeWindow } from "./time-window";
import { timeZoneOf } from "./time-zone";
import { firstDate as dateOfFirstSession, isOfSessions, isVisitorField } from "./visitor-field";

/** An item of a list of filters, all of which must hold. */
export type FilterItem = SimpleItem | AnyOf | OncePer;
export type SimpleItem = Condition | Did;

/** A group of items, of which at least one must hold. */
export interface AnyOf {
  readonly any: readonly SimpleItem[];
}

/**
 * Tells whether the event's user, or its session, has such an event, or has none. An event without a user, or without a
 * session, counts as having none.
 */
export interface Did {
  /** The name of the event; with a goal, that of the goal's events. */
  readonly did: string;
  /** The goal of the project that the item names in place of an event. */
  readonly goal?: DidGoal;
  readonly isNegated: boolean;
  /** Present if the item looks at all events of the session, at any time, and not at those of the user. */
  readonly of?: "session";
  readonly filters: readonly Condition[];
  /** The first date of that window, which else begins with the read's: a date, or days before the read's last one. */
  readonly since?: string;
  /** The window of the user's events, or of the sessions, that the item looks at. Null until the read sets it. */
  readonly window: TimeWindow | null;
}

interface DidGoal {
  readonly id: string;
  readonly name: string;
  /** The conditions on an event of the goal. */
  readonly events: readonly FilterItem[];
}

/** Returns the conditions that an event of the item must pass. */
export const eventsOfDid = ({ did, goal, filters }: Did): readonly FilterItem[] => [
  ...(goal?.events ?? eventConditions(did)),
  ...filters,
];

/** The ids and names of the goals that items name. */
export const goalsIn = (items: readonly FilterItem[]): Pick<DidGoal, "id" | "name">[] =>
  items.flatMap((item) => {
    if (isAnyOf(item)) return goalsIn(item.any);
    return isDid(item) && item.goal !== undefined
      ? [{ id: item.goal.id, name: item.goal.name }]
      : [];
  });

/**
 * Tells whether an event is the earliest one with its value of a property, among the events in the window for which
 * other items hold. It holds for every event without the property.
 */
export interface OncePer {
  readonly once_per: PropertyField;
  readonly among: readonly FilterItem[];
  readonly window: TimeWindow;
}

/** A window of time, what must hold for the events in it, and of which zone dates are shown: of UTC when absent. */
export interface FilteredWindow extends TimeWindow {
  readonly filters?: readonly FilterItem[];
  readonly zone?: string;
}

export const isAnyOf = (item: FilterItem): item is AnyOf => "any" in item;
export const isDid = (item: FilterItem): item is Did => "did" in item;
export const isOncePer = (item: FilterItem): item is OncePer => "once_per" in item;
export const isDidOfUser = (item: FilterItem): boolean => isDid(item) && item.of !== "session";

/** Tells whether an item asks about more than the event itself: about its session, or its user. */
export const looksAround = (item: FilterItem): boolean =>
  isAnyOf(item)
    ? item.any.some(looksAround)
    : isDid(item) || isOncePer(item) || isOfSessions(item.field);

/**
 * Returns an item as callers write it, so that it can be sent again. Conditions compare texts, so a number stands as
 * one, and `since` as the date that it is for a read of these dates.
 */
export function asSent(item: FilterItem, days: Days | null): object {
  if (isAnyOf(item)) return { any: item.any.map((one) => asSent(one, days)) };
  if (isOncePer(item)) return { once_per: item.once_per };
  if (!isDid(item)) return conditionAsSent(item);
  const filters = item.filters.map(conditionAsSent);
  const did = item.of === "session" ? "session_did" : "did";
  const name = item.isNegated ? `${did}_not` : did;
  const { since } = item;
  const first = days === null || since === undefined ? since : isoDate(firstDate(since, days));
  return {
    [name]: item.goal === undefined ? item.did : { goal: item.goal.id },
    ...(filters.length > 0 && { filters }),
    ...(first !== undefined && { since: first }),
  };
}

const firstDate = (since: string, { to, zone }: Pick<Days, "to" | "zone">): number =>
  dayOfText(since, to, "since", zone);

/** What a list of filters needs to know about the read that it is for. */
export interface FilterScope extends TimeWindow {
  /** The time zone of the dates that conditions on `date` mean. */
  readonly zone?: string | undefined;
  /**
   * The window whose sessions are looked at for their fields, when it is larger: sessions of whole dates are kept
   * ready.
   */
  readonly sessionsOf?: TimeWindow;
  /** The end of the read's last date, where its window goes on. */
  readonly lastDateToMs?: number;
}

/** The same items for a read: where people's events are looked for, and whose dates are meant. */
export const within = (items: readonly FilterItem[], scope: FilterScope): FilterItem[] =>
  items.map((item) => {
    if (isAnyOf(item)) return { any: item.any.map((one) => ofRead(one, scope)) };
    if (!isOncePer(item)) return ofRead(item, scope);
    return { ...item, among: within(item.among, { ...scope, sessionsOf: item.window }) };
  });

function ofRead(item: SimpleItem, scope: FilterScope): SimpleItem {
  if (!isDid(item)) return conditionWithin(item, scope);
  const own = scopeOfDid(item, scope);
  const { fromMs, toMs } = item.of === "session" ? (own.sessionsOf ?? own) : own;
  const filters = item.filters.map((one) => conditionWithin(one, own));
  const { goal } = item;
  return {
    ...item,
    filters,
    ...(goal !== undefined && { goal: { ...goal, events: within(goal.events, own) } }),
    window: { fromMs, toMs },
  };
}

/** The scope in which a user's events are looked for: that of the read, or from an own first date to the same end. */
function scopeOfDid({ since }: Did, scope: FilterScope): FilterScope {
  if (since === undefined) return scope;
  const { toMs, sessionsOf, zone: name, lastDateToMs = toMs } = scope;
  const zone = timeZoneOf(name);
  const first = firstDate(since, { to: zone.dayAt(lastDateToMs - 1), zone: name });
  const fromMs = Math.min(zone.startOf(first), toMs);
  if (sessionsOf === undefined) return { ...scope, fromMs };
  return {
    ...scope,
    fromMs,
    sessionsOf: { ...sessionsOf, fromMs: Math.min(sessionsOf.fromMs, fromMs) },
  };
}

function conditionWithin(condition: Condition, scope: FilterScope): Condition {
  const { fromMs, toMs, zone } = scope;
  const { field } = condition;
  const isDate = field === "date" || field === dateOfFirstSession;
  const ofZone = isDate && zone !== undefined ? { ...condition, zone } : condition;
  if (!isOfSessions(field)) return ofZone;
  const window = isVisitorField(field) ? allTime : (scope.sessionsOf ?? { fromMs, toMs });
  return { ...named(ofZone), window };
}

/** The same items, which look at all stored sessions: at their fields, and at what they did. */
export const ofAllSessions = (items: readonly FilterItem[]): FilterItem[] =>
  items.map((item) => {
    if (isAnyOf(item)) return { any: item.any.map(ofAllOrSame) };
    return isOncePer(item) ? item : ofAllOrSame(item);
  });

function ofAllOrSame(item: SimpleItem): SimpleItem {
  if (!isDid(item)) return conditionOfAll(item);
  return item.of === "session"
    ? { ...item, filters: item.filters.map(conditionOfAll), window: allTime }
    : item;
}

const conditionOfAll = (condition: Condition): Condition =>
  isOfSessions(condition.field) ? { ...condition, window: allTime } : condition;

/** The fields with names of sources. */
const sourceFields: ReadonlySet<string> = new Set<Condition["field"]>([
  ...(["session.source", "user.first_source"] as const),
]);
const comparedWithNames: ReadonlySet<Condition["op"]> = new Set(["eq", "neq", "in", "not_in"]);

/** A condition on sources compares with their names, whatever was written: `google.com` with Google. */
function named(condition: Condition): Condition {
  const { field, op, value } = condition;
  if (!sourceFields.has(field) || !comparedWithNames.has(op)) return condition;
  const nameOf = (text: string): string => nameOfSource(text) ?? text;
  return { ...condition, value: typeof value === "string" ? nameOf(value) : value.map(nameOf) };
}
