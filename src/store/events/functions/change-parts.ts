import type {
  ChangeCounts,
  ChangeDimension,
  ChangeRequest,
  DimensionCounts,
} from "../../../domain/changes/change-counts";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { Segment } from "../segment/segment";
import { DateTable } from "./changes/date-table";
import { sessionValues } from "./changes/dimension-values";
import { dimensionCounts, largestValues } from "./changes/largest-values";
import { PeriodDates } from "./changes/period-dates";
import { type CountedSessions, countedSessions, tableOf } from "./changes/session-changes";
import type { Context } from "./context";
import { askedSessions } from "./sessions/page-groups";
import { sessionsReaching } from "./sessions/session-filter";
import { TextTable } from "./sets/text-table";

/**
 * What changed of sessions (change-counts.ts), in parts of a window that follow each other: a session belongs to the
 * part that it starts in. Each part tells its counts of all values, and the largest are chosen from the sums.
 */

/** The counts of a dimension's values in a part; null stands for sessions without one. */
export interface ValuesOfPart {
  readonly values: readonly (string | null)[];
  /** A row for each value, with as many columns as a table of the request's dates has (date-table.ts). */
  readonly counts: Uint32Array<ArrayBuffer>;
}

/** All sessions alike, then the dimensions of the request. */
const dimensionsOf = ({ dimensions }: ChangeRequest): readonly (ChangeDimension | null)[] => [
  null,
  ...dimensions,
];

/** Events for which the filters hold may come until `endMs`. Null when there are too many values to tell. */
export function changesOfPart(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  request: ChangeRequest,
  endMs: number,
): readonly ValuesOfPart[] | null {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return dimensionsOf(request).map(() => noValues);
  const { goal } = request;
  const dates = new PeriodDates(request);
  const counted = countedSessions(context, sessions, dates, {
    matching: askedSessions(context, sessions, all, window, endMs).marks,
    reached: goal === undefined ? null : sessionsReaching(context, sessions, all, goal).marks,
  });
  const { budget } = context;
  const told: ValuesOfPart[] = [];
  for (const dimension of dimensionsOf(request)) {
    const bytesBefore = budget.bytes;
    const values = valuesOf(context, counted, dates, dimension);
    if (values === null) return null;
    // The values of sessions are kept beside their table.
    budget.putAside(budget.bytes - bytesBefore);
    told.push(values);
  }
  return told;
}

/** Nothing of an empty array is handed over to another thread. */
const noValues: ValuesOfPart = { values: [], counts: new Uint32Array(0) };

function valuesOf(
  context: Context,
  counted: CountedSessions,
  dates: PeriodDates,
  dimension: ChangeDimension | null,
): ValuesOfPart | null {
  const { budget, tuning } = context;
  const { hasGoal, sessions } = counted;
  const values = sessionValues(sessions, dimension);
  const bytesBefore = budget.bytes;
  const rows = values.count + 1;
  if (!hasGoal && !DateTable.hasRoomForDates(rows, dates, budget)) return null;
  const table = tableOf(counted, values, dates, !hasGoal, budget);
  const told: number[] = [];
  for (let number = 0; number < rows; number++) {
    // The first column is of dates that count for nothing.
    if (!table.row(number).some((count, column) => count > 0 && column > 0)) continue;
    if (told.push(number) > tuning.toldGroupsMax) return null;
  }
  const width = table.row(0).length;
  const counts = new Uint32Array(told.length * width);
  told.forEach((number, at) => {
    counts.set(table.row(number), at * width);
  });
  budget.giveBackTo(bytesBefore);
  return { values: told.map((number) => (number === 0 ? null : values.text(number))), counts };
}

/** What the parts told, together. Null when there are too many values to count all of them by date. */
export function joinedChanges(
  context: Context,
  parts: readonly (readonly ValuesOfPart[])[],
  request: ChangeRequest,
): ChangeCounts | null {
  const dates = new PeriodDates(request);
  const joined: DimensionCounts[] = [];
  for (const [place, dimension] of dimensionsOf(request).entries()) {
    const found = joinedValues(
      context,
      parts.map((part) => part[place]),
      dates,
      dimension,
      request.goal !== undefined,
    );
    if (found === null) return null;
    joined.push(found);
  }
  const [all, ...dimensions] = joined;
  return { total: all.values[0], dimensions };
}

function joinedValues(
  { budget, secret }: Context,
  parts: readonly ValuesOfPart[],
  dates: PeriodDates,
  dimension: ChangeDimension | null,
  hasGoal: boolean,
): DimensionCounts | null {
  const bytesBefore = budget.bytes;
  const texts = new TextTable(secret, budget);
  const numbers = parts.map(({ values }) =>
    values.map((value) => (value === null ? 0 : texts.numberOfText(value) + 1)),
  );
  const values = {
    count: texts.size,
    text: (number: number) => texts.text(number - 1),
    byteAt: (number: number, place: number) => texts.byteAt(number - 1, place),
  };
  const rows = values.count + 1;
  if (!hasGoal && !DateTable.hasRoomForDates(rows, dates, budget)) return null;
  const table = hasGoal
    ? DateTable.byPeriod(rows, dates, budget, hasGoal)
    : DateTable.byDate(rows, dates, budget);
  const width = table.row(0).length;
  parts.forEach(({ counts }, part) => {
    numbers[part].forEach((number, at) => {
      table.addRow(number, counts.subarray(at * width, (at + 1) * width));
    });
  });
  const counts = table.inPeriods();
  const kept = largestValues(counts, values, dimension, budget);
  const byDate = hasGoal ? [] : kept.map((number) => table.onReference(number, dates));
  budget.giveBackTo(bytesBefore);
  return dimensionCounts(counts, values, kept, byDate);
}
