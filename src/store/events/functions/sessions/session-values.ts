import type { SessionField } from "../../../../domain/session-field";
import type { Segment } from "../../segment/segment";
import { noText } from "../../segment/texts";
import type { Context } from "../context";
import { ExtremeEvent } from "../sets/extreme-event";
import { TextTable } from "../sets/text-table";
import type { Sessions } from "./sessions";

/** A field of sessions: texts have numbers from 1; 0 is a session without a value. */
export interface SessionValues {
  /** Of texts. */
  readonly count: number;
  numberOf(session: number): number;
  text(number: number): string;
  byteAt(number: number, place: number): number;
}

export function valuesOf(sessions: Sessions, field: SessionField): SessionValues {
  if (field !== "session.entry_page" && field !== "session.exit_page") {
    return sessions.firstValues(columnOf(field));
  }
  const { pages } = sessions;
  const of = field === "session.entry_page" ? pages.entry : pages.exit;
  return {
    count: pages.count,
    numberOf: (session) => of[session] + 1,
    text: (number) => pages.name(number - 1),
    byteAt: (number, place) => pages.byteAt(number - 1, place),
  };
}

function columnOf(field: SessionField): string {
  const name = field.slice("session.".length);
  return name === "country" ? "event.country" : `property.${name}`;
}

/**
 * The value of a column in each session's earliest event that has one: one that is neither null nor an empty text.
 * Cost: one look at the first events of each visit.
 */
export class FirstValues implements SessionValues {
  private readonly of: Uint32Array;
  private readonly table: TextTable;

  constructor(
    sessions: Sessions,
    private readonly context: Context,
    private readonly column: string,
  ) {
    const { budget } = context;
    this.table = new TextTable(context.secret, budget);
    this.of = budget.words(sessions.count + 1);
    const earliest = new ExtremeEvent(sessions.count + 1, "earliest", budget);
    for (const id of sessions.segmentIds) {
      context.check();
      this.lookIn(context.open(id), sessions.numbersIn(id), earliest);
    }
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

  private lookIn(segment: Segment, numbers: Uint32Array, earliest: ExtremeEvent): void {
    const codes = segment.codes(this.column);
    if (codes === null) return;
    const numberOfCode = this.translate(segment);
    const { firstTime, firstRows } = segment;
    const starts = segment.integers("visit.start");
    for (let v = 0; v < numbers.length; v++) {
      if (numbers[v] === 0) continue;
      const end = firstRows[v + 1];
      let row = firstRows[v];
      while (row < end && numberOfCode[codes[row]] === 0) row++;
      if (row === end) continue;
      const timeMs = row === firstRows[v] ? firstTime + starts[v] : segment.timeAt(row);
      if (earliest.moves(numbers[v], timeMs, segment, row))
        this.of[numbers[v]] = numberOfCode[codes[row]];
    }
  }
  /** The number of the text of each code; 0 for none. */
  private translate(segment: Segment): Uint32Array {
    const { bytes, starts, kinds, length } = segment.texts(this.column);
    const numbers = new Uint32Array(length + 1);
    this.context.budget.each(length, (index) => {
      if (kinds[index] === noText || starts[index] === starts[index + 1]) return;
      numbers[index + 1] = this.table.numberOf(bytes, starts[index], starts[index + 1]) + 1;
    });
    return numbers;
  }
}
