import { judgesSessions } from "../../domain/metric";
import { allTime, datesOf, windowOf } from "../../domain/period";
import { cutOf } from "../../reads/cut";
import { viewOf } from "../../reads/view";
import { warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { Snapshot } from "../../store/questions";
import { type ComparedInput, comparedAnswer, queryComparedRead } from "./compared";
import {
  aboutOf,
  goalIn,
  idsAsked,
  inColumns,
  ofGoal,
  onceIn,
  type QueryInput,
  requestOf,
  suspects,
} from "./question";
import type { ComparedResult, QueryBatch, QueryResult } from "./schema";

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

export type Question = QueryInput | ComparedInput;
export const isCompared = (question: Question): question is ComparedInput => "compare" in question;

/** Several of these in one snapshot. */
export const queryBatchRead: Read<{ readonly questions: readonly Question[] }, QueryBatch> = {
  name: "query-batch",
  scope({ questions }) {
    const scopes = questions.map((question) =>
      isCompared(question) ? queryComparedRead.scope(question) : queryRead.scope(question),
    );
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
    const results: (QueryResult | ComparedResult)[] = [];
    for (const question of questions) {
      results.push(
        isCompared(question)
          ? await comparedAnswer(snapshot, question)
          : await answerOf(snapshot, question),
      );
    }
    return { results };
  },
};

async function answerOf(snapshot: Snapshot, input: QueryInput): Promise<QueryResult> {
  const { projectId, days, selection, filters } = input;
  const { metrics, groupBy } = selection;
  const request = await requestOf(snapshot, input);
  const view = onceIn(viewOf(projectId, days, filters), input, request.filters);
  const { rows: found, groups_total } = await snapshot.countBy(view, {
    ...request,
    ...goalIn(input, { ...windowOf(days), zone: days.zone }),
  });
  const rows = found.map((row) => inColumns(row, [...groupBy, ...metrics]));
  const group_by = [...groupBy];
  const about = aboutOf(input, request.filters, rows);
  return {
    ...{ period: datesOf(days), ...ofGoal(input), metrics: [...metrics] },
    ...{ group_by, rows, count: rows.length },
    ...cutOf(groups_total, rows.length),
    count_mode: selection.countMode,
    ...(await warningsOf(snapshot, about, { days }, suspects(input, rows))),
  };
}
