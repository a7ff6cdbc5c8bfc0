import { propertyMetricOf } from "../../../../domain/metric";
import { bytesOfArray, type Segment } from "../../segment/segment";
import { noText } from "../../segment/texts";
import type { Context } from "../context";
import { DistinctPerGroup } from "../sets/distinct";
import { TextTable } from "../sets/text-table";
import type { Rows } from "./filter";
import { type Groups, leftOut } from "./groups";
import { NumbersPerGroup } from "./numbers-per-group";
import { Sums } from "./sums";

type SegmentGroups = Pick<ReturnType<Groups["in"]>, "codes" | "groupOf">;

/** What is told of the events of a group beyond how many there are, and who was there. */
export interface Measure {
  add(segment: Segment, rows: Rows, groups: SegmentGroups): void;
  value(group: number, metric: string): number | null;
}

/** By metric, over some segments; those of one property that are numbers share what they need. */
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
    const shared =
      numbers.get(column) ?? new Numbers(context, column, isOrderFree(segments, column));
    numbers.set(column, shared);
    measures.set(metric, shared);
  }
  return measures;
}

/** Calls for each row that is in a group, with its code in the column. Rows without the column are passed over. */
function eachValue(
  segment: Segment,
  rows: Rows,
  { codes, groupOf }: SegmentGroups,
  column: string,
  see: (group: number, code: number, row: number) => void,
): void {
  const values = segment.codes(column);
  if (values === null) return;
  for (let i = 0; i < values.length; i++) {
    if (values[i] === 0 || (rows !== null && rows[i] === 0)) continue;
    const group = groupOf[codes === null ? 0 : codes[i]];
    if (group !== leftOut) see(group, values[i], i);
  }
}

class PageViews implements Measure {
  private readonly views: Sums;

  constructor({ budget }: Context) {
    this.views = new Sums(budget);
  }
  add(segment: Segment, rows: Rows, groups: SegmentGroups): void {
    const wanted = segment.dictionary("event.name").indexOf("page_view") + 1;
    if (wanted === 0) return;
    eachValue(segment, rows, groups, "event.name", (group, code) => {
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
  add(segment: Segment, rows: Rows, groups: SegmentGroups): void {
    if (segment.codes(this.column) === null) return;
    const { bytes, starts, kinds, length } = segment.texts(this.column);
    /** 0 is not looked up yet. */
    const numbers = new Uint32Array(length + 1);
    eachValue(segment, rows, groups, this.column, (group, code) => {
      if (kinds[code - 1] === noText) return;
      numbers[code] ||= this.table.numberOf(bytes, starts[code - 1], starts[code]) + 1;
      this.values.add(group, numbers[code]);
    });
  }
  value(group: number): number {
    return this.values.count(group);
  }
}

/** JSON numbers alone count. */
class Numbers implements Measure {
  private readonly numbers: NumbersPerGroup;

  constructor(
    context: Context,
    private readonly column: string,
    /** In whatever order they are added, their sum is the same: who came first need not be known. */
    private readonly isOrderFree: boolean,
  ) {
    this.numbers = new NumbersPerGroup(context.budget);
  }
  add(segment: Segment, rows: Rows, groups: SegmentGroups): void {
    const values = numbersIn(segment, this.column);
    const tickets = this.isOrderFree ? null : segment.tickets;
    eachValue(segment, rows, groups, this.column, (group, code, row) => {
      const value = values[code];
      if (!Number.isNaN(value)) this.numbers.add(group, value, tickets === null ? 0 : tickets[row]);
    });
  }
  value(group: number, metric: string): number | null {
    return this.numbers.value(group, propertyMetricOf(metric)?.measure ?? "sum");
  }
}

/** Per code of a column: its number, or NaN for what is none. */
const numbersIn = (segment: Segment, column: string): Float64Array =>
  segment.derive(`numbers of ${column}`, bytesOfArray, () => {
    const values = segment.dictionary(column);
    const numbers = new Float64Array(values.length + 1).fill(Number.NaN);
    values.forEach((value, index) => {
      if (typeof value === "number") numbers[index + 1] = value;
    });
    return numbers;
  });

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
