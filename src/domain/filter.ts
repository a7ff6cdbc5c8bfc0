import { didYouMean, nearest } from "../lib/nearest";
import { codePointCount } from "../lib/text";
import { ApiError, invalidField } from "./errors";
import { filterValueCharsMax, propertyKeyCharsMax } from "./limits";
import { parseDateTimeMs } from "./period";
import {
  isSessionField,
  type SessionField,
  sessionFieldMeant,
  sessionFields,
} from "./session-field";
import { isClockGroup, isTimeGroup } from "./time-groups";
import type { TimeWindow } from "./time-window";
import { isUserField, type UserField, userFields, visitorFieldMeant } from "./visitor-field";

const inValuesMax = 100;

export const filterOps = [
  ...(["eq", "neq", "gt", "lt", "gte", "lte", "contains", "prefix", "in", "not_in"] as const),
  ...(["is_null", "not_null"] as const),
] as const;
type FilterOp = (typeof filterOps)[number];

export const filterFields = [
  "event",
  "user_id",
  "date",
  "country",
  "session_id",
  "timestamp",
] as const;

/**
 * A checked condition. All conditions of a list must hold; a null or missing field matches nothing but `is_null` and
 * `not_in`.
 */
export interface Condition {
  /** Only goals use `page`, the page of the event: requests cannot name it as a field. */
  readonly field:
    | (typeof filterFields)[number]
    | SessionField
    | UserField
    | `properties.${string}`
    | "page";
  readonly op: FilterOp;
  /** Compared as text; a list with `in` and `not_in`; empty where the operator takes none. */
  readonly value: string | readonly string[];
  /** The time zone of a condition on a date, UTC when absent. */
  readonly zone?: string;
  /** The window of the read, whose sessions a condition on a session's field looks at. */
  readonly window?: TimeWindow;
}

/** Returns a condition as callers write it, so that it can be sent again. */
export const conditionAsSent = ({ field, op, value }: Condition): FilterRequest =>
  op === "is_null" || op === "not_null" ? { field, op } : { field, op, value };

/** A filter as it was sent. */
export interface FilterRequest {
  readonly field?: string | null;
  readonly op?: string | null;
  readonly value?: unknown;
}

/** The codes with which a list of filters may be refused. */
export const filterErrors = [
  "INVALID_FILTER_FIELD",
  "INVALID_FILTER_OP",
  "INVALID_PROPERTY_KEY",
] as const;

/** The items of a list of filters about other events of the user or of the session. */
export const didWords = ["did", "did_not", "session_did", "session_did_not"] as const;

/** `did` as a field or an operator, also with what it is of in front: the item that was meant. */
function itemMeant(
  word: string,
): { readonly suggested_item: Readonly<Record<string, string>> } | null {
  const [, last] = /(?:^|[._])((?:session[._])?did(?:_not)?)$/.exec(word.toLowerCase()) ?? [];
  const meant = didWords.find((one) => one === last?.replace(".", "_"));
  return meant === undefined ? null : { suggested_item: { [meant]: "<event>" } };
}
const itemHint =
  " To filter by what users or sessions did, send an item without `field`, like `suggested_item`.";

/** Says what was asked for, so that similar names can be suggested. */
export class UnknownFilterField extends ApiError {
  constructor(
    message: string,
    suggestedField: string | null,
    /** The name without the prefix of properties; empty when there was none. */
    readonly asked: string,
    item: ReturnType<typeof itemMeant> = null,
  ) {
    super("INVALID_FILTER_FIELD", message, { suggested_field: suggestedField, ...item });
  }
}

/** One filter. `path` names it in messages. Unknown words are refused, so that none is left out of a count. */
export function conditionOf(filter: FilterRequest, path: string): Condition {
  const { field, op, value } = filter;
  if (isAbsent(field) || isAbsent(op)) {
    throw new UnknownFilterField(`"${path}" must have field, op and value.`, null, "");
  }
  const checkedField = fieldOf(field, path);
  const checkedOp = filterOps.find((known) => known === op);
  if (checkedOp === undefined) throw unknownOp(op, path);
  if (checkedOp === "is_null" || checkedOp === "not_null") {
    if (isAbsent(value)) return { field: checkedField, op: checkedOp, value: "" };
    throw invalidField(
      `${path}.value`,
      `The operator ${checkedOp} takes no value. Leave out "value".`,
    );
  }
  if (isAbsent(value)) {
    throw new UnknownFilterField(`"${path}" must have field, op and value.`, null, "");
  }
  return {
    field: checkedField,
    op: checkedOp,
    value: checkedValue(checkedField, checkedOp, value, path),
  };
}

/** Names of operators in SQL and in other analytics. */
const wordsElsewhere: readonly (readonly [FilterOp, readonly string[]])[] = [
  ["eq", ["=", "==", "equals", "is"]],
  ["neq", ["!=", "<>", "ne", "not_equals", "is_not"]],
  ["gt", [">"]],
  ["gte", [">="]],
  ["lt", ["<"]],
  ["lte", ["<="]],
  ["prefix", ["starts_with", "startswith"]],
  ["contains", ["like", "ilike", "icontains"]],
  ["not_in", ["nin"]],
  ["not_null", ["is_set", "exists"]],
  ["is_null", ["is_not_set"]],
];

function unknownOp(op: string, path: string): ApiError {
  const word = op.toLowerCase();
  const [same] = wordsElsewhere.find(([, words]) => words.includes(word)) ?? [];
  const item = itemMeant(op);
  const hint = item === null ? didYouMean(same ?? nearest(op, filterOps)) : itemHint;
  const message = `"${path}.op" must be one of ${filterOps.join(", ")}.${hint}`;
  return new ApiError("INVALID_FILTER_OP", message, { allowed: filterOps, ...item });
}

/** Events with this name, or every event when no name is asked for. */
export const eventConditions = (event: string | null): Condition[] =>
  event === null ? [] : [{ field: "event", op: "eq", value: event }];

const keyForm = new RegExp(`^[A-Za-z0-9_]{1,${propertyKeyCharsMax}}$`);

export const isPropertyKey = (key: string): boolean => keyForm.test(key);

/** Keys that can be asked for; others are stored and shown, but not counted by. */
export function checkPropertyKey(key: string, field: string): string {
  if (keyForm.test(key)) return key;
  const message = `A property key must have 1 to ${propertyKeyCharsMax} characters from A-Z, a-z, 0-9 and _.`;
  throw new ApiError("INVALID_PROPERTY_KEY", message, { field });
}

/**
 * Returns the text by which a value compares: a string as it is, everything else as compact JSON; null when there is
 * none.
 */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** No message repeats what a caller has sent, which the suggestion may do. */
export const useSuggestion = " Use the name in `suggested_field` if that is what you meant.";

function fieldOf(field: string, path: string): Condition["field"] {
  const known = filterFields.find((one) => one === field);
  if (known !== undefined) return known;
  if (isSessionField(field) || isUserField(field)) return field;
  const item = itemMeant(field);
  if (item !== null && !field.startsWith("properties.")) {
    throw new UnknownFilterField(
      `"${path}.field" does not name a field.${itemHint}`,
      null,
      field,
      item,
    );
  }
  if (field.startsWith("session.")) throw unknownAmong(sessionFields, field, path);
  if (field.startsWith("user.")) throw unknownAmong(userFields, field, path);
  if (field.startsWith("properties.")) {
    return `properties.${checkPropertyKey(field.slice("properties.".length), `${path}.field`)}`;
  }
  const fields = `${filterFields.join(", ")}, user.<field>, session.<field> or properties.<key>`;
  if (isTimeGroup(field) || isClockGroup(field)) {
    const message =
      `"${path}.field" must be one of ${fields}. Hours, weekdays, weeks and months can be in group_by alone: ` +
      "to filter by time, use date or timestamp.";
    throw new UnknownFilterField(message, null, field);
  }
  const ofSessions = sessionFieldMeant(field) ?? visitorFieldMeant(field);
  const suggested = ofSessions ?? (keyForm.test(field) ? `properties.${field}` : null);
  const said =
    ofSessions === null
      ? " For a property, write the field as in `suggested_field`."
      : useSuggestion;
  const hint = suggested === null ? "" : said;
  const message = `"${path}.field" must be one of ${fields}.${hint}`;
  throw new UnknownFilterField(message, suggested, field);
}

function unknownAmong(allowed: readonly string[], field: string, path: string): ApiError {
  const meant = nearest(field, allowed);
  const message = `"${path}.field" must be one of ${allowed.join(", ")}.${didYouMean(meant)}`;
  return new ApiError("INVALID_FILTER_FIELD", message, { allowed, suggested_field: meant });
}

function checkedValue(
  field: Condition["field"],
  op: Condition["op"],
  value: unknown,
  path: string,
): string | readonly string[] {
  if (op !== "in" && op !== "not_in") return oneValue(field, value, `${path}.value`);
  if (!Array.isArray(value) || value.length > inValuesMax) {
    throw invalidField(
      `${path}.value`,
      `The value of "${op}" must be a list of at most ${inValuesMax} values.`,
    );
  }
  return value.map((item, index) => oneValue(field, item, `${path}.value[${index}]`));
}

function oneValue(field: Condition["field"], value: unknown, path: string): string {
  const text = textOf(value);
  if (text === null)
    throw invalidField(
      path,
      `"${path}" must not be null. Use the operator is_null to match missing values.`,
    );
  if (codePointCount(text) > filterValueCharsMax) {
    throw invalidField(path, `"${path}" must have at most ${filterValueCharsMax} characters.`);
  }
  return field === "timestamp" ? timestampText(value, path) : text;
}

/** A time as the digits that events are compared by. */
function timestampText(value: unknown, path: string): string {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  if (typeof value === "string" && /^\d{1,16}$/.test(value)) return String(Number(value));
  const timeMs = typeof value === "string" ? parseDateTimeMs(value) : null;
  if (timeMs !== null) return String(timeMs);
  const message = `"${path}" must be Unix milliseconds or an ISO date-time such as 2026-01-31T12:00:00Z.`;
  throw new ApiError("INVALID_BODY", message, { field: path });
}

const isAbsent = (value: unknown): value is null | undefined =>
  value === null || value === undefined;
