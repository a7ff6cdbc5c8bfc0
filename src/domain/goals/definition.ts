import { isObject } from "../../lib/is-object";
import { ApiError, invalidField } from "../errors";
import { checkPropertyKey, conditionOf, didWords } from "../filter";
import { refuseUnknown } from "../unknown-fields";

export const goalsPerProjectMax = 30;
export const goalNameCharsMax = 64;
export const goalPageCharsMax = 256;
export const goalFiltersMax = 5;

/** The property whose numbers make up the revenue, and their currency, an ISO 4217 code; null for other numbers. */
export interface GoalValue {
  readonly property: string;
  readonly currency: string | null;
}

/** A condition as its owner sent it. */
export interface GoalFilter {
  readonly field: string;
  readonly op: string;
  readonly value?: unknown;
}

/** The events that count as success: exactly one of `event` and `page` is a text. */
export interface GoalDefinition {
  readonly event: string | null;
  readonly page: string | null;
  readonly filters: readonly GoalFilter[];
  readonly value: GoalValue | null;
  /** The property of which only the earliest event with each value counts. */
  readonly oncePer: string | null;
}

/** A goal of a project. */
export interface NamedGoal extends GoalDefinition {
  readonly id: string;
  readonly name: string;
}

/** The fields of a definition in a request. Absent fields stay as they were; null clears `value` and `once_per`. */
interface SentDefinition {
  readonly event?: string;
  readonly page?: string;
  readonly filters?: readonly unknown[];
  readonly value?: { readonly property: string; readonly currency?: string | null } | null;
  readonly once_per?: string | null;
}

const nothing: GoalDefinition = {
  ...{ event: null, page: null, filters: [], value: null, oncePer: null },
};

/** Returns a definition with the changes of a request. Throws MISSING_FIELDS and the errors of filters. */
export function definitionOf(sent: SentDefinition, before = nothing): GoalDefinition {
  const { filters, value, once_per: oncePer } = sent;
  return {
    ...matchOf(sent, before),
    filters: filters === undefined ? before.filters : goalFilters(filters, "filters"),
    value: value === undefined ? before.value : value === null ? null : goalValueOf(value, "value"),
    oncePer:
      oncePer === undefined ? before.oncePer : oncePer && checkPropertyKey(oncePer, "once_per"),
  };
}

/** An event replaces a page, and a page replaces an event. */
function matchOf(
  { event, page }: SentDefinition,
  before: GoalDefinition,
): Pick<GoalDefinition, "event" | "page"> {
  if (event !== undefined && page !== undefined) {
    throw invalidField("page", 'Send either "event" or "page", not both.');
  }
  if (event !== undefined) return { event: wellFormed(event, "event"), page: null };
  if (page !== undefined) return { event: null, page: wellFormed(page, "page") };
  if (before.event !== null || before.page !== null) {
    return { event: before.event, page: before.page };
  }
  throw invalidField(
    "event",
    'A goal needs "event", the name of an event, or "page", a page such as /thanks or /docs/*.',
  );
}

/** Checks the property and the currency of a goal's value. */
export function goalValueOf(
  { property, currency = null }: { readonly property: string; readonly currency?: string | null },
  path: string,
): GoalValue {
  const key = checkPropertyKey(property, `${path}.property`);
  if (currency === null || currencies.has(currency)) return { property: key, currency };
  throw invalidField(
    `${path}.currency`,
    `"${path}.currency" must be an ISO 4217 code in capitals, such as EUR.`,
  );
}

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** Checks the filters of a stored goal, which are conditions on the event's own fields alone. */
function goalFilters(sent: readonly unknown[], path: string): GoalFilter[] {
  if (sent.length > goalFiltersMax) {
    throw invalidField(path, `"${path}" may have at most ${goalFiltersMax} filters.`);
  }
  return sent.map((item, index) => filterAsSent(item, `${path}[${index}]`));
}

function filterAsSent(item: unknown, path: string): GoalFilter {
  if (!isObject(item))
    throw new ApiError("INVALID_BODY", `"${path}" must be an object.`, { field: path });
  const { field, op, value } = item;
  const isOfOthers = othersWords.some((word) => (item[word] ?? null) !== null);
  if (isOfOthers || (typeof field === "string" && /^(session|user)\./.test(field))) {
    throw new ApiError(
      "INVALID_FILTER_FIELD",
      `"${path}" must be {field, op, value} with a field of the event itself, such as country or properties.plan.`,
      { field: path },
    );
  }
  const sent = Object.keys(item).filter((key) => item[key] !== null);
  refuseUnknown(sent, ["field", "op", "value"], { what: "field", path: `${path}.` });
  const checked = conditionOf({ field: textOrNull(field), op: textOrNull(op), value }, path);
  const texts = typeof checked.value === "string" ? [checked.value] : checked.value;
  for (const text of texts) wellFormed(text, `${path}.value`);
  const { field: known, op: knownOp } = checked;
  if (visitorFields.includes(known) && !["is_null", "not_null"].includes(knownOp)) {
    throw new ApiError(
      "INVALID_FILTER_FIELD",
      `"${path}" cannot single out a visitor: in a goal, "${known}" takes only is_null and not_null.`,
      { field: path },
    );
  }
  return { field: known, op: knownOp, ...(value !== undefined && value !== null && { value }) };
}

/**
 * Everybody who reads a project reads its goals, also by their names, and experiments keep them: an id of a visitor in
 * one would be seen by members who may not see visitors, and would stay when the visitor is erased.
 */
const visitorFields: readonly string[] = ["user_id", "session_id"];

/** Items that look at other events of a user or a session, or that join several. */
const othersWords = ["any", ...didWords, "session_did", "session_did_not"] as const;

/** Names that differ in case alone are one. */
export const nameKeyOf = (name: string): string => name.trim().toLowerCase();

/** Refuses a text with half of a surrogate pair, which cannot be stored. */
function wellFormed(text: string, field: string): string {
  if (text.isWellFormed()) return text;
  throw invalidField(field, `"${field}" must be valid Unicode text, without lone surrogates.`);
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
