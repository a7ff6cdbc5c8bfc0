import type { Segment } from "../../segment/segment";
import { noText } from "../../segment/texts";
import type { Context } from "../context";
import { EarliestRow } from "../sets/earliest-row";
import { TextTable } from "../sets/text-table";
import type { KeptValues } from "./session-values";
import type { Sessions } from "./sessions";

/** Says which value a text stands for: its number in the table and one more, or 0 when it stands for none. */
export type Reading = (bytes: Uint8Array, from: number, to: number) => number;

/** A text stands for itself. */
const asItIs =
  (table: TextTable): Reading =>
  (bytes, from, to) =>
    from === to ? 0 : table.numberOf(bytes, from, to) + 1;

/**
 * The value of a column in each session's earliest event that has one: one that is neither null nor an empty text, and
 * that stands for something. Each text of a segment is read once. Cost: one look at the first events of each visit.
 */
export class FirstValues implements KeptValues {
  private readonly of: Uint32Array;
  private readonly table: TextTable;

  constructor(
    sessions: Sessions,
    private readonly context: Context,
    private readonly column: string,
    readingInto: (table: TextTable) => Reading = asItIs,
  ) {
    const { budget } = context;
    this.table = new TextTable(context.secret, budget);
    const read = readingInto(this.table);
    this.of = budget.words(sessions.count + 1);
    const earliest = new EarliestRow(sessions.count + 1, budget);
    for (const id of sessions.segmentIds) {
      context.check();
      const segment = context.open(id);
      this.lookIn(segment, this.translate(segment, read), sessions.numbersIn(id), earliest);
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
  text(number: number): string {
    return this.table.text(number - 1);
  }
  byteAt(number: number, place: number): number {
    return this.table.byteAt(number - 1, place);
  }

  private lookIn(
    segment: Segment,
    numberOfCode: Uint32Array | null,
    numbers: Uint32Array,
    earliest: EarliestRow,
  ): void {
    const codes = numberOfCode === null ? null : segment.codes(this.column);
    if (numberOfCode === null || codes === null) return;
    const { firstTime, firstRows } = segment;
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    for (let v = 0; v < numbers.length; v++) {
      if (numbers[v] === 0) continue;
      const end = firstRows[v + 1];
      let row = firstRows[v];
      while (row < end && numberOfCode[codes[row]] === 0) row++;
      if (row === end) continue;
      const fromMs = firstTime + starts[v];
      const toMs = row === firstRows[v] ? fromMs : fromMs + durations[v];
      if (earliest.moves(numbers[v], { segment, row, fromMs, toMs }))
        this.of[numbers[v]] = numberOfCode[codes[row]];
    }
  }
  /** The number of the value that each code stands for; null when none of them stands for any. */
  private translate(segment: Segment, read: Reading): Uint32Array | null {
    const { bytes, starts, kinds, length } = segment.texts(this.column);
    const numbers = new Uint32Array(length + 1);
    let found = 0;
    this.context.budget.each(length, (index) => {
      if (kinds[index] === noText) return;
      found |= numbers[index + 1] = read(bytes, starts[index], starts[index + 1]);
    });
    return found === 0 ? null : numbers;
  }
}
