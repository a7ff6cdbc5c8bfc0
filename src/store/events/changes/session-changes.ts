import type { ChangeDimension, DimensionCounts } from "../../../domain/changes/change-counts";
import { firstTexts } from "../aggregate/keys";
import type { Context } from "../filter/context";
import { kernel } from "../scan/kernel";
import { eachBlock, type SessionValues } from "../session/field-values";
import type { Sessions } from "../session/sessions";
import type { Budget } from "../sets/budget";
import { sessionValues } from "./dimension-keys";
import {
  dimensionCounts,
  largestValues,
  type NumberedValues,
  type PeriodCounts,
} from "./largest-values";
import type { PeriodDates } from "./period-dates";

/** The sessions that a question is about. */
export interface CountedSessions {
  readonly sessions: Sessions;
  /**
   * The number of the date on which each session began; 0 for a session that does not count. If there is a goal,
   * sessions that reached it have the number of the date plus the number of dates.
   */
  readonly dateOf: Uint16Array;
  readonly hasGoal: boolean;
}

/** Returns the sessions that began on a date that counts for something, and are marked if any are. */
export function countedSessions(
  { budget }: Context,
  sessions: Sessions,
  dates: PeriodDates,
  marks: { readonly matching: Uint8Array | null; readonly reached: Uint8Array | null },
): CountedSessions {
  const { matching, reached } = marks;
  const size = sessions.count + 1;
  budget.take(Uint16Array.BYTES_PER_ELEMENT * size);
  const dateOf = dates.ofMoments(sessions.start, size, budget.check);
  dateOf[0] = 0;
  if (matching !== null) for (let n = 1; n < size; n++) dateOf[n] *= matching[n];
  if (reached === null) return { sessions, dateOf, hasGoal: false };
  const { count } = dates;
  for (let n = 1; n < size; n++) if (dateOf[n] !== 0 && reached[n] === 1) dateOf[n] += count;
  return { sessions, dateOf, hasGoal: true };
}

/**
 * Counts the sessions of each value of a dimension in both periods. With a goal it also counts those that reached it;
 * without one it counts the sessions of the largest values on each date of the reference. Cost: one pass over the
 * sessions, and a second one for the dates.
 */
export function sessionChanges(
  context: Context,
  counted: CountedSessions,
  dates: PeriodDates,
  dimension: ChangeDimension | null,
): DimensionCounts {
  const { budget } = context;
  const values = sessionValues(counted.sessions, dimension);
  const labels = labelsOf(values, context);
  const bytesBefore = budget.bytes;
  const counts = countsInPeriods(counted, values, dates, budget);
  const shown = largestValues(counts, labels, dimension, budget);
  const byDate = counted.hasGoal ? [] : countsByDate(counted, values, shown, dates, budget);
  budget.giveBackTo(bytesBefore);
  return dimensionCounts(counts, labels, shown, byDate);
}

function countsInPeriods(
  counted: CountedSessions,
  values: SessionValues,
  dates: PeriodDates,
  budget: Budget,
): PeriodCounts {
  const columnOf = new Uint16Array(2 * dates.count + 1);
  for (const [column, period] of [
    [previousColumn, "previous"],
    [currentColumn, "current"],
  ] as const) {
    for (const number of dates.numbersOf(period)) {
      columnOf[number] = column;
      columnOf[number + dates.count] = column + reachedColumns;
    }
  }
  const rows = values.count + 1;
  const counts = budget.words(rows * periodColumns);
  count(counted, values, { columnOf, width: periodColumns, counts }, budget);
  const sumOf = (...columns: readonly number[]): Float64Array => {
    const sums = budget.doubles(rows);
    for (let row = 0; row < rows; row++)
      for (const column of columns) sums[row] += counts[row * periodColumns + column];
    return sums;
  };
  const both = (column: number): Float64Array => sumOf(column, column + reachedColumns);
  return {
    ...{ current: both(currentColumn), previous: both(previousColumn) },
    ...(counted.hasGoal && {
      reached: {
        current: sumOf(currentColumn + reachedColumns),
        previous: sumOf(previousColumn + reachedColumns),
      },
    }),
  };
}
/** Dates outside both periods have column 0. */
const currentColumn = 1;
const previousColumn = 2;
/** The distance from a period's column to that of its sessions that reached the goal. */
const reachedColumns = 2;
const periodColumns = 5;

/** Counts the sessions of some values on each date of the reference. */
function countsByDate(
  counted: CountedSessions,
  values: SessionValues,
  shown: readonly number[],
  dates: PeriodDates,
  budget: Budget,
): Float64Array[] {
  // All other values have row 0.
  const rowOf = budget.words(values.count + 1);
  for (const [place, number] of shown.entries()) rowOf[number] = place + 1;
  const width = dates.count + 1;
  const columnOf = Uint16Array.from({ length: width }, (_, number) => number);
  const counts = budget.words((shown.length + 1) * width);
  count(counted, values, { rowOf, columnOf, width, counts }, budget);
  const numbers = dates.numbersOf("reference");
  return shown.map((_, place) =>
    Float64Array.from(numbers, (number) => counts[(place + 1) * width + number]),
  );
}

/** Counts by value and date. Each value has a row; several dates may share a column. */
interface Table {
  /** Index = number of a value. If it is missing, the number is the row. */
  readonly rowOf?: Uint32Array;
  readonly columnOf: Uint16Array;
  /** The number of columns. */
  readonly width: number;
  readonly counts: Uint32Array;
}

function count(
  { sessions, dateOf }: CountedSessions,
  values: SessionValues,
  { rowOf, columnOf, width, counts }: Table,
  budget: Budget,
): void {
  eachBlock(values, sessions.count, budget.check, (numbers, first) => {
    if (rowOf !== undefined)
      for (let at = 0; at < numbers.length; at++) numbers[at] = rowOf[numbers[at]];
    addOnes(numbers, dateOf.subarray(first), columnOf, width, counts);
  });
}
const addOnes = kernel(
  (
    rows: Uint32Array,
    dates: Uint16Array,
    columnOf: Uint16Array,
    width: number,
    counts: Uint32Array,
  ): void => {
    for (let i = 0; i < rows.length; i++) counts[rows[i] * width + columnOf[dates[i]]]++;
  },
);

const labelsOf = (
  values: Pick<SessionValues, "text" | "byteAt">,
  context: Context,
): NumberedValues => ({
  label: (number) => (number === 0 ? null : values.text(number)),
  firstByLabel: (numbers, limit) => [
    ...firstTexts(numbers, limit, (number, place) => values.byteAt(number, place), context),
  ],
});
