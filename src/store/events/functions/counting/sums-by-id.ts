import { rowsWithColumn } from "../../aggregate/counts";
import type { Integers } from "../../segment/codec";
import { rowsById } from "../../segment/rows-by-id";
import type { Segment } from "../../segment/segment";
import { type Budget, valuesPerCheck } from "../budget";
import { Sums } from "./sums";

/** The numbers of some events of a segment, in order of the events' ids. */
interface NumbersById {
  readonly rows: Uint32Array;
  readonly values: Float64Array;
  readonly tickets: Float64Array;
}

/** Values of a segment's events, in order of the events' ids. */
interface RunById {
  readonly tickets: Float64Array;
  /** The index of the next value; the merge has passed those before it. */
  next: number;
}
/** The numbers of a segment, and the group of each; a negative group is none. */
interface Run extends RunById {
  readonly values: Float64Array;
  readonly groups: Int32Array;
}

/**
 * Merges runs: it calls `see` with the next part of a run, in order of the ids of all events. Few runs overlap, as
 * events are stored about when they happen. Cost: a comparison for each ticket, and an insertion into a short list
 * where two runs overlap.
 */
export function eachPartById<Run extends RunById>(
  runs: readonly Run[],
  see: (run: Run, from: number, to: number) => void,
): void {
  // The run that begins first is the last of the list.
  const left = runs.toSorted((a, b) => headOf(b) - headOf(a));
  for (let run = left.pop(); run !== undefined; run = left.pop()) {
    const following = left.at(-1);
    const end = following === undefined ? Number.POSITIVE_INFINITY : headOf(following);
    const { tickets, next } = run;
    let to = next;
    // Runs share events where a segment comes in several pieces, at most one of which has a group for an event.
    while (to < tickets.length && tickets[to] <= end) to++;
    run.next = to;
    see(run, next, to);
    if (to === tickets.length) continue;
    let at = left.length;
    while (at > 0 && headOf(left[at - 1]) < headOf(run)) at--;
    left.splice(at, 0, run);
  }
}

/** With the numbers themselves: they stay as long as they are needed here, whatever the cache drops. */
const runBytes = 2 * Uint32Array.BYTES_PER_ELEMENT + 2 * Float64Array.BYTES_PER_ELEMENT;

/**
 * Sums per group of numbers with fractions, added one after the other in order of the events' ids: their last digits
 * depend on it. Each segment brings a run that is in order.
 */
export class SumsById {
  private readonly runs: Run[] = [];
  private readonly counts: Sums;
  private sums: Sums | null = null;

  constructor(private readonly budget: Budget) {
    this.counts = new Sums(budget);
  }

  /** The numbers of rows for which `groupAt` has a group; it has a number below 0 for the others. */
  add({ rows, values, tickets }: NumbersById, groupAt: (row: number) => number): void {
    const { budget, counts } = this;
    budget.take(rows.length * runBytes);
    const groups = new Int32Array(rows.length);
    let first = -1;
    for (let i = 0; i < rows.length; i++) {
      if (i % valuesPerCheck === 0) budget.check();
      const group = groupAt(rows[i]);
      groups[i] = group;
      if (group < 0) continue;
      if (first < 0) first = i;
      counts.add(group, 1);
    }
    if (first >= 0) this.runs.push({ groups, values, tickets, next: first });
    else budget.giveBack(rows.length * runBytes);
  }

  /** After everything was added. */
  of(group: number): number {
    this.sums ??= this.summed();
    return this.sums.of(group);
  }
  /** Returns the count of a group's numbers. */
  count(group: number): number {
    return this.counts.of(group);
  }

  private summed(): Sums {
    const { budget, runs } = this;
    const sums = new Sums(budget);
    eachPartById(runs, ({ groups, values }, from, to) => {
      budget.check();
      for (let at = from; at < to; at++) if (groups[at] >= 0) sums.add(groups[at], values[at]);
      if (to === groups.length) budget.giveBack(groups.length * runBytes);
    });
    return sums;
  }
}

const headOf = ({ tickets, next }: RunById): number => tickets[next];

/** The rows of a segment that have a number in a column, by id. `numbers` are those of the column's codes. */
export const numbersById = (segment: Segment, column: string, numbers: Float64Array): NumbersById =>
  segment.derive(`numbers of ${column} by id`, bytesOfNumbers, () => {
    const codes = segment.codes(column) ?? new Uint8Array(0);
    const numbered = rowsWithNumber(segment, column, codes, numbers);
    const { rows, tickets } = rowsById(segment, column, numbered);
    const values = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) values[i] = numbers[codes[rows[i]]];
    return { rows, values, tickets };
  });

function rowsWithNumber(
  segment: Segment,
  column: string,
  codes: Integers,
  numbers: Float64Array,
): Uint32Array {
  const few = rowsWithColumn(segment, column);
  const length = few === null ? codes.length : few.length;
  const found = new Uint32Array(length);
  let count = 0;
  for (let at = 0; at < length; at++) {
    const row = few === null ? at : few[at];
    if (!Number.isNaN(numbers[codes[row]])) found[count++] = row;
  }
  return found.subarray(0, count);
}

const bytesOfNumbers = ({ rows, values, tickets }: NumbersById): number =>
  rows.byteLength + values.byteLength + tickets.byteLength;
