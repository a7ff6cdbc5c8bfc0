import { type PropertyMeasure, propertyMetricOf } from "../../../domain/metric";
import type { Context } from "../filter/context";
import { noText } from "../segment/texts";
import { PairTable } from "../sets/pair-table";
import { TextTable } from "../sets/text-table";
import { eachValue, numbersOfCodes } from "./each-value";
import { ExactSums } from "./exact-sums";
import type { Aggregate, Chunk } from "./hash-aggregate";
import { NumbersOfGroups } from "./numbers-of-groups";

/** Returns an aggregate for each metric of the values of events. Metrics of one property's numbers share one. */
export function measuresOf(context: Context, metrics: readonly string[]): Map<string, Aggregate> {
  const measures = new Map<string, Aggregate>();
  const numbers = new Map<string, Numbers>();
  for (const metric of metrics) {
    if (metric === "page_views") measures.set(metric, new PageViews(context));
    const property = propertyMetricOf(metric);
    if (property === null) continue;
    const column = `property.${property.key}`;
    if (property.measure === "distinct") {
      measures.set(metric, new DistinctValues(context, column));
      continue;
    }
    const shared = numbers.get(column) ?? new Numbers(context, column);
    shared.measures.add(property.measure);
    numbers.set(column, shared);
    measures.set(metric, shared);
  }
  return measures;
}

class PageViews implements Aggregate {
  private views = new Float64Array(0);

  constructor(private readonly context: Pick<Context, "budget">) {}
  begin(groups: number): void {
    this.views = this.context.budget.doubles(groups);
  }
  update(chunk: Chunk): void {
    const wanted = chunk.selection.segment.dictionary("event.name").indexOf("page_view") + 1;
    if (wanted === 0) return;
    eachValue(chunk, "event.name", (group, code, events) => {
      if (code === wanted) this.views[group] += events;
    });
  }
  value(group: number): number {
    return this.views[group];
  }
}

/** Values that compare as the same text count as one value. */
class DistinctValues implements Aggregate {
  private readonly table: TextTable;
  private readonly pairs: PairTable;
  private counts = new Float64Array(0);

  constructor(
    private readonly context: Pick<Context, "budget" | "secret">,
    private readonly column: string,
  ) {
    this.table = new TextTable(context.secret, context.budget);
    this.pairs = new PairTable(context.budget);
  }
  begin(groups: number): void {
    this.counts = this.context.budget.doubles(groups);
  }
  update(chunk: Chunk): void {
    const { segment } = chunk.selection;
    if (segment.codes(this.column) === null) return;
    const { bytes, starts, kinds, length } = segment.texts(this.column);
    /** 0 stands for a code without a look-up so far. */
    const numbers = new Uint32Array(length + 1);
    eachValue(chunk, this.column, (group, code) => {
      if (kinds[code - 1] === noText) return;
      numbers[code] ||= this.table.numberOf(bytes, starts[code - 1], starts[code]) + 1;
      if (this.pairs.add(group, numbers[code])) this.counts[group]++;
    });
  }
  value(group: number): number {
    return this.counts[group];
  }
}

/** The measures that need only the sums, and not the single numbers. */
const ofSums: ReadonlySet<PropertyMeasure> = new Set(["sum", "avg"]);

/** Only JSON numbers count. */
class Numbers implements Aggregate {
  readonly measures = new Set<PropertyMeasure>();
  private counts = new Float64Array(0);
  private sums: ExactSums | null = null;
  private numbers: NumbersOfGroups | null = null;

  constructor(
    private readonly context: Pick<Context, "budget">,
    private readonly column: string,
  ) {}
  begin(groups: number): void {
    const { budget } = this.context;
    const measures = [...this.measures];
    this.counts = budget.doubles(groups);
    if (measures.some((measure) => ofSums.has(measure))) this.sums = new ExactSums(groups, budget);
    if (!measures.every((measure) => ofSums.has(measure)))
      this.numbers = new NumbersOfGroups(budget);
  }
  update(chunk: Chunk): void {
    const { counts, sums, numbers } = this;
    const values = numbersOfCodes(chunk.selection.segment, this.column);
    eachValue(chunk, this.column, (group, code, events) => {
      const value = values[code];
      if (Number.isNaN(value)) return;
      counts[group] += events;
      sums?.add(group, value, events);
      numbers?.add(group, value, events);
    });
  }
  value(group: number, metric: string): number | null {
    const count = this.counts[group];
    const measure = propertyMetricOf(metric)?.measure ?? "sum";
    if (count === 0) return null;
    if (!ofSums.has(measure)) return this.numbers?.value(group, measure) ?? null;
    const sum = this.sums?.of(group) ?? 0;
    // Groups are in order of this value, so that it has to be null here.
    if (!Number.isFinite(sum)) return null;
    return measure === "avg" ? sum / count : sum;
  }
}
