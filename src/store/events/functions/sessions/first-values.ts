import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import type { Budget } from "../budget";
import { EarliestRow } from "../sets/earliest-row";
import { type Reading, RowValues } from "../sets/row-values";
import { TextTable } from "../sets/text-table";
import type { Workspace } from "../workspace";
import type { JudgedSessions } from "./judged-sessions";
import type { KeptValues } from "./kept-values";

/** A text stands for itself, the empty one for nothing. */
export const asItIs =
  (table: TextTable): Reading =>
  (bytes, from, to) =>
    from === to ? 0 : table.numberOf(bytes, from, to) + 1;

/**
 * The value of a column in each session's earliest event that has one: one that is neither null nor an empty text, and
 * that stands for something. Of several columns it is that of the first that has one in the event. Each text of a
 * segment is read once. Cost: one look at the first events of each visit.
 */
export class FirstValues implements KeptValues {
  private of: Integers;
  private readonly table: TextTable;

  constructor(
    sessions: JudgedSessions,
    workspace: Workspace,
    names: readonly string[],
    readingInto: (table: TextTable) => Reading = asItIs,
  ) {
    const { budget } = workspace;
    this.table = new TextTable(workspace.secret, budget);
    const read = readingInto(this.table);
    const columns = names.map((name) => ({ name, read }));
    budget.take(sessions.count + 1);
    this.of = new Uint8Array(sessions.count + 1);
    const { places, count } = sessions.severalVisits;
    const earliest = new EarliestRow(count + 1, budget);
    for (const id of sessions.segmentIds) {
      workspace.check();
      const segment = workspace.open(id);
      const values = new RowValues(segment, columns, budget);
      if (!values.hasAny) continue;
      this.of = wideEnough(this.of, this.table.size, budget);
      this.lookIn(segment, values, sessions.numbersIn(id), places, earliest);
    }
    earliest.letGo();
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
    { codes, numbers: numberOfCode }: RowValues,
    numbers: Uint32Array,
    places: Uint32Array,
    earliest: EarliestRow,
  ): void {
    if (codes === null) return;
    const { of } = this;
    const { firstTime, firstRows } = segment;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    for (let v = 0; v < numbers.length; v++) {
      const n = numbers[v];
      if (n === 0) continue;
      let row = firstRows[v];
      let value = numberOfCode[codes[row]];
      if (value === 0) {
        const end = firstRows[v + 1];
        do row++;
        while (row < end && numberOfCode[codes[row]] === 0);
        if (row === end) continue;
        value = numberOfCode[codes[row]];
      }
      if (places[n] > 0) {
        const fromMs = firstTime + starts[v];
        const toMs = row === firstRows[v] ? fromMs : fromMs + durations[v];
        if (!earliest.moves(places[n], { segment, row, fromMs, toMs })) continue;
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
