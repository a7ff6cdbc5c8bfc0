import type { CountRequest } from "../../../domain/counting";
import { countGroupsMax } from "../../../domain/limits";
import { isDateGroup, type PairedPiece } from "../../../domain/time-groups";
import type { TimeWindow } from "../../../domain/time-window";
import { compareLabels } from "../../../lib/text";
import type { CountedRow } from "../functions/counted";
import type { Label } from "../scan/vector";
import { tooManyGroups } from "../sets/group-table";

/** The labels of some dates that are counted together, and the first date of their hours. */
export type PieceLabels = Pick<PairedPiece, "labels" | "day">;

interface Rows<Row> {
  readonly rows: Row[];
  readonly groups_total: number;
}

/** How a question counts a piece. */
interface PieceCount<Piece, Row> {
  /** Returns the rows of a piece, with its labels. */
  count(piece: Piece, request: CountRequest): Rows<Row>;
  /** Returns the cells of a row by which rows are ordered. */
  cellsOf(row: Row): CountedRow;
}

/** When there are this many rows of several pieces, only the best rows up to the limit stay. */
const sortedRowsMin = 20_000;

/**
 * Counts the pieces of a window, which are in the order of the request. Each piece returns its best rows, and the best
 * rows of the window are among them. If the order is one of time, the pieces behind the limit only count their groups.
 */
export function countPieces<Piece extends PieceLabels, Row>(
  pieces: readonly Piece[],
  request: CountRequest,
  { count, cellsOf }: PieceCount<Piece, Row>,
): Rows<Row> {
  const { limit = Number.POSITIVE_INFINITY, groups_max: groupsMax = countGroupsMax } = request;
  const orderBy = orderOf(request);
  const ofPiece: CountRequest = {
    ...request,
    group_by: request.group_by.filter((name) => !isDateGroup(name)),
    order_by: isDateGroup(orderBy) ? "labels" : orderBy,
  };
  const compare = comparisonOf(request);
  const inOrder = (a: Row, b: Row): number => compare(cellsOf(a), cellsOf(b));
  let rows: Row[] = [];
  let groups = 0;
  let lastShown: Label = null;
  for (const piece of pieces) {
    const time = timeLabel(piece, orderBy);
    const isFull = rows.length >= limit && time !== null && time !== lastShown;
    const counted = count(piece, isFull ? justGroups(ofPiece) : ofPiece);
    groups += counted.groups_total;
    if (groups > groupsMax) throw tooManyGroups(groupsMax);
    for (const row of counted.rows) rows.push(row);
    if (!isFull) lastShown = time;
    if (rows.length >= sortedRowsMin) rows = rows.sort(inOrder).slice(0, limit);
  }
  return { rows: rows.sort(inOrder).slice(0, limit), groups_total: groups };
}

export const orderOf = ({ order_by: orderBy, metrics }: CountRequest): string =>
  orderBy ?? metrics[0];

/** Returns the label of a piece by which rows are ordered; null if the order is not one of time. */
export function timeLabel({ labels, day }: PieceLabels, orderBy: string): Label {
  if (orderBy === "hour") return day;
  return isDateGroup(orderBy) ? (labels[orderBy] ?? null) : null;
}

/** Returns a request that counts the groups but returns none of their rows. */
const justGroups = (request: CountRequest): CountRequest => ({
  ...request,
  metrics: ["event_count"],
  count_mode: "raw",
  order_by: "labels",
  limit: 0,
});

/** Returns a comparison by the requested column. The labels decide ties, in ascending order. */
function comparisonOf(request: CountRequest) {
  const orderBy = orderOf(request);
  const sign = request.order === "asc" ? 1 : -1;
  const compare = (a: CountedRow, b: CountedRow, name: string): number =>
    compareLabels(a[name] ?? null, b[name] ?? null);
  return (a: CountedRow, b: CountedRow): number => {
    const first = sign * compare(a, b, orderBy);
    if (first !== 0) return first;
    for (const name of request.group_by) {
      const next = compare(a, b, name);
      if (next !== 0) return next;
    }
    return 0;
  };
}

/** Returns the part of a window that another window has too. */
export const common = (a: TimeWindow, b: TimeWindow): TimeWindow => ({
  fromMs: Math.max(a.fromMs, b.fromMs),
  toMs: Math.min(a.toMs, b.toMs),
});
