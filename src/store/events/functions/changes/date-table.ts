import { dayMs } from "../../../../lib/clock";
import { type Budget, valuesPerCheck } from "../budget";
import type { PeriodCounts } from "./largest-values";
import type { PeriodDates } from "./period-dates";

/** The number of a date in a table, from 1; 0 for a date that counts for nothing. */
const dateNumber = ({ all }: PeriodDates, day: number): number =>
  day >= all.first && day < all.first + all.count ? day - all.first + 1 : 0;

/**
 * Returns for each row the number of the date of its moment. A date that is asked for many times is found between its
 * midnights.
 */
export function dateNumbers(
  { all, zone }: PeriodDates,
  times: Float64Array,
  count: number,
  check: () => void,
): Uint16Array<ArrayBuffer> {
  const numbers = new Uint16Array(count);
  const midnights = Float64Array.from({ length: all.count + 1 }, (_, at) =>
    zone.startOf(all.first + at),
  );
  const [startMs, endMs] = [midnights[0], midnights[all.count]];
  for (let place = 0; place < count; place++) {
    if (place % valuesPerCheck === 0) check();
    const timeMs = times[place];
    if (timeMs < startMs || timeMs >= endMs) continue;
    // Dates of other lengths than 24 hours have moved it by less than one.
    let at = Math.min(Math.floor((timeMs - startMs) / dayMs), all.count - 1);
    while (timeMs < midnights[at]) at--;
    while (timeMs >= midnights[at + 1]) at++;
    numbers[place] = at + 1;
  }
  return numbers;
}

/** The numbering of dates. */
interface Columns {
  readonly count: number;
  /** The dates by their numbers; 0 stands for those that count for nothing. */
  readonly of: Uint16Array;
  readonly current: readonly number[];
  readonly previous: readonly number[];
  /** Those of what reached a goal, in both periods; null without one. */
  readonly reached: { readonly current: number; readonly previous: number } | null;
}

/**
 * Counts by value, of which each has a row, and by date: either each date has a column, or each of the two periods,
 * with and without a goal.
 */
export class DateTable {
  private readonly counts: Uint32Array;

  private constructor(
    private readonly rows: number,
    private readonly columns: Columns,
    private readonly budget: Budget,
  ) {
    this.counts = budget.words(rows * columns.count);
  }

  static byPeriod(rows: number, dates: PeriodDates, budget: Budget, hasGoal: boolean): DateTable {
    const columnOf = (day: number): number =>
      dates.isCurrent(day) ? 1 : dates.isPrevious(day) ? 2 : 0;
    const columns = daysOf(dates).map(columnOf);
    if (!hasGoal) {
      const of = Uint16Array.from([0, ...columns]);
      return new DateTable(
        rows,
        { count: 3, of, current: [1], previous: [2], reached: null },
        budget,
      );
    }
    // What reached the goal has the numbers after all dates, and the columns after both periods.
    const of = Uint16Array.from([
      0,
      ...columns,
      ...columns.map((one) => (one === 0 ? 0 : one + 2)),
    ]);
    const periods = { current: [1, 3], previous: [2, 4], reached: { current: 3, previous: 4 } };
    return new DateTable(rows, { count: 5, of, ...periods }, budget);
  }
  static byDate(rows: number, dates: PeriodDates, budget: Budget): DateTable {
    const days = daysOf(dates);
    const numbersOf = (isOn: (day: number) => boolean): number[] =>
      days.filter(isOn).map((day) => dateNumber(dates, day));
    const columns: Columns = {
      count: days.length + 1,
      of: Uint16Array.from({ length: days.length + 1 }, (_, number) => number),
      current: numbersOf((day) => dates.isCurrent(day)),
      previous: numbersOf((day) => dates.isPrevious(day)),
      reached: null,
    };
    return new DateTable(rows, columns, budget);
  }
  /** Tells whether a table of this number of rows has room for each date. */
  static hasRoomForDates(rows: number, { all }: PeriodDates, { tuning }: Budget): boolean {
    return rows * (all.count + 1) <= tuning.pairArrayLengthMax;
  }

  /** One of each row on the date of the same place. */
  add(rows: Uint32Array, dates: Uint16Array): void {
    const { counts, columns } = this;
    const { of, count } = columns;
    for (let at = 0; at < rows.length; at++) counts[rows[at] * count + of[dates[at]]]++;
  }

  /** The counts of a row, of which that of dates that count for nothing is the first. */
  row(row: number): Uint32Array {
    const { count } = this.columns;
    return this.counts.subarray(row * count, (row + 1) * count);
  }
  /** Returns the counts of both periods by row. */
  inPeriods(): PeriodCounts {
    const { current, previous, reached } = this.columns;
    return {
      ...{ current: this.sums(current), previous: this.sums(previous) },
      ...(reached !== null && {
        reached: { current: this.sums([reached.current]), previous: this.sums([reached.previous]) },
      }),
    };
  }
  private sums(columns: readonly number[]): Float64Array {
    const { counts, rows, budget } = this;
    const { count } = this.columns;
    const sums = budget.doubles(rows);
    for (let row = 0; row < rows; row++) {
      for (const column of columns) sums[row] += counts[row * count + column];
    }
    return sums;
  }
  /** Returns the counts of a row on the dates of the reference, where each date has a column. */
  onReference(row: number, dates: PeriodDates): Float64Array {
    const from = row * this.columns.count + dateNumber(dates, dates.dayOf(0));
    return Float64Array.from(this.counts.subarray(from, from + dates.referenceDates));
  }
}

const daysOf = ({ all }: PeriodDates): number[] =>
  Array.from({ length: all.count }, (_, at) => all.first + at);
