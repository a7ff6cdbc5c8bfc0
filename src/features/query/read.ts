import type { CountRequest } from "../../domain/counting";
import type { Condition } from "../../domain/filter";
import type { Group, Metric, Selection } from "../../domain/metric";
import { allTime, type Days, datesOf, windowOf } from "../../domain/period";
import type { Person } from "../../domain/person";
import { compareLabels } from "../../lib/text";
import { matchedUsers } from "../../store/matched-users";
import type { Read, Snapshot } from "../../store/port";
import { bucketsWithin, PROJECT, SCOPE, type Sets, setsOf } from "../../store/segment-sets";
import type { Query } from "./schema";

export interface QueryInput {
  readonly projectId: string;
  readonly days: Days;
  readonly selection: Selection;
  readonly conditions: readonly Condition[];
  /** Counts only what this person did. */
  readonly person?: Person;
  readonly limit: number;
}
type Row = Query["rows"][number];

/** Groups of the window as JSON, in order and cut to the limit. */
export const QUERY = `
  with ${SCOPE}, ${PROJECT}
  select count_by(scope.segments, :from, :to, :request, project.segments) as rows from scope, project`;

/** POST /query of the contract. */
export const queryRead: Read<QueryInput, Query> = {
  name: "query",
  scope: ({ projectId, days, selection }) => ({
    projectIds: [projectId],
    ...(judgesSessions(selection) ? allTime : windowOf(days)),
  }),
  run(snapshot, asked) {
    const { projectId, days, selection } = asked;
    const input = { ...asked, conditions: [...asked.conditions, ...ofPerson(snapshot, asked)] };
    const { metrics, groupBy } = selection;
    const sets = setsOf(snapshot.project(projectId), windowOf(days));
    const found = groupBy.includes("date")
      ? rowsByDate(snapshot, sets, input)
      : rowsOf(snapshot, sets, requestOf(input));
    const names = [...groupBy, ...metrics];
    const rows = found.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
    const group_by = [...groupBy];
    return { period: datesOf(days), metrics: [...metrics], group_by, rows, count: rows.length };
  },
};

function ofPerson(snapshot: Snapshot, { projectId, person }: QueryInput): Condition[] {
  if (person === undefined) return [];
  const value = matchedUsers(snapshot, projectId, person);
  return [{ field: "user_id", op: "in", value }];
}

const judgesSessions = ({ metrics }: Selection): boolean =>
  metrics.includes("bounce_rate") || metrics.includes("avg_duration");

function rowsOf(snapshot: Snapshot, sets: Sets, request: CountRequest): Row[] {
  const found = snapshot.row<{ rows: string }>(QUERY, {
    ...sets,
    request: JSON.stringify(request),
  });
  return JSON.parse(found?.rows ?? "[]");
}

/**
 * Days are told apart here, everything else in the function. Each day brings its best rows in order, and the best of
 * all are among them; in order of date, the days that are not shown are not looked at.
 */
function rowsByDate(snapshot: Snapshot, sets: Sets, input: QueryInput): Row[] {
  const { days, limit, selection } = input;
  const request = { ...requestOf(input), sessions_within: windowOf(days) };
  const inOrder = inOrderOf(selection);
  const dates = bucketsWithin(snapshot, sets, days, "day");
  let rows: Row[] = [];
  for (const { label, fromMs, toMs } of selection.order === "asc" ? dates : dates.toReversed()) {
    const ofDay = rowsOf(snapshot, { ...sets, from: fromMs, to: toMs }, request);
    rows.push(...ofDay.map((row) => ({ ...row, date: label })));
    if (selection.orderBy === "date" && rows.length >= limit) break;
    if (rows.length >= keptRowsMax) rows = rows.sort(inOrder).slice(0, limit);
  }
  return rows.sort(inOrder).slice(0, limit);
}
/** Rows of many days are cut back to the limit now and then, so that they do not add up. */
const keptRowsMax = 20_000;

function requestOf({ selection, conditions, limit }: QueryInput): CountRequest {
  const { metrics, groupBy, countMode, orderBy, order } = selection;
  return {
    group_by: groupBy.filter((name) => name !== "date"),
    metrics,
    count_mode: countMode,
    filters: conditions,
    order_by: orderBy === "date" ? "labels" : orderBy,
    order,
    limit,
    always_one_row: groupBy.length === 0,
  };
}

/** By the asked column, ties by the groups ascending in their order. */
function inOrderOf({ orderBy, order, groupBy }: Selection): (a: Row, b: Row) => number {
  const sign = order === "asc" ? 1 : -1;
  const compare = (a: Row, b: Row, name: Metric | Group): number =>
    compareLabels(a[name] ?? null, b[name] ?? null);
  return (a, b) => {
    const first = sign * compare(a, b, orderBy);
    if (first !== 0) return first;
    for (const name of groupBy) {
      const next = compare(a, b, name);
      if (next !== 0) return next;
    }
    return 0;
  };
}
