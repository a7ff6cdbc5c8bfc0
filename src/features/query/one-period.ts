import { datesOf, windowOf } from "../../domain/period";
import { cutOf } from "../../reads/cut";
import { viewOf } from "../../reads/view";
import { warningsOf } from "../../reads/warnings";
import type { Snapshot } from "../../store/questions";
import {
  aboutOf,
  goalIn,
  inColumns,
  ofGoal,
  onceIn,
  type QueryInput,
  requestOf,
  suspects,
  withDate,
} from "./question";
import type { QueryResult } from "./schema";

/** Answers about one period, within the snapshot of the caller. */
export async function answerOf(snapshot: Snapshot, input: QueryInput): Promise<QueryResult> {
  const { projectId, days, selection, filters } = input;
  const { metrics, groupBy } = selection;
  const request = await requestOf(snapshot, input);
  const view = onceIn(viewOf(projectId, days, filters), input, request.filters);
  const { rows: found, groups_total } = await snapshot.countBy(view, {
    ...request,
    ...goalIn(input, { ...windowOf(days), zone: days.zone }),
  });
  const rows = found.map((row) => withDate(inColumns(row, [...groupBy, ...metrics])));
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
