/*
 * Filters of shares, alerts and reports keep the definitions of their goals.
 * Decision: stored filters hold the definition that each goal has when they are saved. Changing or deleting the goal
 * changes none of them.
 * Because: a share must never show more than its owner saw, and an alert or a report must not stop or count something
 * else because somebody edits a goal. Experiments do the same.
 * Cost: a changed goal reaches an alert or a report only when its filters are saved again.
 */

import { isObject } from "../lib/is-object";
import type { FilterItem } from "./filter-items";
import type { NamedGoal } from "./goals/definition";
import { definitionShown } from "./goals/fields";
import { replaceGoals, withGoalIds } from "./goals/goal-ids";
import { Goals } from "./goals/goals";
import { filterItems } from "./sent-filters";

/** The last item of a stored list whose filters name goals. */
interface GoalsItem {
  readonly goals: readonly NamedGoal[];
}
/** Filters have no list of goals: the checks refuse such a field, unless it is null, which is the same as absent. */
const isGoalsItem = (item: unknown): item is GoalsItem =>
  isObject(item) && Array.isArray(item.goals);

type List = readonly unknown[] | null | undefined;

/** Checks the filters of a request and returns the list to store. Throws the same errors as filterItems. */
export function filtersToStore(sent: readonly unknown[], goals: Goals): readonly unknown[] {
  filterItems(sent, goals);
  const items = sent.map((item) => withGoalIds(item, goals));
  const named = new Map(items.flatMap((item) => item.named.map((goal) => [goal.id, goal])));
  const filters = items.map(({ input }) => input);
  if (named.size === 0) return filters;
  const goalsItem: GoalsItem = { goals: [...named.values()].map(definitionIn) };
  return [...filters, goalsItem];
}

const definitionIn = ({ id, name, event, page, filters, value, oncePer }: NamedGoal) => ({
  ...{ id, name, event, page, filters, value, oncePer },
});

/** Returns the filters of a stored list in the form of requests, and the stored definitions of their goals. */
export function splitStoredFilters(list: List): {
  readonly filters: unknown[];
  readonly goals: readonly NamedGoal[];
} {
  const filters = (list ?? []).filter((item) => !isGoalsItem(item));
  return { filters, goals: (list ?? []).filter(isGoalsItem).flatMap(({ goals }) => goals) };
}

/** The same in the form of answers. */
export function storedFiltersForAnswer(list: List) {
  const { filters, goals } = splitStoredFilters(list);
  const shown = goals.map((goal) => ({ id: goal.id, name: goal.name, ...definitionShown(goal) }));
  return { filters, ...(shown.length > 0 && { goals: shown }) };
}

/** Returns the filters with the names of their goals at the time of saving, as the goals may no longer exist. */
export function storedFiltersWithNames(list: List): unknown[] {
  const { filters, goals } = splitStoredFilters(list);
  const known = new Goals(() => goals);
  return filters.map((filter) => replaceGoals(filter, (text) => known.find(text)?.name ?? text));
}

/** Returns the filter items of a stored list. */
export function storedFilterItems(list: List): FilterItem[] {
  const { filters, goals } = splitStoredFilters(list);
  return filterItems(filters, new Goals(() => goals));
}
