import type { NamedGoal } from "../../domain/goals/definition";
import { definitionShown } from "../../domain/goals/fields";
import type { Goals } from "../../domain/goals/goals";
import { isObject } from "./input";

/** The input of a request that names goals by their ids, and the goals that it names. */
interface InputWithIds {
  readonly input: unknown;
  readonly named: readonly NamedGoal[];
}

/** Names change, and ids do not: the request of a receipt asks the same again. */
export function withGoalIds(input: unknown, goals: Goals | null): InputWithIds {
  const named = new Map<string, NamedGoal>();
  const idOf = (text: string): string => {
    const goal = goals?.find(text);
    if (goal === undefined) return text;
    named.set(goal.id, goal);
    return goal.id;
  };
  const told = replaced(input, idOf);
  if (asksForAll(input)) for (const goal of goals?.all ?? []) named.set(goal.id, goal);
  return { input: told, named: [...named.values()] };
}

/** `goals: true` asks for all goals of the project, in a question or in one of several. */
const asksForAll = (input: unknown): boolean =>
  isObject(input) &&
  (input.goals === true || (Array.isArray(input.queries) && input.queries.some(asksForAll)));

function replaced(value: unknown, idOf: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, idOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (typeof item !== "string") return [key, replaced(item, idOf)];
      if (key === "goal") return [key, idOf(item)];
      return [key, key === "filters" ? inFiltersText(item, idOf) : item];
    }),
  );
}

/** Filters of a query string are JSON; a text that names no goal stays as it was sent. */
function inFiltersText(text: string, idOf: (name: string) => string): string {
  if (!text.includes('"goal"')) return text;
  const filters: unknown = JSON.parse(text);
  return JSON.stringify(replaced(filters, idOf));
}

/** The definitions of goals for a receipt; a share gets only their ids and names. */
export const definitionsOf = (goals: readonly NamedGoal[], isShare: boolean): readonly object[] =>
  goals.map((goal) => {
    const { id, name } = goal;
    return isShare ? { id, name } : { id, name, ...definitionShown(goal) };
  });
