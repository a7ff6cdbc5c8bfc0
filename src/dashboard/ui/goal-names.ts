import type { GoalNamesAnswer } from "../data/goal-rows";
import * as queries from "../data/queries";
import { useRead } from "../data/reads";
import { place } from "../state/route";

/** Returns the goals of the project; none before the answer. */
export const useGoalNames = (): GoalNamesAnswer["goals"] =>
  useRead<GoalNamesAnswer>("Names of goals", queries.goalNames(place.value.project)).data?.goals ??
  [];

/** Returns the goal with this id, or with this name, in upper or lower case. */
export function goalIn(goals: GoalNamesAnswer["goals"], named: string) {
  const wanted = named.trim().toLowerCase();
  return (
    goals.find(({ id }) => id === named) ?? goals.find(({ name }) => name.toLowerCase() === wanted)
  );
}
/** Returns the name of the goal that a text means; the text itself if it means none. */
export const goalNameIn = (goals: GoalNamesAnswer["goals"], named: string): string =>
  goalIn(goals, named)?.name ?? named;
