/*
 * Filters of shares, alerts and reports keep the goals that they name.
 * Decision: stored filters hold the definition that each goal has when they are saved. Changing or deleting the goal
 * changes none of them.
 * Because: a share must never let more through than its owner saw, and an alert or a letter must not stop, or count
 * something else, as somebody edits a goal. Experiments do the same.
 * Cost: a changed goal reaches an alert or a report only when its filters are saved again.
 */

import { isObject } from "../lib/is-object";
import type { FilterItem } from "./filter-items";
import type { NamedGoal } from "./goals/definition";
import { definitionShown } from "./goals/fields";
import { goalsReplaced, withGoalIds } from "./goals/goal-ids";
import { Goals } from "./goals/goals";
import { filterItems } from "./sent-filters";

/** The last item of a stored list whose filters name goals. */
interface KeptGoals {
  readonly goals: readonly NamedGoal[];
}
/** No filter has a list of goals: the checks refuse the field, unless it is null and so the same as absent. */
const keepsGoals = (item: unknown): item is KeptGoals =>
  isObject(item) && Array.isArray(item.goals);

type List = readonly unknown[] | null | undefined;

/** Checks filters as they were sent, and returns the list to store. Throws as filterItems does. */
export function filtersToStore(sent: readonly unknown[], goals: Goals): readonly unknown[] {
  filterItems(sent, goals);
  const items = sent.map((item) => withGoalIds(item, goals));
  const named = new Map(items.flatMap((item) => item.named.map((goal) => [goal.id, goal])));
  const filters = items.map(({ input }) => input);
  if (named.size === 0) return filters;
  const kept: KeptGoals = { goals: [...named.values()].map(definitionIn) };
  return [...filters, kept];
}

const definitionIn = ({ id, name, event, page, filters, value, oncePer }: NamedGoal) => ({
  ...{ id, name, event, page, filters, value, oncePer },
});

/** The filters of a stored list as they can be sent again, and the goals that they name, as these were. */
export function filtersStored(list: List): {
  readonly filters: unknown[];
  readonly goals: readonly NamedGoal[];
} {
  const filters = (list ?? []).filter((item) => !keepsGoals(item));
  return { filters, goals: (list ?? []).filter(keepsGoals).flatMap(({ goals }) => goals) };
}

/** The same as answers show it. */
export function filtersShown(list: List) {
  const { filters, goals } = filtersStored(list);
  const shown = goals.map((goal) => ({ id: goal.id, name: goal.name, ...definitionShown(goal) }));
  return { filters, ...(shown.length > 0 && { goals: shown }) };
}

/** The filters with the names that their goals had, for pages that show them when the goals may be gone. */
export function filtersNamed(list: List): unknown[] {
  const { filters, goals } = filtersStored(list);
  const known = new Goals(() => goals);
  return filters.map((filter) => goalsReplaced(filter, (text) => known.find(text)?.name ?? text));
}

/** The checked filters of a stored list. */
export function itemsStored(list: List): FilterItem[] {
  const { filters, goals } = filtersStored(list);
  return filterItems(filters, new Goals(() => goals));
}
