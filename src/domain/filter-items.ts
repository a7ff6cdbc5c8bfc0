import { isObject } from "../lib/is-object";
import { codePointCount } from "../lib/text";
import { ApiError, invalidField } from "./errors";
import { isoDate } from "./event";
import { type Condition, conditionAsSent, conditionOf, didWords } from "./filter";
import { anyItemsMax, eventNameCharsMax, queryFiltersMax } from "./limits";
import { allTime, type Days, dayOfText } from "./period";
import type { PropertyField } from "./property-field";
import { nameOfSource } from "./sources/channel";
import type { TimeWindow } from "./time-window";
import { timeZoneOf } from "./time-zone";
import { refuseUnknown } from "./unknown-fields";
import { firstDate as dateOfFirstSession, isOfSessions, isVisitorField } from "./visitor-field";

/** A group of filters, of which one must hold, has at least this many. */
const anyItemsMin = 2;

/** An item of a list of filters, all of which must hold. */
export type FilterItem = SimpleItem | AnyOf | OncePer;
type SimpleItem = Condition | Did;

/** A group of items, of which at least one must hold. */
export interface AnyOf {
  readonly any: readonly SimpleItem[];
}

/**
 * Tells whether the event's user, or its session, has such an event, or has none. An event without a user, or without a
 * session, counts as having none.
 */
export interface Did {
  readonly did: string;
  readonly isNegated: boolean;
  /** Present if the item looks at all events of the session, at any time, and not at those of the user. */
  readonly of?: "session";
  readonly filters: readonly Condition[];
  /** The first date of that window, which else begins with the read's: a date, or days before the read's last one. */
  readonly since?: string;
  /** The window of the user's events, or of the sessions, that the item looks at. Null until the read sets it. */
  readonly window: TimeWindow | null;
}

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
    [name]: item.did,
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
    return isOncePer(item) ? item : ofRead(item, scope);
  });

function ofRead(item: SimpleItem, scope: FilterScope): SimpleItem {
  if (!isDid(item)) return conditionWithin(item, scope);
  const own = scopeOfDid(item, scope);
  const { fromMs, toMs } = item.of === "session" ? (own.sessionsOf ?? own) : own;
  const filters = item.filters.map((one) => conditionWithin(one, own));
  return { ...item, filters, window: { fromMs, toMs } };
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

export function conditionWithin(condition: Condition, scope: FilterScope): Condition {
  const { fromMs, toMs, zone } = scope;
  const { field } = condition;
  const isDate = field === "date" || field === dateOfFirstSession;
  const ofZone = isDate && zone !== undefined ? { ...condition, zone } : condition;
  if (!isOfSessions(field)) return ofZone;
  const window = isVisitorField(field) ? allTime : (scope.sessionsOf ?? { fromMs, toMs });
  return { ...named(ofZone), window };
}

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

/** Filters as a body has them, checked. */
export function filterItems(
  sent: readonly unknown[] | null | undefined,
  path = "filters",
): FilterItem[] {
  const list = sent ?? [];
  if (list.length > queryFiltersMax) {
    throw invalidField(path, `Send at most ${queryFiltersMax} filters.`);
  }
  return list.map((item, index) => itemOf(item, `${path}[${index}]`));
}

/** Filters as a query string has them: the same list as JSON. */
export function filterItemsOfText(text: string | null | undefined): FilterItem[] {
  if (text === null || text === undefined) return [];
  const list = parsed(text);
  if (Array.isArray(list)) return filterItems(list);
  throw invalidField(
    "filters",
    '"filters" must be a JSON list, such as [{"field":"country","op":"eq","value":"DE"}].',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function itemOf(sent: unknown, path: string): FilterItem {
  if (!isObject(sent) || !isPresent(sent, "any")) return simpleItem(sent, path);
  refuseUnknown(keysSent(sent), ["any"], { what: "field", path: `${path}.` });
  const group = sent.any;
  if (!Array.isArray(group) || group.length < anyItemsMin || group.length > anyItemsMax) {
    const message = `"${path}.any" must be a list of ${anyItemsMin} to ${anyItemsMax} filters.`;
    throw invalidField(`${path}.any`, message);
  }
  return {
    any: group.map((item, index) => {
      const place = `${path}.any[${index}]`;
      if (isObject(item) && isPresent(item, "any")) {
        throw invalidField(
          place,
          `"${place}" must not contain another "any": groups cannot be nested.`,
        );
      }
      return simpleItem(item, place);
    }),
  };
}

function simpleItem(sent: unknown, path: string): SimpleItem {
  if (!isObject(sent)) throw badItem(path);
  for (const name of didWords) {
    if (isPresent(sent, name)) return didOf(sent, name, path);
  }
  refuseUnknown(keysSent(sent), ["field", "op", "value", "any", ...didWords], {
    what: "field",
    path: `${path}.`,
  });
  const { field, op, value } = sent;
  return conditionOf({ field: textOrNull(field), op: textOrNull(op), value }, path);
}

function didOf(
  sent: Readonly<Record<string, unknown>>,
  name: (typeof didWords)[number],
  path: string,
): Did {
  const isNegated = name.endsWith("_not");
  if (name.startsWith("session_")) {
    const { event, filters } = eventWithFilters(sent, name, path, plainFilter);
    return { did: event, isNegated, of: "session", filters, window: null };
  }
  const { since, ...others } = sent;
  const { event, filters } = eventWithFilters(others, name, path, plainFilter);
  const first = isPresent(sent, "since") ? { since: sinceOf(since, `${path}.since`) } : {};
  return { did: event, isNegated, filters, ...first, window: null };
}

/** Checks the form of a first date; which one it is depends on the read. */
function sinceOf(sent: unknown, path: string): string {
  const text = typeof sent === "string" ? sent : "";
  dayOfText(text, 0, path, undefined);
  return text;
}

interface EventWithFilters<Item> {
  readonly event: string;
  readonly filters: readonly Item[];
}

/** An object with the name of an event under `name`, and perhaps what must hold for it. */
function eventWithFilters<Item>(
  sent: Readonly<Record<string, unknown>>,
  name: string,
  path: string,
  readFilter: (sent: unknown, path: string) => Item,
): EventWithFilters<Item> {
  refuseUnknown(keysSent(sent), [name, "filters"], { what: "field", path: `${path}.` });
  const event = sent[name];
  if (typeof event !== "string" || event === "" || codePointCount(event) > eventNameCharsMax) {
    const message = `"${path}.${name}" must be an event name of 1 to ${eventNameCharsMax} characters.`;
    throw invalidField(`${path}.${name}`, message);
  }
  const filters = sent.filters ?? [];
  if (!Array.isArray(filters) || filters.length > queryFiltersMax) {
    const message = `"${path}.filters" must be a list of at most ${queryFiltersMax} filters.`;
    throw invalidField(`${path}.filters`, message);
  }
  const checked = filters.map((filter, index) => readFilter(filter, `${path}.filters[${index}]`));
  return { event, filters: checked };
}

function plainFilter(sent: unknown, path: string): Condition {
  if (!isObject(sent)) throw badItem(path);
  refuseUnknown(keysSent(sent), ["field", "op", "value"], { what: "field", path: `${path}.` });
  const { field, op, value } = sent;
  return conditionOf({ field: textOrNull(field), op: textOrNull(op), value }, path);
}

const badItem = (path: string): ApiError =>
  new ApiError("INVALID_BODY", `"${path}" must be an object.`, { field: path });

/** Returns the keys that were sent. Null is the same as absent. */
const keysSent = (sent: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(sent).filter((key) => sent[key] !== null);
const isPresent = (sent: Readonly<Record<string, unknown>>, name: string): boolean =>
  Object.hasOwn(sent, name) && sent[name] !== null;
const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
