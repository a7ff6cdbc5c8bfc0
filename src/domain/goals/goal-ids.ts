import { isObject } from "../../lib/is-object";
import type { NamedGoal } from "./definition";
import type { Goals } from "./goals";

/** An input that names goals by their ids, and the goals that it names. */
interface InputWithIds {
  readonly input: unknown;
  readonly named: readonly NamedGoal[];
}

/** Puts ids in place of the names of goals: names change, and ids do not. */
export function withGoalIds(input: unknown, goals: Goals | null): InputWithIds {
  const named = new Map<string, NamedGoal>();
  const idOf = (text: string): string => {
    const goal = goals?.find(text);
    if (goal === undefined) return text;
    named.set(goal.id, goal);
    return goal.id;
  };
  const output = replaceGoals(input, idOf);
  return { input: output, named: [...named.values()] };
}

/**
 * Replaces the names and ids of goals in an input. It leaves the value of a condition as it is, which may contain any
 * text.
 */
export function replaceGoals(value: unknown, idOf: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceGoals(item, idOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === "value") return [key, item];
      if (typeof item !== "string") return [key, replaceGoals(item, idOf)];
      if (key === "goal") return [key, idOf(item)];
      return [key, key === "filters" ? inFiltersText(item, idOf) : item];
    }),
  );
}

/** Replaces goals in the filters of a query string, which are JSON; a text without a goal stays as it is. */
function inFiltersText(text: string, idOf: (name: string) => string): string {
  if (!text.includes('"goal"')) return text;
  const filters: unknown = JSON.parse(text);
  return JSON.stringify(replaceGoals(filters, idOf));
}
