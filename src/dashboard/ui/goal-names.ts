import type { GoalNamesAnswer } from "../data/goal-rows";
import * as queries from "../data/queries";
import { useRead } from "../data/reads";
import { place } from "../state/route";

/** Returns the goals of the project; none before the answer. */
export const useGoalNames = (): GoalNamesAnswer["goals"] =>
  useRead<GoalNamesAnswer>("Names of goals", queries.goalNames(place.value.project)).data?.goals ??
  [];

/** Returns the name of the goal with this id, or with this name in any case; else the text itself. */
export function goalNameIn(goals: GoalNamesAnswer["goals"], named: string): string {
  const wanted = named.trim().toLowerCase();
  const goal =
    goals.find(({ id }) => id === named) ?? goals.find(({ name }) => name.toLowerCase() === wanted);
  return goal?.name ?? named;
}
