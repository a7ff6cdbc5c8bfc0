import type { Context } from "../filter/context";
import type { Identity } from "../scan/identity";
import { kernel } from "../scan/kernel";
import { columnVector, constant, type Key, type Label, ofAll, type Piece } from "../scan/vector";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { noText } from "../segment/texts";
import { numbersIn, type SessionNumbers } from "../session/session-numbers";
import type { VisitField } from "../session/visit-field";
import { firstInOrder } from "../sets/largest";
import { TextTable } from "../sets/text-table";
import { firstSessions, firstUsers, type SessionIds } from "./first-labels";

/** A dictionary column. Values that compare as the same text are one. */
export class ColumnKey implements Key {
  /** The number of each code, by segment. Several windows may have rows of the same segment. */
  private readonly known = new Map<Segment, Uint32Array>();

  /** Keys that share a table have the same numbers. */
  constructor(
    private readonly column: string,
    private readonly context: Context,
    private readonly table = new TextTable(context.secret, context.budget),
  ) {}

  pieces(segment: Segment): readonly Piece[] {
    const vector = columnVector(segment, this.column, (counts) => this.numbersOf(segment, counts));
    return ofAll(segment, vector ?? constant(0));
  }
  /** The table takes many texts at a time: if the processor's cache cannot hold it, single look-ups wait for memory. */
  private numbersOf(segment: Segment, counts: ArrayLike<number>): Uint32Array {
    const { bytes, starts, kinds, length } = segment.texts(this.column);
    const { budget } = this.context;
    const numbers = this.known.get(segment) ?? budget.words(length + 1);
    this.known.set(segment, numbers);
    const places = budget.words(length);
    let count = 0;
    for (let place = 0; place < length; place++)
      if (counts[place + 1] > 0 && numbers[place + 1] === 0 && kinds[place] !== noText)
        places[count++] = place;
    this.table.numberEach({ bytes, starts }, places.subarray(0, count), (place, number) => {
      numbers[place + 1] = number + 1;
    });
    budget.giveBack(places.byteLength);
    return numbers;
  }

  close(): void {
    this.table.close();
  }
  label(number: number): Label {
    return number === 0 ? null : this.table.text(number - 1);
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    const { table, context } = this;
    const byteAt = (number: number, place: number): number => table.byteAt(number - 1, place);
    return firstTexts(numbers, count, byteAt, context);
  }
}

/** Returns the first of many texts in their order; no text (0) comes before all. */
export function firstTexts(
  numbers: Uint32Array,
  count: number,
  byteAt: (number: number, place: number) => number,
  { budget }: Context,
): ReadonlySet<number> {
  const none = numbers.includes(0) && count > 0 ? [0] : [];
  const texts = none.length === 0 ? numbers : numbers.filter((number) => number !== 0);
  return new Set([...none, ...firstInOrder(texts, count - none.length, byteAt, budget).first]);
}

/** Returns codes of visits that are the same numbers in all segments. */
const dense = (segment: Segment, codes: Integers, size: number): readonly Piece[] =>
  ofAll(segment, { grain: "visit", codes, size, numbers: () => [null], column: null, name: null });

/** Users have numbers already; their names are looked up only where they matter. */
export class UserKey implements Key {
  readonly numbersEnd: number;

  /** No row has a user with a larger number. */
  constructor(
    private readonly identity: Identity,
    largest: number,
    private readonly context: Context,
  ) {
    this.numbersEnd = largest + 1;
  }
  pieces(segment: Segment): readonly Piece[] {
    return dense(segment, this.identity.usersOf(segment), this.numbersEnd);
  }
  label(number: number): Label {
    return this.identity.nameOf(number);
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    return new Set(firstUsers(this.identity, numbers, count, this.context.budget));
  }
}

/** Sessions. A segment with one of a session's visits has its id. */
export class SessionKey implements Key {
  readonly numbersEnd: number;
  /** The ids of the sessions that may be shown. */
  private ids: SessionIds = new Map();
  private knownHomes: Homes | null = null;

  constructor(
    private readonly numbers: SessionNumbers,
    private readonly context: Context,
  ) {
    this.numbersEnd = numbers.count + 1;
  }
  pieces(segment: Segment): readonly Piece[] {
    // A segment in which nobody has a session has no numbers.
    const codes = numbersIn(this.numbers, segment) ?? new Uint32Array(segment.visitCount);
    return dense(segment, codes, this.numbersEnd);
  }
  label(number: number): Label {
    if (number === 0) return null;
    const known = this.ids.get(number);
    if (known !== undefined) return known;
    this.knownHomes ??= homesOf(this.numbers, this.context);
    const { segments, visits } = this.knownHomes;
    return this.context.open(segments[number]).sessionIdAt(visits[number]);
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    this.ids = firstSessions(this.context, this.numbers, numbers, count);
    return new Set(this.ids.keys());
  }
}

/** By session, a segment and a visit that have its id. */
interface Homes {
  readonly segments: Uint32Array;
  readonly visits: Uint32Array;
}
function homesOf(numbers: SessionNumbers, { budget }: Context): Homes {
  const segments = budget.words(numbers.count + 1);
  const visits = budget.words(numbers.count + 1);
  for (const [id, of] of numbers.of) {
    budget.check();
    for (let visit = 0; visit < of.length; visit++) {
      segments[of[visit]] = id;
      visits[of[visit]] = visit;
    }
  }
  return { segments, visits };
}

/** A field of the session of each visit, or of the earliest session of its user. */
export class SessionFieldKey implements Key {
  readonly numbersEnd: number;
  private knownValues: Uint32Array | null = null;

  constructor(
    /** Null where there are no sessions. */
    private readonly field: VisitField | null,
    /** The number of sessions that may have a value. */
    private readonly sessions: number,
    private readonly context: Context,
  ) {
    this.numbersEnd = (field?.values.count ?? 0) + 1;
  }
  pieces(segment: Segment): readonly Piece[] {
    const { field } = this;
    const sessions = field?.sessionsOf(segment) ?? noSessions;
    const codes = new Uint32Array(segment.visitCount);
    if (sessions.length > 0) valuesOf(sessions, this.valueOfSession, codes);
    return dense(segment, codes, this.numbersEnd);
  }
  /** By session, the number of its value: a look-up for each visit takes several times as long. */
  private get valueOfSession(): Uint32Array {
    const { field, context, sessions } = this;
    if (this.knownValues === null) {
      this.knownValues = context.budget.words(sessions + 1);
      field?.values.copyInto(this.knownValues.subarray(1), 1);
    }
    return this.knownValues;
  }
  label(number: number): string | null {
    return number === 0 ? null : (this.field?.values.text(number) ?? null);
  }
  first(numbers: Uint32Array, count: number): ReadonlySet<number> {
    const byteAt = (number: number, place: number): number =>
      this.field?.values.byteAt(number, place) ?? -1;
    return firstTexts(numbers, count, byteAt, this.context);
  }
}
const noSessions = new Uint32Array(0);
const valuesOf = kernel((sessions: Uint32Array, values: Uint32Array, codes: Uint32Array): void => {
  for (let v = 0; v < codes.length; v++) codes[v] = values[sessions[v]];
});
