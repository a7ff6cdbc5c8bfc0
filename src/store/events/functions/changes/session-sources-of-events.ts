import type { Integers } from "../../segment/codec";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import type { SessionValues } from "../sessions/kept-values";
import { numbersIn } from "../sessions/session-numbers";
import type { Sessions } from "../sessions/sessions";
import { type CodedRows, narrowestOf, type VisitLayer } from "../sets/row-values";
import type { ValuesOfEvents } from "./dimension-values";

/**
 * The source of each event's session. A visit is of one session, so that its events have one source; without a session
 * it is the value 0. Other segments tell of the session too, so that nothing of it is kept with one segment.
 */
export class SourcesOfEvents implements ValuesOfEvents {
  readonly name = null;
  private readonly values: SessionValues;
  private readonly known = new Map<Segment, CodedVisits>();
  /** The code of each value in the segment that is looked at. */
  private readonly codeOf: Uint32Array;

  constructor(
    private readonly context: Context,
    private readonly sessions: Sessions,
  ) {
    this.values = sessions.values.of("session.source");
    this.codeOf = context.budget.words(this.values.count + 1);
  }

  get count(): number {
    return this.values.count;
  }
  /** What is found of the sessions is made again when one of them has changed. */
  get grouping(): string {
    return `sources ${stampOf(this.values)}`;
  }
  in(segment: Segment): CodedRows {
    const known = this.known.get(segment) ?? this.codesIn(segment);
    this.known.set(segment, known);
    return known;
  }
  textsIn(segment: Segment): number {
    return this.in(segment).size - 1;
  }
  text(number: number): string {
    return this.values.text(number);
  }
  byteAt(number: number, place: number): number {
    return this.values.byteAt(number, place);
  }

  private codesIn(segment: Segment): CodedVisits {
    const { values, codeOf } = this;
    const sessions = numbersIn(this.sessions, segment);
    const numbers: number[] = [0];
    const codes = new Uint32Array(segment.visitCount);
    this.context.check();
    for (let visit = 0; sessions !== undefined && visit < codes.length; visit++) {
      const session = sessions[visit];
      if (session === 0) continue;
      const value = values.numberOf(session);
      if (codeOf[value] === 0) codeOf[value] = numbers.push(value) - 1;
      codes[visit] = codeOf[value];
    }
    for (const number of numbers) codeOf[number] = 0;
    const narrow = narrowestOf(numbers.length, codes.length);
    narrow.set(codes);
    return new CodedVisits(segment, narrow, Uint32Array.from(numbers));
  }
}

/** Values that visits have, with all their rows. */
class CodedVisits implements CodedRows {
  private ofRows: Integers | null = null;

  constructor(
    private readonly segment: Segment,
    private readonly visits: Integers,
    readonly numbers: Uint32Array,
  ) {}

  get size(): number {
    return this.numbers.length;
  }
  get byteLength(): number {
    return this.visits.byteLength + this.numbers.byteLength + (this.ofRows?.byteLength ?? 0);
  }
  get codes(): Integers {
    this.ofRows ??= this.rowsOfVisits();
    return this.ofRows;
  }
  get ofVisits(): VisitLayer {
    return { codes: this.visits, rows: null, codeOf: null };
  }
  private rowsOfVisits(): Integers {
    const { visits, segment, size } = this;
    const { firstRows, eventCount } = segment;
    const rows = narrowestOf(size, eventCount);
    for (let visit = 0; visit < visits.length; visit++) {
      rows.fill(visits[visit], firstRows[visit], firstRows[visit + 1]);
    }
    return rows;
  }
}

/** Values that were found once are one object until a session changes: a number for each. */
const stamps = new WeakMap<SessionValues, number>();
let stampsGiven = 0;
function stampOf(values: SessionValues): number {
  const known = stamps.get(values) ?? ++stampsGiven;
  stamps.set(values, known);
  return known;
}
