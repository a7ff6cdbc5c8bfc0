import { judgesSessions } from "../../domain/metric";
import { allTime, windowOf } from "../../domain/period";
import type { Read } from "../../store/port";
import type { Snapshot } from "../../store/questions";
import { type ComparedInput, comparedAnswer, queryComparedRead } from "./compared";
import { type GoalRowsInput, goalRowsOf, queryGoalsRead } from "./goal-rows";
import { answerOf } from "./one-period";
import { idsAsked, type QueryInput } from "./question";
import type { QueryBatch, QueryResult } from "./schema";

/** POST /query. */
export const queryRead: Read<QueryInput, QueryResult> = {
  name: "query",
  scope: ({ projectId, days, selection }) => ({
    projectIds: [projectId],
    ...(judgesSessions(selection.metrics) ? allTime : windowOf(days)),
  }),
  idsOf: async (snapshot, input) => [await idsAsked(snapshot, input)],
  run: answerOf,
};

export type Question = QueryInput | ComparedInput | GoalRowsInput;
export const isOfGoals = (question: Question): question is GoalRowsInput => "goals" in question;
export const isCompared = (question: QueryInput | ComparedInput): question is ComparedInput =>
  "compare" in question;

/** Several of these in one snapshot. */
export const queryBatchRead: Read<{ readonly questions: readonly Question[] }, QueryBatch> = {
  name: "query-batch",
  scope({ questions }) {
    const scopes = questions.map((question) => {
      if (isOfGoals(question)) return queryGoalsRead.scope(question);
      return isCompared(question) ? queryComparedRead.scope(question) : queryRead.scope(question);
    });
    return {
      projectIds: [...new Set(scopes.flatMap(({ projectIds }) => projectIds))],
      fromMs: Math.min(...scopes.map(({ fromMs }) => fromMs)),
      toMs: Math.max(...scopes.map(({ toMs }) => toMs)),
    };
  },
  async idsOf(snapshot, { questions }) {
    const ids: (readonly string[] | null)[] = [];
    for (const question of questions) ids.push(await idsAsked(snapshot, question));
    return ids;
  },
  async run(snapshot, { questions }) {
    const results: QueryBatch["results"][number][] = [];
    for (const question of questions) results.push(await answerTo(snapshot, question));
    return { results };
  },
};

function answerTo(snapshot: Snapshot, question: Question) {
  if (isOfGoals(question)) return goalRowsOf(snapshot, question);
  return isCompared(question) ? comparedAnswer(snapshot, question) : answerOf(snapshot, question);
}
