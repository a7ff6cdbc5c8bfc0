import type { CountRequest } from "../../../domain/counting";
import { isoDate } from "../../../domain/event";
import { type Days, windowOf } from "../../../domain/period";
import {
  isTimeGroup,
  type PairedPiece,
  type PeriodPieces,
  pairedPieces,
} from "../../../domain/time-groups";
import { compareLabels } from "../../../lib/text";
import type { ComparedPeriod, ComparedRows } from "../../questions";
import { type ComparedCount, type ComparedSide, countCompared } from "../functions/count-compared";
import type { CountedRow } from "../functions/counted";
import type { OpenSnapshot } from "./open-snapshot";
import { common, countPieces, orderOf, timeLabel } from "./pieces";
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
const comparedByTime = (
  snapshot: OpenSnapshot,
  periods: Periods,
  request: CountRequest,
): ComparedCount =>
  countPieces<PairedPiece, Pair>(piecesInOrder(snapshot, periods, request), request, {
    count(piece, ofPiece) {
      const { rows, groups_total } = comparedIn(snapshot, periods, piece, ofPiece);
      const pairs = rows.map(({ current, previous }) => ({
        current: named(current, piece),
        previous: named(previous, piece),
      }));
      return { rows: pairs, groups_total };
    },
    cellsOf: ({ current }) => current,
  });

/** Returns a row with the dates and hours of the first period. */
function named(row: CountedRow, { labels, day }: PairedPiece): CountedRow {
  const { hour } = row;
  const shown = typeof hour === "string" ? { hour: isoDate(day) + hour.slice(dateLength) } : {};
  return { ...row, ...shown, ...labels };
}
const dateLength = "YYYY-MM-DD".length;

function piecesInOrder(
  snapshot: OpenSnapshot,
  { current, previous }: Periods,
  request: CountRequest,
): PairedPiece[] {
  const { group_by: groupBy, order } = request;
  const orderBy = orderOf(request);
  const piecesOf = ({ projectId, days }: ComparedPeriod): PeriodPieces => ({
    firstDay: days.from,
    stored: storedDays(snapshot, projectId, days)?.days ?? null,
  });
  const pieces = pairedPieces(piecesOf(current), piecesOf(previous), groupBy.filter(isTimeGroup));
  const sign = order === "asc" ? 1 : -1;
  return pieces.sort((a, b) => sign * compareLabels(timeLabel(a, orderBy), timeLabel(b, orderBy)));
}
