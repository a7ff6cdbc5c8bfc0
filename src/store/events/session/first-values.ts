import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import type { Budget } from "../sets/budget";
import { EarliestRow } from "../sets/earliest-row";
import type { Reading, ValueColumn } from "../sets/row-values";
import { TextTable } from "../sets/text-table";
import type { Workspace } from "../sets/workspace";
import type { KeptValues } from "./kept-values";
import type { LinkedSessions } from "./session-links";
import { RowsOfValues, type VisitValues, visitValues } from "./visit-values";

/** A text stands for itself, the empty one for nothing. */
export const asItIs =
  (table: TextTable): Reading =>
  (bytes, from, to) =>
    from === to ? 0 : table.numberOf(bytes, from, to) + 1;

/**
 * Keeps the value of a column in each session's earliest event that has one: a value that is neither null nor an empty
 * text, and that stands for something. With several columns it is that of the first that has one in the event. Each
 * text of a segment is read once. Cost: one look at each visit where its first code is stored, else at its first
 * events.
 */
export class FirstValues implements KeptValues {
  private of: Integers;
  private readonly table: TextTable;

  constructor(
    sessions: LinkedSessions,
    workspace: Workspace,
    names: readonly string[],
    readingInto: (table: TextTable) => Reading = asItIs,
    options: Pick<ValueColumn, "isOfStrings"> = {},
  ) {
    const { budget } = workspace;
    this.table = new TextTable(workspace.secret, budget);
    const read = readingInto(this.table);
    const columns = names.map((name) => ({ name, read, ...options }));
    budget.take(sessions.count + 1);
    this.of = new Uint8Array(sessions.count + 1);
    const { places, count } = sessions.links;
    const { rowOf } = new RowsOfValues(columns, budget);
    const earliest = new EarliestRow(count + 1, budget, rowOf);
    for (const id of sessions.segmentIds) {
      workspace.check();
      const segment = workspace.open(id);
      const values = visitValues(segment, columns, budget);
      if (values === null) continue;
      this.of = wideEnough(this.of, this.table.size, budget);
      this.lookIn(segment, values, sessions.numbersIn(id), places, earliest);
    }
    earliest.release();
  }

  get bytes(): number {
    return this.of.byteLength + this.table.byteLength;
  }
  get count(): number {
    return this.table.size;
  }
  numberOf(session: number): number {
    return this.of[session];
  }
  copyInto(numbers: Uint32Array, from: number): void {
    const { of } = this;
    for (let at = 0; at < numbers.length; at++) numbers[at] = of[from + at];
  }
  text(number: number): string {
    return this.table.text(number - 1);
  }
  byteAt(number: number, place: number): number {
    return this.table.byteAt(number - 1, place);
  }

  private lookIn(
    segment: Segment,
    { codes, numbers: numberOfCode, areOfFirstEvents }: VisitValues,
    numbers: Uint32Array,
    places: Uint32Array,
    earliest: EarliestRow,
  ): void {
    const { of } = this;
    // The columns are looked up when the first visit needs them, as most sessions have one visit.
    let starts: Integers | null = null;
    let durations: Integers | null = null;
    for (let visit = 0; visit < numbers.length; visit++) {
      const n = numbers[visit];
      const value = numberOfCode[codes[visit]];
      if (n === 0 || value === 0) continue;
      if (places[n] > 0) {
        starts ??= segment.integers("visit.start");
        if (!areOfFirstEvents) durations ??= segment.integers("visit.duration");
        const fromMs = segment.firstTime + starts[visit];
        const lastsMs = durations === null ? 0 : durations[visit];
        const candidate = { segment, visit, fromMs, toMs: fromMs + lastsMs };
        if (!earliest.moves(places[n], candidate)) continue;
      }
      of[n] = value;
    }
  }
}

/** Most fields have few values: a byte for each of millions of sessions tells them apart. */
function wideEnough(numbers: Integers, largest: number, budget: Budget): Integers {
  const Wide = largest < 1 << 8 ? Uint8Array : largest < 1 << 16 ? Uint16Array : Uint32Array;
  if (numbers.BYTES_PER_ELEMENT >= Wide.BYTES_PER_ELEMENT) return numbers;
  budget.take(Wide.BYTES_PER_ELEMENT * numbers.length);
  const wide = new Wide(numbers);
  budget.giveBack(numbers.byteLength);
  return wide;
}
