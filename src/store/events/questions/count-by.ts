import type { CountRequest } from "../../../domain/counting";
import { type Days, windowOf } from "../../../domain/period";
import { isTimeGroup, piecesOf } from "../../../domain/time-groups";
import { timeZoneOf } from "../../../domain/time-zone";
import type { CountedRows, View } from "../../questions";
import { countBy } from "../functions/count-by";
import type { Counted, CountedRow } from "../functions/counted";
import type { OpenSnapshot } from "./open-snapshot";
import { common, countPieces, type PieceLabels } from "./pieces";
import { storedDays } from "./stored-days";

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

/** Divides the window into pieces of one date, week or month, and counts each. */
function countedByTime(snapshot: OpenSnapshot, view: View, request: CountRequest): Counted {
  const { fromMs, toMs } = view;
  const segmentsIn = snapshot.segmentsOfPieces(view);
  return countPieces<Dates, CountedRow>(datesInOrder(snapshot, view, request), request, {
    count({ days, labels }, ofPiece) {
      const piece = { ...view, ...common(view, windowOf(days)) };
      const within = { ...ofPiece, sessions_within: { fromMs, toMs } };
      const { rows, groups_total } = countedIn(snapshot, piece, within, segmentsIn(piece));
      return { rows: rows.map((row) => ({ ...row, ...labels })), groups_total };
    },
    cellsOf: (row) => row,
  });
}

/** Some dates that are counted together. */
interface Dates extends PieceLabels {
  readonly days: Days;
}

function datesInOrder(snapshot: OpenSnapshot, view: View, request: CountRequest): Dates[] {
  const { projectId, fromMs, toMs, zone: zoneName } = view;
  const zone = timeZoneOf(zoneName);
  const days = { from: zone.dayAt(fromMs), to: zone.dayAt(toMs - 1), zone: zoneName };
  const stored = storedDays(snapshot, projectId, days);
  if (stored === null) return [];
  const pieces = piecesOf(stored.days, request.group_by.filter(isTimeGroup));
  const dates = pieces.map((piece) => ({ ...piece, day: piece.days.from }));
  return request.order === "asc" ? dates : dates.reverse();
}
