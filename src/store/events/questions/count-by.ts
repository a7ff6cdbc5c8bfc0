import type { CountRequest } from "../../../domain/counting";
import { countGroupsMax } from "../../../domain/limits";
import { windowOf } from "../../../domain/period";
import { isDateGroup, isTimeGroup, type Piece, piecesOf } from "../../../domain/time-groups";
import type { TimeWindow } from "../../../domain/time-window";
import { timeZoneOf } from "../../../domain/time-zone";
import { compareLabels } from "../../../lib/text";
import type { CountedRows, View } from "../../questions";
import { countBy } from "../functions/count-by";
import type { Counted } from "../functions/counted";
import type { Label } from "../scan/vector";
import { tooManyGroups } from "../sets/group-table";
import type { OpenSnapshot } from "./open-snapshot";
import { storedDays } from "./stored-days";

export type Row = Record<string, Label>;

/** Rows of groups and metrics. Dates, weeks and months are told apart here, all else in the vector function. */
export function countRows<Request extends CountRequest>(
  snapshot: OpenSnapshot,
  view: View,
  request: Request,
): CountedRows<Request> {
  const counted = request.group_by.some(isTimeGroup)
    ? countedByTime(snapshot, view, request)
    : countedIn(snapshot, view, request);
  return counted as CountedRows<Request>;
}

const countedIn = (
  snapshot: OpenSnapshot,
  view: View,
  request: CountRequest,
  segments = snapshot.segmentsWithin(view),
): Counted =>
  countBy(snapshot.context, segments, view, request, () => snapshot.segmentsOf(view.projectId));

/** Rows of many days are cut back to the limit now and then, so that they do not add up. */
export const keptRowsMax = 20_000;

/**
 * The window in pieces, in each of which all happened on one date, or in one week. Each brings its best rows in order,
 * and the best of all are among them; in order of time, of the pieces that are not shown only the groups are counted.
 */
function countedByTime(snapshot: OpenSnapshot, view: View, request: CountRequest): Counted {
  const { limit = Number.POSITIVE_INFINITY, order_by: orderBy = request.metrics[0] } = request;
  const { groups_max: groupsMax = countGroupsMax } = request;
  const { fromMs, toMs } = view;
  const within: CountRequest = {
    ...request,
    group_by: request.group_by.filter((name) => !isDateGroup(name)),
    order_by: isDateGroup(orderBy) ? "labels" : orderBy,
    sessions_within: { fromMs, toMs },
  };
  const inOrder = inOrderOf({ ...request, order_by: orderBy });
  const segmentsIn = snapshot.segmentsOfPieces(view);
  let rows: Row[] = [];
  let groups = 0;
  let lastShown: Label = null;
  for (const { days, labels } of piecesInOrder(snapshot, view, request)) {
    const place = orderBy === "hour" ? days.from : isDateGroup(orderBy) ? labels[orderBy] : null;
    const isFull = rows.length >= limit && place !== null && place !== lastShown;
    const asked = isFull ? justGroups(within) : within;
    const piece = { ...view, ...common(view, windowOf(days)) };
    const found = countedIn(snapshot, piece, asked, segmentsIn(piece));
    groups += found.groups_total;
    if (groups > groupsMax) throw tooManyGroups(groupsMax);
    rows.push(...found.rows.map((row) => ({ ...row, ...labels })));
    if (!isFull) lastShown = place ?? null;
    if (rows.length >= keptRowsMax) rows = rows.sort(inOrder).slice(0, limit);
  }
  return { rows: rows.sort(inOrder).slice(0, limit), groups_total: groups };
}

export const common = (a: TimeWindow, b: TimeWindow): TimeWindow => ({
  fromMs: Math.max(a.fromMs, b.fromMs),
  toMs: Math.min(a.toMs, b.toMs),
});

function piecesInOrder(snapshot: OpenSnapshot, view: View, request: CountRequest): Piece[] {
  const { projectId, fromMs, toMs, zone: zoneName } = view;
  const zone = timeZoneOf(zoneName);
  const days = { from: zone.dayAt(fromMs), to: zone.dayAt(toMs - 1), zone: zoneName };
  const stored = storedDays(snapshot, projectId, days);
  if (stored === null) return [];
  const pieces = piecesOf(stored.days, request.group_by.filter(isTimeGroup));
  return request.order === "asc" ? pieces : pieces.reverse();
}

/** Returns a request that counts the groups and nothing about them. */
export const justGroups = (request: CountRequest): CountRequest => ({
  ...request,
  metrics: ["event_count"],
  count_mode: "raw",
  order_by: "labels",
  limit: 0,
});

/** Compares by the requested column, and ties by the groups in their order, ascending. */
export function inOrderOf({ order_by: orderBy = "", order, group_by: groupBy }: CountRequest) {
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
