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
  const told = goalsReplaced(input, idOf);
  return { input: told, named: [...named.values()] };
}

/**
 * Puts other texts in place of the names and ids of goals. The value with which a filter compares names no goal,
 * whatever is in it.
 */
export function goalsReplaced(value: unknown, idOf: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => goalsReplaced(item, idOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === "value") return [key, item];
      if (typeof item !== "string") return [key, goalsReplaced(item, idOf)];
      if (key === "goal") return [key, idOf(item)];
      return [key, key === "filters" ? inFiltersText(item, idOf) : item];
    }),
  );
}

/** Filters of a query string are JSON; a text that names no goal stays as it was sent. */
function inFiltersText(text: string, idOf: (name: string) => string): string {
  if (!text.includes('"goal"')) return text;
  const filters: unknown = JSON.parse(text);
  return JSON.stringify(goalsReplaced(filters, idOf));
}
