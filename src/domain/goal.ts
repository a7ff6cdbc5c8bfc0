import { codePointCount } from "../lib/text";
import { invalidField } from "./errors";
import { type Condition, checkPropertyKey, conditionOf, eventConditions } from "./filter";
import { type FilterItem, type FilterScope, filterItems, within } from "./filter-items";
import {
  type GoalDefinition,
  type GoalValue,
  goalValueOf,
  type NamedGoal,
} from "./goals/definition";
import type { Goals } from "./goals/goals";
import { eventNameCharsMax } from "./limits";
import { goalMetrics, type Metric } from "./metric";
import { allTime } from "./period";

/**
 * The events that count as success: those of the name for which the filters hold, and only the earliest one with each
 * value of the property `oncePer`.
 */
export interface Goal {
  readonly event: string;
  readonly filters: readonly FilterItem[];
  /** The key of a property. */
  readonly oncePer?: string;
  readonly value?: GoalValue;
  /** The goal of the project that a request named. */
  readonly named?: { readonly id: string; readonly name: string };
}

/** Returns the conditions on an event of a goal, which every read of these events uses. */
export function eventsOf({ event, filters, oncePer }: Goal): readonly FilterItem[] {
  const described = [...eventConditions(event), ...filters];
  if (oncePer === undefined) return described;
  return [...described, { once_per: `properties.${oncePer}`, among: described, window: allTime }];
}

/** A goal whose filters apply to the dates, the zone and the users of a read. */
export const goalInScope = (goal: Goal, scope: FilterScope): Goal =>
  goal.filters.length === 0 ? goal : { ...goal, filters: within(goal.filters, scope) };

/** The name by which answers show a goal that stands in place of an event. */
export const labelOf = ({ event, named }: Goal): string => named?.name ?? event;

/** The field of an answer that tells which goal of the project was named. */
export const namedIn = ({ named }: Goal): { goal?: NonNullable<Goal["named"]> } =>
  named === undefined ? {} : { goal: named };

/** An event by its name alone. */
export const plainGoal = (event: string): Goal => ({ event, filters: [] });

/** Tells whether every event of the name is one of the goal. */
export const isPlain = ({ filters, oncePer }: Goal): boolean =>
  filters.length === 0 && oncePer === undefined;

/** Returns the events of a definition. */
export function goalOfDefinition({ event, page, filters, value, oncePer }: GoalDefinition): Goal {
  const conditions = filters.map((filter, index) => conditionOf(filter, `filters[${index}]`));
  return {
    ...(page === null
      ? { event: event ?? "", filters: conditions }
      : { event: pageViewEvent, filters: [pageCondition(page), ...conditions] }),
    ...(oncePer !== null && { oncePer }),
    ...(value !== null && { value }),
  };
}

export const goalNamed = (goal: NamedGoal): Goal => ({
  ...goalOfDefinition(goal),
  named: { id: goal.id, name: goal.name },
});

/** The name of the event that a page view is. */
const pageViewEvent = "page_view";

/** A `*` at the end stands for any rest. */
const pageCondition = (page: string): Condition =>
  page.endsWith("*")
    ? { field: "page", op: "prefix", value: page.slice(0, -1) }
    : { field: "page", op: "eq", value: page };

/** A goal in a request: by its name, or the events themselves. */
export interface SentGoal {
  readonly goal?: string;
  readonly event?: string;
  readonly page?: string;
  readonly filters?: readonly unknown[];
  readonly value?: { readonly property: string; readonly currency?: string | null };
  readonly once_per?: string;
}

/** The goal of a query: it is always checked, and used by the metrics that need it alone. */
export function goalOf(
  sent: SentGoal | undefined,
  metrics: readonly Metric[],
  goals: Goals,
): Goal | null {
  const goal = sent === undefined ? null : goalSent(sent, "goal", goals);
  const needing = goalMetrics.find((name) => metrics.includes(name));
  if (needing === undefined || goal !== null) return needing === undefined ? null : goal;
  const message = `"${needing}" needs a goal, such as "goal": {"event": "signup"}.`;
  throw invalidField("goal", message);
}

function goalSent(sent: SentGoal, path: string, goals: Goals): Goal {
  const { goal, event, page, value, once_per: oncePer } = sent;
  if (goal !== undefined) {
    if (Object.keys(sent).length === 1) return goalNamed(goals.named(goal));
    throw invalidField(path, `"${path}" takes either "goal", the name of a goal, or its events.`);
  }
  if (event !== undefined && page !== undefined) {
    throw invalidField(`${path}.page`, `Send either "${path}.event" or "${path}.page", not both.`);
  }
  const filters = filterItems(sent.filters, `${path}.filters`);
  return {
    ...matchSent(event, page, `${path}.event`),
    filters: page === undefined ? filters : [pageCondition(page), ...filters],
    ...(oncePer !== undefined && { oncePer: checkPropertyKey(oncePer, `${path}.once_per`) }),
    ...(value !== undefined && { value: goalValueOf(value, `${path}.value`) }),
  };
}

function matchSent(
  event: string | undefined,
  page: string | undefined,
  path: string,
): Pick<Goal, "event"> {
  if (page !== undefined) return { event: pageViewEvent };
  if (event !== undefined) return { event };
  throw invalidField(path, `"${path}" is required.`);
}

/** An event that stands as a goal: its name, or `{"goal": "Order"}`. */
export function eventOrGoal(
  sent: string | { readonly goal: string },
  field: string,
  goals: Goals,
): Goal {
  if (typeof sent !== "string") return goalNamed(goals.named(sent.goal));
  const event = sent.trim();
  if (event !== "" && codePointCount(event) <= eventNameCharsMax) return plainGoal(event);
  throw invalidField(
    field,
    `"${field}" must be an event name of 1 to ${eventNameCharsMax} characters, or {"goal": "<name>"}.`,
  );
}
