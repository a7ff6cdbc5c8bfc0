import type { CountRequest } from "../../../domain/counting";
import { isoDate } from "../../../domain/event";
import { countGroupsMax } from "../../../domain/limits";
import { type Days, windowOf } from "../../../domain/period";
import {
  isDateGroup,
  isTimeGroup,
  type PairedPiece,
  type PeriodPieces,
  pairedPieces,
} from "../../../domain/time-groups";
import { compareLabels } from "../../../lib/text";
import type { ComparedPeriod, ComparedRows } from "../../questions";
import { type ComparedCount, type ComparedSide, countCompared } from "../functions/count-compared";
import type { Label } from "../scan/vector";
import { tooManyGroups } from "../sets/group-table";
import { common, inOrderOf, justGroups, keptRowsMax, type Row } from "./count-by";
import type { OpenSnapshot } from "./open-snapshot";
import { storedDays } from "./stored-days";

/** Counts groups in two periods. As in count-by.ts, this file separates dates, weeks and months. */
export function comparedRows<Request extends CountRequest>(
  snapshot: OpenSnapshot,
  current: ComparedPeriod,
  previous: ComparedPeriod,
  request: Request,
): ComparedRows<Request> {
  const periods = { current, previous };
  const counted = request.group_by.some(isTimeGroup)
    ? comparedByTime(snapshot, periods, request)
    : comparedIn(snapshot, periods, { current: current.days, previous: previous.days }, request);
  const { retainedFromMs } = snapshot.project(current.projectId);
  return { ...counted, retained_from_ms: retainedFromMs } as ComparedRows<Request>;
}

interface Periods {
  readonly current: ComparedPeriod;
  readonly previous: ComparedPeriod;
}
type Pair = ComparedCount["rows"][number];

/** Counts some dates of both periods. */
function comparedIn(
  snapshot: OpenSnapshot,
  { current, previous }: Periods,
  days: { readonly current: Days | null; readonly previous: Days | null },
  request: CountRequest,
): ComparedCount {
  const sides = {
    current: sideIn(snapshot, current, days.current),
    previous: sideIn(snapshot, previous, days.previous),
  };
  const sessionsWithin = [windowOf(current.days), windowOf(previous.days)];
  return countCompared(snapshot.context, sides, request, sessionsWithin, () =>
    snapshot.segmentsOf(current.projectId),
  );
}

function sideIn(snapshot: OpenSnapshot, period: ComparedPeriod, days: Days | null): ComparedSide {
  const { goal } = period;
  if (days === null) return { segments: [], window: { ...period, fromMs: 0, toMs: 0 }, goal };
  const window = { ...period, ...common(period, windowOf(days)) };
  return { segments: snapshot.segmentsWithin(window), window, goal };
}

/** Divides both periods into pieces, and compares the pieces at the same place. */
function comparedByTime(
  snapshot: OpenSnapshot,
  periods: Periods,
  request: CountRequest,
): ComparedCount {
  const { limit = Number.POSITIVE_INFINITY, order_by: orderBy = request.metrics[0] } = request;
  const { groups_max: groupsMax = countGroupsMax } = request;
  const within: CountRequest = {
    ...request,
    group_by: request.group_by.filter((name) => !isDateGroup(name)),
    order_by: isDateGroup(orderBy) ? "labels" : orderBy,
  };
  const compareRows = inOrderOf({ ...request, order_by: orderBy });
  const inOrder = (a: Pair, b: Pair): number => compareRows(a.current, b.current);
  let rows: Pair[] = [];
  let groups = 0;
  let lastShown: Label = null;
  for (const piece of piecesInOrder(snapshot, periods, { ...request, order_by: orderBy })) {
    const place = timeLabelOf(piece, orderBy);
    const isFull = rows.length >= limit && place !== null && place !== lastShown;
    const compared = comparedIn(snapshot, periods, piece, isFull ? justGroups(within) : within);
    groups += compared.groups_total;
    if (groups > groupsMax) throw tooManyGroups(groupsMax);
    for (const { current, previous } of compared.rows) {
      rows.push({ current: named(current, piece), previous: named(previous, piece) });
    }
    if (!isFull) lastShown = place;
    if (rows.length >= keptRowsMax) rows = rows.sort(inOrder).slice(0, limit);
  }
  return { rows: rows.sort(inOrder).slice(0, limit), groups_total: groups };
}

/** Returns the label of a piece by which rows are ordered; null if the order is not one of time. */
function timeLabelOf({ labels, day }: PairedPiece, orderBy: string): Label {
  if (orderBy === "hour") return day;
  return isDateGroup(orderBy) ? (labels[orderBy] ?? null) : null;
}

/** Returns a row with the dates and hours of the first period. */
function named(row: Row, { labels, day }: PairedPiece): Row {
  const { hour } = row;
  const shown = typeof hour === "string" ? { hour: isoDate(day) + hour.slice(dateLength) } : {};
  return { ...row, ...shown, ...labels };
}
const dateLength = "YYYY-MM-DD".length;

function piecesInOrder(
  snapshot: OpenSnapshot,
  { current, previous }: Periods,
  { group_by: groupBy, order_by: orderBy = "", order }: CountRequest,
): PairedPiece[] {
  const piecesOf = ({ projectId, days }: ComparedPeriod): PeriodPieces => ({
    firstDay: days.from,
    stored: storedDays(snapshot, projectId, days)?.days ?? null,
  });
  const pieces = pairedPieces(piecesOf(current), piecesOf(previous), groupBy.filter(isTimeGroup));
  const sign = order === "asc" ? 1 : -1;
  return pieces.sort(
    (a, b) => sign * compareLabels(timeLabelOf(a, orderBy), timeLabelOf(b, orderBy)),
  );
}
