import type { Condition } from "../../../domain/filter";
import {
  type Did,
  type FilterItem,
  isAnyOf,
  isDid,
  isOncePer,
  type OncePer,
} from "../../../domain/filter-items";
import { keyOfProperty } from "../../../domain/property-field";
import { isSessionField, type SessionField } from "../../../domain/session-field";
import type { TimeWindow } from "../../../domain/time-window";
import { isUserField, type UserField } from "../../../domain/visitor-field";
import type { Bound } from "./bound";
import { localTime } from "./local-time";
import { isThere, pageOfEvent, textOfStored, timeMs } from "./values";

/** What a condition needs to know about the events that it is evaluated on. */
export interface EventColumns {
  readonly bound: Bound;
  readonly asked: Parameters<typeof localTime>[0];
  /** Returns the name of the column that holds a property as it is stored. */
  property(key: string): string;
  /** Returns the column that holds a field of the event's session, which is '' when the session has none. */
  sessionField(field: SessionField, within?: TimeWindow): string;
  /** Returns the column that holds a field of the event's user, which is '' for a user without a session. */
  userField(field: UserField, zone: string | undefined): string;
  /** Returns a select of the users who have an event of this name for which its filters hold. */
  usersWho(did: Did): string;
  /** Returns a select of the sessions that have such an event anywhere in them. */
  sessionsWith(did: Did): string;
  /** Returns a select of the tickets of the earliest events of their values. */
  earliest(item: OncePer): string;
}

/** Returns SQL that is true when all items of a list hold. */
export const itemsSql = (events: EventColumns, items: readonly FilterItem[]): string =>
  items.map((item) => itemSql(events, item)).join(" and ") || "1";

function itemSql(events: EventColumns, item: FilterItem): string {
  if (isAnyOf(item)) return `(${item.any.map((one) => itemSql(events, one)).join(" or ")})`;
  if (isOncePer(item)) {
    const there = isThere(events.property(keyOfProperty(item.once_per)));
    return `(not ${there} or ticket in ${events.earliest(item)})`;
  }
  if (!isDid(item)) return conditionSql(events, item);
  const [column, found] =
    item.of === "session"
      ? ["session_id", events.sessionsWith(item)]
      : ["user", events.usersWho(item)];
  return `(${column} ${item.isNegated ? "not in" : "in"} ${found})`;
}

/** The field as filters compare it: '' for an event without it, and possibly for one that has it. */
export function textSql(
  events: EventColumns,
  { field, zone, window }: Pick<Condition, "field" | "zone" | "window">,
): string {
  switch (field) {
    case "event":
      return "name";
    case "user_id":
      return "user";
    case "session_id":
    case "country":
      return field;
    case "page":
      return pageOfEvent;
    case "timestamp":
      return `toString(${timeMs})`;
    case "date":
      return `toString(toDate(${localTime(events.asked, zone)}))`;
    default:
      if (isSessionField(field)) return events.sessionField(field, window);
      if (isUserField(field)) return events.userField(field, zone);
      return textOfStored(events.property(field.slice("properties.".length)));
  }
}

export function isThereSql(
  events: EventColumns,
  condition: Pick<Condition, "field" | "zone" | "window">,
): string {
  const { field } = condition;
  if (field.startsWith("properties."))
    return isThere(events.property(field.slice("properties.".length)));
  const isAlways = field === "event" || field === "date" || field === "timestamp";
  return isAlways ? "1" : `(${textSql(events, condition)} != '')`;
}

const numberForm = "^[+-]?(\\\\d+\\\\.?\\\\d*|\\\\.\\\\d+)([eE][+-]?\\\\d+)?$";
const isNumber = (text: string): boolean =>
  /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text));
const signs = { gt: ">", lt: "<", gte: ">=", lte: "<=" } as const;

export function conditionSql(events: EventColumns, condition: Condition): string {
  const { bound } = events;
  const { op, value } = condition;
  const there = isThereSql(events, condition);
  if (op === "is_null") return `not ${there}`;
  if (op === "not_null") return there;
  const text = textSql(events, condition);
  if (typeof value !== "string") {
    const isAmong = value.length === 0 ? "0" : `(${there} and ${text} in ${bound.texts(value)})`;
    return op === "not_in" ? `not ${isAmong}` : isAmong;
  }
  const given = bound.text(value);
  switch (op) {
    case "eq":
      return `(${there} and ${text} = ${given})`;
    case "neq":
      return `(${there} and ${text} != ${given})`;
    case "contains":
      return `(${there} and position(lower(${text}), lower(${given})) > 0)`;
    case "prefix":
      return `(${there} and startsWith(${text}, ${given}))`;
    default:
      return `(${there} and ${orderSql(events, text, signs[op as keyof typeof signs], value)})`;
  }
}

/** Two numbers compare as numbers, everything else as texts. */
function orderSql({ bound }: EventColumns, text: string, sign: string, value: string): string {
  const asText = `${text} ${sign} ${bound.text(value)}`;
  if (!isNumber(value)) return asText;
  const number = `toFloat64OrNull(${text})`;
  const isNumeric = `(match(${text}, '${numberForm}') and ifNull(isFinite(${number}), 0))`;
  return `if(${isNumeric}, ifNull(${number} ${sign} ${bound.real(Number(value))}, 0), ${asText})`;
}

/** Returns the users that a list names one by one, or null when it does not name them. */
export function usersNamed(items: readonly FilterItem[]): readonly string[] | null {
  for (const item of items) {
    if (isAnyOf(item) || isDid(item) || isOncePer(item) || item.field !== "user_id") continue;
    if (item.op === "eq" && typeof item.value === "string") return [item.value];
    if (item.op === "in" && typeof item.value !== "string") return item.value;
  }
  return null;
}
