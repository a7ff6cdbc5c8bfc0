import { type Condition, conditionOf, eventConditions } from "./filter";
import { type FilterItem, type FilterScope, ofAllSessions, within } from "./filter-items";
import type { GoalDefinition, GoalValue, NamedGoal } from "./goals/definition";
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

/**
 * Returns the conditions on an event of a goal, which every read of these events uses. The earliest event with a value
 * may belong to a session outside of the read's window.
 */
export function eventsOf({ event, filters, oncePer }: Goal): readonly FilterItem[] {
  const described = [...eventConditions(event), ...filters];
  if (oncePer === undefined) return described;
  const among = ofAllSessions(described);
  return [...described, { once_per: `properties.${oncePer}`, among, window: allTime }];
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

export const goalNamed = (
  goal: NamedGoal,
): Goal & { readonly named: NonNullable<Goal["named"]> } => ({
  ...goalOfDefinition(goal),
  named: { id: goal.id, name: goal.name },
});

/** The name of the event that a page view is. */
export const pageViewEvent = "page_view";

/** A `*` at the end stands for any rest. */
export const pageCondition = (page: string): Condition =>
  page.endsWith("*")
    ? { field: "page", op: "prefix", value: page.slice(0, -1) }
    : { field: "page", op: "eq", value: page };
