import type { NamedGoal } from "../../domain/goals/definition";
import { definitionShown } from "../../domain/goals/fields";
import { withGoalIds } from "../../domain/goals/goal-ids";
import type { Goals } from "../../domain/goals/goals";
import { isObject } from "./input";

/** Returns the input of a request with ids of goals, and these goals, so that its receipt can ask the same again. */
export function inputWithIds(sent: unknown, goals: Goals | null) {
  const { input, named } = withGoalIds(sent, goals);
  return { input, named: asksForAll(sent) ? (goals?.all ?? named) : named };
}

/** `goals: true` asks for all goals of the project, in a question or in one of several. */
const asksForAll = (input: unknown): boolean =>
  isObject(input) &&
  (input.goals === true || (Array.isArray(input.queries) && input.queries.some(asksForAll)));

/** The definitions of goals for a receipt; a share gets only their ids and names. */
export const definitionsOf = (goals: readonly NamedGoal[], isShare: boolean) =>
  goals.map((goal) => {
    const { id, name } = goal;
    return isShare ? { id, name } : { id, name, ...definitionShown(goal) };
  });
