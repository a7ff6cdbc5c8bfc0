import { kernel } from "../scan/kernel";
import type { Selection } from "../scan/selection";
import { type Key, type Label, piecesOf, type Vector } from "../scan/vector";
import type { Integers } from "../segment/codec";
import type { Budget } from "../sets/budget";
import { GroupTable } from "../sets/group-table";
import { type ByVisit, byVisit, leftOut } from "./by-visit";
import { addCounts, countsOf } from "./counts";
import { firstGroups } from "./first-labels";
import type { CountedGroups } from "./ranking";

/** Some rows of a segment, and the group of each of their codes. */
export class Chunk {
  private known: ByVisit | null | undefined;
  private knownOfRows: Int32Array | null = null;

  constructor(
    readonly selection: Selection,
    readonly vector: Vector,
    /** `leftOut` if no row has the code, or the group is left out. */
    readonly groupOf: Int32Array,
  ) {}

  /** The group of each row, or `leftOut`; computed once for all aggregates. */
  get groupsOfRows(): Int32Array {
    const { selection, vector, groupOf } = this;
    this.knownOfRows ??= groupsOf(vector.codes!, selection.rows, groupOf);
    return this.knownOfRows;
  }
  /** The groups by visit, or null (by-visit.ts); computed once for all aggregates. */
  get byVisit(): ByVisit | null {
    if (this.known === undefined) this.known = byVisit(this.selection, this.vector, this.groupOf);
    return this.known;
  }
}

const groupsOf = kernel((codes: Integers, rows: Uint8Array, groupOf: Int32Array): Int32Array => {
  const groups = new Int32Array(rows.length);
  for (let i = 0; i < groups.length; i++) groups[i] = rows[i] === 1 ? groupOf[codes[i]] : -1;
  return groups;
});

/** Computes metrics of each group besides the number of its events. */
export interface Aggregate {
  /** Groups are below this. The caller calls it once, before it adds chunks. */
  begin?(groups: number): void;
  update(chunk: Chunk): void;
  value(group: number, metric: string): number | null;
  /** Gives its arrays back; no values can be read afterwards. */
  end?(): void;
}

interface Grouping {
  /** Leaves out groups with a null label. */
  readonly skipsNull?: boolean;
  readonly groupsMax?: number | undefined;
  /** Another aggregate, over other rows, whose numbers of groups this one shares. */
  readonly beside?: HashAggregate;
}

/**
 * Groups events by keys and computes aggregates of each group. It first counts the events of all groups, mostly from
 * stored counts; the aggregates can then leave out the groups that the answer does not show.
 */
export class HashAggregate implements CountedGroups {
  private readonly table: GroupTable;
  private readonly isDense: boolean;
  private events: Float64Array<ArrayBuffer>;
  private readonly chunks: Chunk[] = [];
  private byMetric: ReadonlyMap<string, Aggregate> = new Map();
  /** Several metrics may share one. */
  private aggregates: ReadonlySet<Aggregate> = new Set();
  /** The place of each group in the aggregates; null if these have all groups under their own numbers. */
  private placeOf: Int32Array | null = null;

  constructor(
    private readonly keys: readonly Key[],
    private readonly budget: Budget,
    private readonly grouping: Grouping = {},
  ) {
    const { beside, groupsMax } = grouping;
    const [only, ...more] = keys;
    const end = more.length === 0 ? only?.numbersEnd : undefined;
    this.isDense = end !== undefined;
    this.table = beside?.table ?? new GroupTable(keys.length, budget, groupsMax);
    this.events = budget.doubles(end ?? eventsLengthMin);
  }

  /** Groups are below this. */
  get size(): number {
    return this.isDense ? this.events.length : this.table.size;
  }

  /** Counts the events of some rows, and remembers the rows for the aggregates. */
  add(selection: Selection): void {
    for (const piece of piecesOf(selection, this.keys, this.budget)) {
      if (piece.selection.isNone) continue;
      const groupOf = this.isDense
        ? this.addDense(piece.selection, piece.vector)
        : this.addCounted(piece.selection, piece.vector);
      this.chunks.push(new Chunk(piece.selection, piece.vector, groupOf));
    }
  }

  /** Looks up the group of each code that occurs once. */
  private addCounted(selection: Selection, vector: Vector): Int32Array {
    const counts = countsOf(selection, vector);
    const numbers = vector.numbers(counts);
    const groupOf = this.budget.integers(vector.size).fill(leftOut);
    const label = new Uint32Array(numbers.length);
    this.budget.each(vector.size, (code) => {
      if (counts[code] === 0) return;
      for (let place = 0; place < label.length; place++)
        label[place] = numbers[place]?.[code] ?? code;
      if (this.grouping.skipsNull === true && label.includes(0)) return;
      const group = this.table.groupOf(label);
      if (group >= this.events.length) this.widen(group);
      this.events[group] += counts[code];
      groupOf[code] = group;
    });
    return groupOf;
  }
  /** Codes are the same numbers in all segments: a group has the number of its value. */
  private addDense(selection: Selection, vector: Vector): Int32Array {
    addCounts(selection, vector, this.events);
    if (this.grouping.skipsNull === true) this.events[0] = 0;
    return this.ownGroups;
  }
  private knownGroups: Int32Array | null = null;
  private get ownGroups(): Int32Array {
    if (this.knownGroups === null) {
      const groups = this.budget.integers(this.events.length);
      for (let group = 0; group < groups.length; group++) groups[group] = group;
      if (this.grouping.skipsNull === true) groups[0] = leftOut;
      this.knownGroups = groups;
    }
    return this.knownGroups;
  }
  private widen(group: number): void {
    this.events = this.budget.widerDoubles(this.events, 2 * group);
  }

  /** Feeds the rows to the aggregates: all rows, or those of the groups in `only`. */
  aggregate(byMetric: ReadonlyMap<string, Aggregate>, only?: readonly number[]): void {
    this.byMetric = byMetric;
    this.aggregates = new Set(byMetric.values());
    let groups = this.size;
    if (only !== undefined && only.length < groups) {
      this.placeOf = this.budget.integers(groups).fill(leftOut);
      for (const [place, group] of only.entries()) if (group >= 0) this.placeOf[group] = place;
      groups = only.length;
    }
    for (const aggregate of this.aggregates) aggregate.begin?.(groups);
    for (const chunk of this.chunks) {
      this.budget.check();
      const placed = this.placed(chunk);
      if (placed !== null) for (const aggregate of this.aggregates) aggregate.update(placed);
    }
  }
  /** Returns the chunk with places in the aggregates; null if these leave out all its groups. */
  private placed(chunk: Chunk): Chunk | null {
    const { placeOf } = this;
    if (placeOf === null) return chunk;
    const { selection, vector, groupOf } = chunk;
    if (this.isDense) return new Chunk(selection, vector, placeOf);
    const places = groupOf.map((group) => (group === leftOut ? leftOut : placeOf[group]));
    return places.every((place) => place === leftOut) ? null : new Chunk(selection, vector, places);
  }

  /** The group of each code, or `leftOut`, in the order in which the rows were added. */
  get groupsOfCodes(): readonly Int32Array[] {
    return this.chunks.map(({ groupOf }) => groupOf);
  }
  end(): void {
    for (const aggregate of this.aggregates) aggregate.end?.();
  }
  /** The groups that have events. */
  members(): Uint32Array {
    const { events, size, budget } = this;
    let count = 0;
    for (let group = 0; group < size; group++) if (events[group] > 0) count++;
    const members = budget.words(count);
    let next = 0;
    for (let group = 0; group < size; group++) if (events[group] > 0) members[next++] = group;
    return members;
  }
  label(group: number, place: number): Label {
    return this.keys[place].label(this.numberAt(group, place));
  }
  /** The number that a key gives the group. */
  numberAt(group: number, place: number): number {
    return this.isDense ? group : this.table.numberAt(group, place);
  }
  /** Returns the group of a number, if there is only one key. */
  groupOf(number: number): number {
    return this.isDense ? number : this.table.groupOf(Uint32Array.of(number));
  }
  firstByLabel(groups: Uint32Array, limit: number): readonly number[] {
    const { keys: labels, table, budget } = this;
    if (this.isDense) return [...labels[0].first(groups, limit)];
    return firstGroups({ labels, table, budget }, groups, limit);
  }
  /** Returns the number of events if no aggregate computes the metric. */
  value(group: number, metric: string): number | null {
    const aggregate = this.byMetric.get(metric);
    if (aggregate === undefined) return this.events[group];
    const place = this.placeOf === null ? group : this.placeOf[group];
    return aggregate.value(place, metric);
  }
}

const eventsLengthMin = 64;
