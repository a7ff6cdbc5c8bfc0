import type { GoalNamesAnswer } from "../data/goal-rows";
import * as queries from "../data/queries";
import { useRead } from "../data/reads";
import { place } from "../state/route";

/** The goals of the project; none until they are there. */
export const useGoalNames = (): GoalNamesAnswer["goals"] =>
  useRead<GoalNamesAnswer>("Names of goals", queries.goalNames(place.value.project)).data?.goals ??
  [];

/** Returns the name of a goal that a filter names by its id, or by its name in another case; else the text itself. */
export function goalNameIn(goals: GoalNamesAnswer["goals"], named: string): string {
  const wanted = named.trim().toLowerCase();
  const goal =
    goals.find(({ id }) => id === named) ?? goals.find(({ name }) => name.toLowerCase() === wanted);
  return goal?.name ?? named;
}
