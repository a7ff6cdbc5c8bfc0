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

/** Counts groups. This file separates dates, weeks and months; the vector function separates all other groups. */
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

/** When there are this many rows of several days, only the best rows up to the limit stay. */
export const keptRowsMax = 20_000;

/**
 * Divides the window into pieces of one date, week or month, and counts each. Each piece returns its best rows, and the
 * best rows of the window are among them. If the order is one of time, the pieces behind the limit only count their
 * groups.
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
    const pieceRequest = isFull ? justGroups(within) : within;
    const piece = { ...view, ...common(view, windowOf(days)) };
    const counted = countedIn(snapshot, piece, pieceRequest, segmentsIn(piece));
    groups += counted.groups_total;
    if (groups > groupsMax) throw tooManyGroups(groupsMax);
    rows.push(...counted.rows.map((row) => ({ ...row, ...labels })));
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

/** Returns a request that counts the groups but returns none of their rows. */
export const justGroups = (request: CountRequest): CountRequest => ({
  ...request,
  metrics: ["event_count"],
  count_mode: "raw",
  order_by: "labels",
  limit: 0,
});

/** Returns a comparison by the requested column. The labels decide ties, in ascending order. */
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
