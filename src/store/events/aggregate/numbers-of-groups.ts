import type { PropertyMeasure } from "../../../domain/metric";
import { lowerBound } from "../../../lib/sorted";
import { type Budget, grownLength, valuesPerCheck } from "../sets/budget";
import { widened } from "../sets/widened";

const growthBytes = Uint32Array.BYTES_PER_ELEMENT + 2 * Float64Array.BYTES_PER_ELEMENT;

/** The numbers of one group, and how many events have each. */
interface OfGroup {
  readonly group: number;
  readonly values: Float64Array;
  readonly counts: Float64Array;
  /** The number of events. */
  readonly count: number;
  /** The sorted numbers, which the first percentile makes. */
  sorted: SortedNumbers | null;
}

/** Ascending. `upTo` tells of each how many events have it or a smaller one; null: each stands for one event. */
interface SortedNumbers {
  readonly values: Float64Array;
  readonly upTo: Float64Array | null;
}

/** The different numbers of each group, with how many events have each. Percentiles follow from them. */
export class NumbersOfGroups {
  private count = 0;
  private groups = new Uint32Array(1_024);
  private values = new Float64Array(1_024);
  /** The number of events by group. */
  private counts = new Float64Array(1_024);
  /** The places of the numbers, and where those of each group begin; null until everything was added. */
  private index: { readonly starts: Uint32Array; readonly places: Uint32Array } | null = null;
  /** The latest group, because callers read all metrics of one group before those of the next. */
  private last: OfGroup | null = null;

  constructor(private readonly budget: Budget) {}

  /** A number that some events have. It may be added several times. */
  add(group: number, value: number, events: number): void {
    if (this.count === this.groups.length) this.widen();
    this.groups[this.count] = group;
    this.values[this.count] = value;
    this.counts[this.count] = events;
    this.count++;
  }

  /** Returns a group's measure; null for a group without numbers. */
  value(group: number, measure: PropertyMeasure): number | null {
    const own = this.ofGroup(group);
    const { values } = own;
    if (values.length === 0) return null;
    switch (measure) {
      case "min":
        return values.reduce((least, value) => Math.min(least, value));
      case "max":
        return values.reduce((most, value) => Math.max(most, value));
      default:
        return this.nearestRank(own, Number(measure.slice(1)));
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
    const counts = new Float64Array(own.length);
    let count = 0;
    for (let at = 0; at < own.length; at++) {
      values[at] = this.values[own[at]];
      counts[at] = this.counts[own[at]];
      count += counts[at];
    }
    this.last = { group, values, counts, count, sorted: null };
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
    for (let i = 0; i < count; i++) {
      if (i % valuesPerCheck === 0) budget.check();
      places[next[groups[i]]++] = i;
    }
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
    this.counts = widened(Float64Array, this.counts, length);
    budget.giveBackTo(budget.bytes - before * growthBytes);
  }

  /** The smallest of them that at least this percentage of them does not exceed. */
  private nearestRank(own: OfGroup, percent: number): number {
    const isEachOnce = own.count === own.values.length;
    own.sorted ??= isEachOnce ? eachOnce(own.values) : sortedByValue(own);
    const { values, upTo } = own.sorted;
    const rank = Math.ceil((percent * own.count) / 100);
    return values[upTo === null ? rank - 1 : lowerBound(rank, upTo)];
  }
}

const eachOnce = (values: Float64Array): SortedNumbers => ({
  values: values.slice().sort(),
  upTo: null,
});

/** Numbers are sorted faster alone, each as often as it occurs, where there are more than this … */
const comparedMax = 65_536;
/** … or where each occurs at most this often, on average: to compare places takes longer than to compare numbers. */
const repeatedMax = 8;

function sortedByValue({ values, counts, count }: OfGroup): SortedNumbers {
  if (values.length > comparedMax || count <= repeatedMax * values.length) {
    const all = new Float64Array(count);
    let next = 0;
    values.forEach((value, at) => {
      all.fill(value, next, next + counts[at]);
      next += counts[at];
    });
    return { values: all.sort(), upTo: null };
  }
  const inOrder = Uint32Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  const upTo = new Float64Array(values.length);
  let before = 0;
  inOrder.forEach((at, place) => {
    before += counts[at];
    upTo[place] = before;
  });
  return { values: Float64Array.from(inOrder, (at) => values[at]), upTo };
}
