import { isObject } from "../lib/is-object";
import { codePointCount } from "../lib/text";
import { ApiError, invalidField } from "./errors";
import { type Condition, conditionOf, didWords, filterErrors } from "./filter";
import type { Did, FilterItem, SimpleItem } from "./filter-items";
import { eventsOf, goalNamed } from "./goal";
import type { Goals } from "./goals/goals";
import { anyItemsMax, eventNameCharsMax, queryFiltersMax } from "./limits";
import { dayOfText } from "./period";
import { refuseUnknown } from "./unknown-fields";

/* Checks the filters of requests and makes filter items of them. */

/** The error codes of a request with wrong filters. */
export const sentFilterErrors = [...filterErrors, "GOAL_NOT_FOUND"] as const;

/** The fewest filters of a group in which one must hold. */
const anyItemsMin = 2;

type DidWord = (typeof didWords)[number];

/** Checks the filters of a body and returns their items. */
export function filterItems(
  sent: readonly unknown[] | null | undefined,
  goals: Goals,
  path = "filters",
): FilterItem[] {
  const list = sent ?? [];
  if (list.length > queryFiltersMax) {
    throw invalidField(path, `Send at most ${queryFiltersMax} filters.`);
  }
  return list.map((item, index) => itemOf(item, goals, `${path}[${index}]`));
}

/** The same for filters of a query string, which are the list as JSON. */
export function filterItemsOfText(text: string | null | undefined, goals: Goals): FilterItem[] {
  if (text === null || text === undefined) return [];
  const list = parseJson(text);
  if (Array.isArray(list)) return filterItems(list, goals);
  throw invalidField(
    "filters",
    '"filters" must be a JSON list, such as [{"field":"country","op":"eq","value":"DE"}].',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function itemOf(sent: unknown, goals: Goals, path: string): FilterItem {
  if (!isObject(sent) || !isPresent(sent, "any")) return simpleItem(sent, goals, path);
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
      return simpleItem(item, goals, place);
    }),
  };
}

function simpleItem(sent: unknown, goals: Goals, path: string): SimpleItem {
  if (!isObject(sent)) throw badItem(path);
  for (const name of didWords) {
    if (!isPresent(sent, name)) continue;
    return name.startsWith("session_")
      ? sessionDidOf(sent, name, goals, path)
      : userDidOf(sent, name, path);
  }
  refuseUnknown(keysSent(sent), ["field", "op", "value", "any", ...didWords], {
    what: "field",
    path: `${path}.`,
  });
  const { field, op, value } = sent;
  return conditionOf({ field: textOrNull(field), op: textOrNull(op), value }, path);
}

function sessionDidOf(
  sent: Readonly<Record<string, unknown>>,
  name: DidWord,
  goals: Goals,
  path: string,
): Did {
  refuseUnknown(keysSent(sent), [name, "filters"], { what: "field", path: `${path}.` });
  const did = sent[name];
  const goal = isObject(did) ? goalWithin(did, goals, `${path}.${name}`) : null;
  return {
    did: goal === null ? eventNamed(did, `${path}.${name}`, ', or {"goal": "<name>"}') : goal.event,
    ...(goal !== null && { goal: { ...goal.named, events: eventsOf(goal) } }),
    isNegated: name.endsWith("_not"),
    of: "session",
    filters: plainFilters(sent.filters, `${path}.filters`),
    window: null,
  };
}

/** Throws GOAL_NOT_FOUND. */
function goalWithin(sent: Readonly<Record<string, unknown>>, goals: Goals, path: string) {
  refuseUnknown(keysSent(sent), ["goal"], { what: "field", path: `${path}.` });
  if (typeof sent.goal === "string") return goalNamed(goals.named(sent.goal));
  throw invalidField(`${path}.goal`, `"${path}.goal" must be the name or id of a goal.`);
}

function userDidOf(sent: Readonly<Record<string, unknown>>, name: DidWord, path: string): Did {
  const known = [name, "filters", "since"];
  refuseUnknown(keysSent(sent), known, { what: "field", path: `${path}.` });
  const isGoal = isObject(sent[name]) && "goal" in sent[name];
  return {
    did: eventNamed(sent[name], `${path}.${name}`, isGoal ? ". session_did takes goals too" : ""),
    isNegated: name.endsWith("_not"),
    filters: plainFilters(sent.filters, `${path}.filters`),
    ...(isPresent(sent, "since") && { since: sinceOf(sent.since, `${path}.since`) }),
    window: null,
  };
}

/** Checks the form of a first date. The read turns it into a date. */
function sinceOf(sent: unknown, path: string): string {
  const text = typeof sent === "string" ? sent : "";
  dayOfText(text, 0, path, undefined);
  return text;
}

/** Checks the name of an event. `also` ends the message: other values that the field takes. */
function eventNamed(sent: unknown, path: string, also: string): string {
  if (typeof sent === "string" && sent !== "" && codePointCount(sent) <= eventNameCharsMax) {
    return sent;
  }
  const message = `"${path}" must be an event name of 1 to ${eventNameCharsMax} characters${also}.`;
  throw invalidField(path, message);
}

/** Checks conditions on the event alone. */
function plainFilters(sent: unknown, path: string): Condition[] {
  const filters = sent ?? [];
  if (!Array.isArray(filters) || filters.length > queryFiltersMax) {
    const message = `"${path}" must be a list of at most ${queryFiltersMax} filters.`;
    throw invalidField(path, message);
  }
  return filters.map((filter, index) => plainFilter(filter, `${path}[${index}]`));
}

function plainFilter(sent: unknown, path: string): Condition {
  if (!isObject(sent)) throw badItem(path);
  refuseUnknown(keysSent(sent), ["field", "op", "value"], { what: "field", path: `${path}.` });
  const { field, op, value } = sent;
  return conditionOf({ field: textOrNull(field), op: textOrNull(op), value }, path);
}

const badItem = (path: string): ApiError =>
  new ApiError("INVALID_BODY", `"${path}" must be an object.`, { field: path });

/** Returns the keys of an object. Null is the same as absent. */
const keysSent = (sent: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(sent).filter((key) => sent[key] !== null);
const isPresent = (sent: Readonly<Record<string, unknown>>, name: string): boolean =>
  Object.hasOwn(sent, name) && sent[name] !== null;
const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
