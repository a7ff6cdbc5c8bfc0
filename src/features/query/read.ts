import type { Condition } from "../../domain/filter";
import type { FilterItem } from "../../domain/filter-items";
import type { Selection } from "../../domain/metric";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import type { Person } from "../../domain/person";
import { matchedUsers } from "../../reads/matched-users";
import { namesIn, unseenEvents } from "../../reads/unseen-events";
import { viewOf } from "../../reads/view";
import type { Read } from "../../store/port";
import type { Snapshot } from "../../store/questions";
import type { QueryBatch, QueryResult } from "./schema";

/** The same for POST /query. */
const queryGroupsMax = 1_000_000;

export interface QueryInput {
  readonly projectId: string;
  readonly days: Days;
  readonly selection: Selection;
  readonly filters?: readonly FilterItem[] | undefined;
  /** Counts only what this person did. */
  readonly person?: Person;
  readonly limit: number;
  /** Of a share: what lies outside of them must not show, not even whether an event of a name exists. */
  readonly narrowedBy?: readonly FilterItem[];
}

/** POST /query of the contract. */
export const queryRead: Read<QueryInput, QueryResult> = {
  name: "query",
  isFiltered: true,
  scope: ({ projectId, days, selection }) => ({
    projectIds: [projectId],
    ...(judgesSessions(selection) ? allTime : windowOf(days)),
  }),
  run: answerOf,
};

/** Several of these in one snapshot. */
export const queryBatchRead: Read<{ readonly questions: readonly QueryInput[] }, QueryBatch> = {
  name: "query-batch",
  isFiltered: true,
  scope({ questions }) {
    const scopes = questions.map(queryRead.scope);
    return {
      projectIds: [...new Set(scopes.flatMap(({ projectIds }) => projectIds))],
      fromMs: Math.min(...scopes.map(({ fromMs }) => fromMs)),
      toMs: Math.max(...scopes.map(({ toMs }) => toMs)),
    };
  },
  async run(snapshot, { questions }) {
    const results: QueryResult[] = [];
    for (const question of questions) results.push(await answerOf(snapshot, question));
    return { results };
  },
};

async function answerOf(snapshot: Snapshot, input: QueryInput): Promise<QueryResult> {
  const { projectId, days, selection, filters, limit } = input;
  const { metrics, groupBy, countMode, orderBy, order } = selection;
  const view = viewOf(projectId, days, filters);
  const { rows: found, groups_total } = await snapshot.countBy(view, {
    group_by: groupBy,
    metrics,
    count_mode: countMode,
    filters: await ofPerson(snapshot, input),
    order_by: orderBy,
    order,
    limit,
    groups_max: queryGroupsMax,
    always_one_row: groupBy.length === 0,
  });
  const names = [...groupBy, ...metrics];
  const rows = found.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
  const group_by = [...groupBy];
  return {
    ...{ period: datesOf(days), metrics: [...metrics], group_by, rows, count: rows.length },
    ...(groups_total > rows.length && { truncated: true, groups_total }),
    count_mode: selection.countMode,
    ...(await unseenEvents(snapshot, viewOf(projectId, days), suspects(input, rows))),
  };
}

/** Names that may be misspelt: of what nothing was found by, and of all that was left out. */
function suspects({ filters = [], narrowedBy }: QueryInput, rows: QueryResult["rows"]): string[] {
  if (narrowedBy !== undefined) return [];
  const isEmpty = rows.every((row) => Object.values(row).every((value) => value === 0));
  return namesIn(filters, isEmpty ? ["eq", "neq"] : ["neq"]);
}

async function ofPerson(
  snapshot: Snapshot,
  { projectId, person }: QueryInput,
): Promise<Condition[]> {
  if (person === undefined) return [];
  const value = await matchedUsers(snapshot, projectId, person);
  return [{ field: "user_id", op: "in", value }];
}

const judgesSessions = ({ metrics }: Selection): boolean =>
  metrics.includes("bounce_rate") || metrics.includes("avg_duration");
