import type { Group, Metric } from "../../../src/domain/metric";
import type { Person } from "../../../src/domain/person";
import { queryComparedRead } from "../../../src/features/query/compared";
import { queryRead } from "../../../src/features/query/read";
import type { Answering } from "../engine/driven";
import { productGoal } from "../random/random-goals";
import type { Question } from "./questions";

function queryInput(
  { days, query, filters = [] }: Extract<Question, { ask: "query" | "compared" }>,
  projectId: string,
) {
  const { countMode, order, limit, conditions, goal, oncePer, userId } = query;
  const metrics = query.metrics.map((name) => name as Metric);
  const groupBy = query.groupBy.map((name) => name as Group);
  const orderBy = query.orderBy as Metric | Group;
  const selection = { metrics, groupBy, countMode, orderBy, order };
  const asked = {
    ...{ projectId, days, selection, limit, goal: productGoal(goal) },
    filters: [...conditions, ...filters],
    ...(oncePer !== undefined && { oncePer: `properties.${oncePer}` as const }),
  };
  return userId === null ? asked : { ...asked, person: personOf(userId) };
}

/** Returns the answer without the way in which it counted and the currency, which were asked for. */
export async function queryNumbers(
  question: Extract<Question, { ask: "query" }>,
  engine: Answering,
  projectId: string,
): Promise<unknown> {
  const answer = await engine.read(queryRead, queryInput(question, projectId));
  const { count_mode: _, currency: _ofGoal, ...numbers } = answer;
  return numbers;
}

/** Returns the answer without what is no number. */
export async function comparedNumbers(
  question: Extract<Question, { ask: "compared" }>,
  engine: Answering,
  projectId: string,
): Promise<unknown> {
  const { days, previous } = question;
  const until =
    days.untilMs === undefined || previous.untilMs === undefined
      ? null
      : { currentMs: days.untilMs, previousMs: previous.untilMs };
  const input = { ...queryInput(question, projectId), compare: { days: previous, until } };
  const answer = await engine.read(queryComparedRead, input);
  const { metrics, group_by, rows, count, truncated, groups_total, warnings } = answer;
  const cut = truncated && { truncated, groups_total };
  return { metrics, group_by, rows, count, ...cut, ...(warnings && { warnings }) };
}

export const personOf = (userId: string): Person => ({ userId, emailDigests: [], members: [] });
