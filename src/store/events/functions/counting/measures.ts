import { type PropertyMeasure, propertyMetricOf } from "../../../../domain/metric";
import { leftOut } from "../../aggregate/by-visit";
import { countsOfColumn, rowsWithColumn } from "../../aggregate/counts";
import type { Selection } from "../../scan/selection";
import type { Integers } from "../../segment/codec";
import { bytesOfArray, type Segment } from "../../segment/segment";
import { noText } from "../../segment/texts";
import type { Context } from "../context";
import { DistinctPerGroup } from "../sets/distinct";
import { TextTable } from "../sets/text-table";
import { NumbersPerGroup } from "./numbers-per-group";
import { Sums } from "./sums";
import { numbersById, SumsById } from "./sums-by-id";

/** The code of each row, or null if all rows have code 0; and the group of each code. */
interface SegmentGroups {
  readonly codes: Integers | null;
  readonly groupOf: Int32Array;
}

/** Computes a metric of the events of each group other than the number of events, users and sessions. */
export interface Measure {
  add(selection: Selection, groups: SegmentGroups): void;
  value(group: number, metric: string): number | null;
}

/** Returns the measures by metric over some segments. Numeric metrics of the same property share one if they can. */
export function measuresOf(
  context: Context,
  metrics: readonly string[],
  segments: readonly Segment[],
): Map<string, Measure> {
  const measures = new Map<string, Measure>();
  const numbers = new Map<string, Measure>();
  for (const metric of metrics) {
    if (metric === "page_views") measures.set(metric, new PageViews(context));
    const asked = propertyMetricOf(metric);
    if (asked === null) continue;
    const column = `property.${asked.key}`;
    if (asked.measure === "distinct") {
      measures.set(metric, new DistinctValues(context, column));
      continue;
    }
    const isOrdered = isSum(asked.measure) && !isOrderFree(segments, column);
    const kind = isOrdered ? "by id" : "by value";
    const shared =
      numbers.get(`${kind}: ${column}`) ??
      (isOrdered ? new NumbersInOrder(context, column) : new Numbers(context, column));
    numbers.set(`${kind}: ${column}`, shared);
    measures.set(metric, shared);
  }
  return measures;
}

/** Calls `see` for each row that is in a group and has the column, with its code. */
function eachValue(
  { segment, rows }: Selection,
  { codes, groupOf }: SegmentGroups,
  column: string,
  see: (group: number, code: number, row: number) => void,
): void {
  const values = segment.codes(column);
  if (values === null) return;
  const few = rowsWithColumn(segment, column);
  const length = few === null ? values.length : few.length;
  for (let at = 0; at < length; at++) {
    const i = few === null ? at : few[at];
    if (values[i] === 0 || rows[i] === 0) continue;
    const group = groupOf[codes === null ? 0 : codes[i]];
    if (group !== leftOut) see(group, values[i], i);
  }
}

class PageViews implements Measure {
  private readonly views: Sums;

  constructor({ budget }: Context) {
    this.views = new Sums(budget);
  }
  add(selection: Selection, groups: SegmentGroups): void {
    const { segment } = selection;
    const wanted = segment.dictionary("event.name").indexOf("page_view") + 1;
    if (wanted === 0) return;
    // The values of one group, over a whole segment, are counted already.
    if (groups.codes === null && selection.isAll) {
      this.views.add(groups.groupOf[0], countsOfColumn(selection, "event.name")[wanted]);
      return;
    }
    eachValue(selection, groups, "event.name", (group, code) => {
      if (code === wanted) this.views.add(group, 1);
    });
  }
  value(group: number): number {
    return this.views.of(group);
  }
}

/** Values that compare as the same text are one. */
class DistinctValues implements Measure {
  private readonly table: TextTable;
  private readonly values: DistinctPerGroup;

  constructor(
    context: Context,
    private readonly column: string,
  ) {
    this.table = new TextTable(context.secret, context.budget);
    this.values = new DistinctPerGroup(context.budget);
  }
  add(selection: Selection, groups: SegmentGroups): void {
    const { segment } = selection;
    if (segment.codes(this.column) === null) return;
    const { bytes, starts, kinds, length } = segment.texts(this.column);
    /** 0 is not looked up yet. */
    const numbers = new Uint32Array(length + 1);
    eachValue(selection, groups, this.column, (group, code) => {
      if (kinds[code - 1] === noText) return;
      numbers[code] ||= this.table.numberOf(bytes, starts[code - 1], starts[code]) + 1;
      this.values.add(group, numbers[code]);
    });
  }
  value(group: number): number {
    return this.values.count(group);
  }
}

/** Up to here events are counted by pairs of group and value in an array (4 MB). */
const pairsMax = 1 << 20;

/** JSON numbers alone count. */
class Numbers implements Measure {
  private readonly numbers: NumbersPerGroup;

  constructor(
    context: Context,
    private readonly column: string,
  ) {
    this.numbers = new NumbersPerGroup(context.budget);
  }
  add(selection: Selection, groups: SegmentGroups): void {
    const { segment } = selection;
    const values = numbersIn(segment, this.column);
    const pairs = values.length * groups.groupOf.length;
    const areFew = pairs <= pairsMax && pairs <= 2 * segment.eventCount;
    if (areFew) {
      this.addCounted(selection, groups, values);
      return;
    }
    eachValue(selection, groups, this.column, (group, code) => {
      const value = values[code];
      if (!Number.isNaN(value)) this.numbers.add(group, value, 1);
    });
  }
  /** Each value of a group once, with how many events have it. */
  private addCounted(
    selection: Selection,
    { codes, groupOf }: SegmentGroups,
    values: Float64Array,
  ): void {
    const counts = pairCounts(selection, codes, groupOf.length, this.column);
    for (let pair = 0; pair < counts.length; pair++) {
      if (counts[pair] === 0) continue;
      const group = groupOf[Math.floor(pair / values.length)];
      const value = values[pair % values.length];
      if (group !== leftOut && !Number.isNaN(value)) this.numbers.add(group, value, counts[pair]);
    }
  }
  value(group: number, metric: string): number | null {
    return this.numbers.value(group, propertyMetricOf(metric)?.measure ?? "sum");
  }
}

/** Sums of numbers with fractions, and averages, which are made of these. */
class NumbersInOrder implements Measure {
  private readonly sums: SumsById;

  constructor(
    { budget }: Context,
    private readonly column: string,
  ) {
    this.sums = new SumsById(budget);
  }
  add({ segment, rows }: Selection, { codes, groupOf }: SegmentGroups): void {
    const { column } = this;
    this.sums.add(numbersById(segment, column, numbersIn(segment, column)), (row) => {
      if (rows[row] === 0) return leftOut;
      return groupOf[codes === null ? 0 : codes[row]];
    });
  }
  value(group: number, metric: string): number | null {
    const count = this.sums.count(group);
    if (count === 0) return null;
    const sum = this.sums.of(group);
    return propertyMetricOf(metric)?.measure === "avg" ? sum / count : sum;
  }
}

/** Counts the rows that have each pair of a group's code and a value's. */
function pairCounts(
  selection: Selection,
  codes: SegmentGroups["codes"],
  groups: number,
  column: string,
): ArrayLike<number> {
  const { segment, rows } = selection;
  if (selection.isAll && codes === null) return countsOfColumn(selection, column);
  const values = segment.codes(column);
  const length = numbersIn(segment, column).length;
  const counts = new Uint32Array(groups * length);
  if (values === null) return counts;
  const few = rowsWithColumn(segment, column);
  const rowCount = few === null ? values.length : few.length;
  for (let at = 0; at < rowCount; at++) {
    const i = few === null ? at : few[at];
    const pair = (codes === null ? 0 : codes[i] * length) + values[i];
    counts[pair] += rows[i];
  }
  return counts;
}

/** Returns the number of each code of a column, or NaN for a value that is none. */
export const numbersIn = (segment: Segment, column: string): Float64Array =>
  segment.derive(`numbers of ${column}`, bytesOfArray, () => {
    const values = segment.dictionary(column);
    const numbers = new Float64Array(values.length + 1).fill(Number.NaN);
    values.forEach((value, index) => {
      if (typeof value === "number") numbers[index + 1] = value;
    });
    return numbers;
  });

/** Their last digits may depend on the order of the numbers. */
const isSum = (measure: PropertyMeasure): boolean => measure === "sum" || measure === "avg";

/** All are integers, and too small to add up to more than a number holds exactly. */
function isOrderFree(segments: readonly Segment[], column: string): boolean {
  let size = 0;
  for (const segment of segments) {
    let largest = 0;
    for (const value of numbersIn(segment, column)) {
      if (Number.isNaN(value)) continue;
      if (!Number.isInteger(value)) return false;
      largest = Math.max(largest, Math.abs(value));
    }
    size += largest * segment.eventCount;
  }
  return size <= Number.MAX_SAFE_INTEGER;
}
