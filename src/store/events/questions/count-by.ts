import type { CountRequest } from "../../../domain/counting";
import { dayOf } from "../../../domain/event";
import type { Days } from "../../../domain/period";
import { compareLabels } from "../../../lib/text";
import type { CountRow, View } from "../../questions";
import { countBy } from "../functions/count-by";
import type { Label } from "../functions/counting/labels";
import type { OpenSnapshot } from "./open-snapshot";
import { bucketsWithEvents } from "./stored-days";

type Row = Record<string, Label>;

/** Rows of groups and metrics. Dates are told apart here, everything else in the vector function. */
export function countRows<Request extends CountRequest>(
  snapshot: OpenSnapshot,
  view: View,
  request: Request,
): CountRow<Request>[] {
  const rows = request.group_by.includes("date")
    ? rowsByDate(snapshot, view, request)
    : rowsOf(snapshot, view, request);
  return rows as CountRow<Request>[];
}

const rowsOf = (snapshot: OpenSnapshot, view: View, request: CountRequest): Row[] =>
  countBy(snapshot.context, snapshot.segmentsWithin(view), view, request, () =>
    snapshot.segmentsOf(view.projectId),
  );

/** Rows of many days are cut back to the limit now and then, so that they do not add up. */
const keptRowsMax = 20_000;

/**
 * Each day brings its best rows in order, and the best of all are among them; in order of date, the days that are not
 * shown are not looked at.
 */
function rowsByDate(snapshot: OpenSnapshot, view: View, request: CountRequest): Row[] {
  const { projectId, fromMs, toMs } = view;
  const { limit = Number.POSITIVE_INFINITY, order_by: orderBy = request.metrics[0] } = request;
  const ofDay: CountRequest = {
    ...request,
    group_by: request.group_by.filter((name) => name !== "date"),
    order_by: orderBy === "date" ? "labels" : orderBy,
    sessions_within: { fromMs, toMs },
  };
  const inOrder = inOrderOf({ ...request, order_by: orderBy });
  const days: Days = { from: dayOf(fromMs), to: dayOf(toMs - 1) };
  const dates = bucketsWithEvents(snapshot, projectId, days, "day");
  let rows: Row[] = [];
  for (const { label, ...window } of request.order === "asc" ? dates : dates.toReversed()) {
    const found = rowsOf(snapshot, { ...view, ...window }, ofDay);
    rows.push(...found.map((row) => ({ ...row, date: label })));
    if (orderBy === "date" && rows.length >= limit) break;
    if (rows.length >= keptRowsMax) rows = rows.sort(inOrder).slice(0, limit);
  }
  return rows.sort(inOrder).slice(0, limit);
}

/** By the asked column, ties by the groups ascending in their order. */
function inOrderOf({ order_by: orderBy = "", order, group_by: groupBy }: CountRequest) {
  const sign = order === "asc" ? 1 : -1;
  const compare = (a: Row, b: Row, name: string): number =>
    compareLabels(a[name] ?? null, b[name] ?? null);
  return (a: Row, b: Row): number => {
    const first = sign * compare(a, b, orderBy);
    if (first !== 0) return first;
    for (const name of groupBy) {
      const next = compare(a, b, name);
      if (next !== 0) return next;
    }
    return 0;
  };
}
