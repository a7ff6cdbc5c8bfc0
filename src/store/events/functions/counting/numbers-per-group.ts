import type { PropertyMeasure } from "../../../../domain/metric";
import { type Budget, grownLength } from "../budget";
import { widened } from "../sets/widened";

const growthBytes = Uint32Array.BYTES_PER_ELEMENT + 2 * Float64Array.BYTES_PER_ELEMENT;

/** The numbers of one group, in order of the ids of their events once that matters. */
interface OfGroup {
  readonly group: number;
  readonly values: Float64Array;
  readonly tickets: Float64Array;
  /** Ascending; made for the first percentile. */
  sorted: Float64Array | null;
}

/** Numbers of events by group, each with the event's ticket: what sums and percentiles are made of. */
export class NumbersPerGroup {
  private count = 0;
  private groups = new Uint32Array(1_024);
  private values = new Float64Array(1_024);
  private tickets = new Float64Array(1_024);
  /** Where the numbers of each group begin, and their places; null until everything was added. */
  private index: { readonly starts: Uint32Array; readonly places: Uint32Array } | null = null;
  /** Metrics of one group are asked for one after the other. */
  private last: OfGroup | null = null;

  constructor(private readonly budget: Budget) {}

  add(group: number, value: number, ticket: number): void {
    if (this.count === this.groups.length) this.widen();
    this.groups[this.count] = group;
    this.values[this.count] = value;
    this.tickets[this.count] = ticket;
    this.count++;
  }

  /** Null for a group without any. */
  value(group: number, measure: PropertyMeasure): number | null {
    const own = this.ofGroup(group);
    const { values } = own;
    if (values.length === 0) return null;
    switch (measure) {
      case "min":
        return values.reduce((least, value) => Math.min(least, value));
      case "max":
        return values.reduce((most, value) => Math.max(most, value));
      case "avg":
        return sumOf(own) / values.length;
      case "p50":
        return nearestRank(own, 50);
      case "p75":
        return nearestRank(own, 75);
      case "p95":
        return nearestRank(own, 95);
      default:
        return sumOf(own);
    }
  }

  private ofGroup(group: number): OfGroup {
    if (this.last?.group === group) return this.last;
    const { starts, places } = this.indexed();
    const own =
      group + 1 < starts.length
        ? places.subarray(starts[group], starts[group + 1])
        : places.subarray(0, 0);
    const values = new Float64Array(own.length);
    const tickets = new Float64Array(own.length);
    own.forEach((place, at) => {
      values[at] = this.values[place];
      tickets[at] = this.tickets[place];
    });
    this.last = { group, values, tickets, sorted: null };
    return this.last;
  }

  private indexed(): { readonly starts: Uint32Array; readonly places: Uint32Array } {
    if (this.index !== null) return this.index;
    const { budget, count, groups } = this;
    let most = -1;
    for (let i = 0; i < count; i++) if (groups[i] > most) most = groups[i];
    const starts = budget.words(most + 2);
    for (let i = 0; i < count; i++) starts[groups[i] + 1]++;
    for (let group = 0; group <= most; group++) starts[group + 1] += starts[group];
    const next = starts.slice();
    const places = budget.words(count);
    budget.each(count, (i) => {
      places[next[groups[i]]++] = i;
    });
    this.index = { starts, places };
    return this.index;
  }

  private widen(): void {
    const { budget } = this;
    const before = this.groups.length;
    const length = grownLength(before);
    budget.take(length * growthBytes);
    this.groups = widened(Uint32Array, this.groups, length);
    this.values = widened(Float64Array, this.values, length);
    this.tickets = widened(Float64Array, this.tickets, length);
    budget.giveBackTo(budget.bytes - before * growthBytes);
  }
}

/** While the sizes of integers add up to no more, no order of adding loses anything. */
const exactSumMax = Number.MAX_SAFE_INTEGER;

/** Exact for integers; otherwise as if added one after the other in order of the events' ids. */
function sumOf({ values, tickets }: OfGroup): number {
  let sum = 0;
  let size = 0;
  let isWhole = true;
  for (const value of values) {
    sum += value;
    size += Math.abs(value);
    isWhole &&= Number.isInteger(value);
  }
  if (isWhole && size <= exactSumMax) return sum;
  const inOrder = Uint32Array.from(values.keys()).sort((a, b) => tickets[a] - tickets[b]);
  return inOrder.reduce((total, at) => total + values[at], 0);
}

/** The smallest of them that at least this percentage of them does not exceed. */
function nearestRank(own: OfGroup, percent: number): number {
  own.sorted ??= own.values.slice().sort();
  return own.sorted[Math.ceil((percent * own.sorted.length) / 100) - 1];
}
