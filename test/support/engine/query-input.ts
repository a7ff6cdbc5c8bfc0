import type { FilterRequest } from "../../../src/domain/filter";
import { selectionOf } from "../../../src/domain/metric";
import { goalOf, type SentGoal } from "../../../src/domain/sent-goal";
import type { QueryInput } from "../../../src/features/query/question";
import { lastDays, projectId } from "./examples";
import { filtersOf } from "./filters";
import { noGoals } from "./no-goals";

/** A question of POST /query in the words of its body, about the last eight dates of the examples. */
export interface Asked extends NonNullable<Parameters<typeof selectionOf>[0]> {
  readonly filters?: readonly FilterRequest[];
  readonly goal?: SentGoal;
  readonly user?: string;
  readonly limit?: number;
}

export function inputOf({
  filters = [],
  goal: sent,
  user,
  limit = 100,
  ...words
}: Asked): QueryInput {
  const person = user !== undefined && { userId: user, emailDigests: [], members: [] };
  const selection = selectionOf(words);
  const input = { projectId, days: lastDays, selection, limit, filters: filtersOf(filters) };
  const goal = goalOf(sent, selection.metrics, noGoals);
  return { ...input, ...(goal && { goal }), ...(person && { person }) };
}
