import { goalNames } from "./queries";
import { useRead } from "./reads";

interface GoalsAnswer {
  readonly goals: readonly {
    readonly id: string;
    readonly name: string;
    /** Shares get none. */
    readonly value?: { readonly currency: string | null } | null;
  }[];
}

/** A goal with a value, whose revenue lists of sessions and visitors show. */
export interface MoneyGoal {
  readonly id: string;
  readonly name: string;
  readonly currency: string | null;
}

/** Returns the oldest goal with a value; null if no goal has one, undefined before the answer. */
export function useMoneyGoal(project: string): MoneyGoal | null | undefined {
  const { data, error } = useRead<GoalsAnswer>("Names of goals", goalNames(project));
  if (data === undefined) return error === null ? undefined : null;
  const goal = data.goals.find(({ value }) => value != null);
  return goal ? { id: goal.id, name: goal.name, currency: goal.value?.currency ?? null } : null;
}
