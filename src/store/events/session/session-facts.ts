/*
 * A table of sessions computes each fact at its first use.
 * Decision: a new table only has numbers. It computes the start, end, interaction, counts and user of its sessions one
 * by one, each when a read first needs it. A table that extends another computes those of new and changed sessions.
 * Because: new memory and the columns of visits are half of the cost of a table. A read of sessions by one of their
 * fields needs one byte of the 37 that all facts about a session take.
 * Cost: one loop over the visits for each fact.
 * Revisit: if most reads need all facts.
 */

import { kernel } from "../scan/kernel";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { valuesPerCheck } from "../sets/budget";
import type { Workspace } from "../sets/workspace";
import { type ColumnValues, SessionColumn, type ValuesType } from "./session-column";

/** The sessions that facts are about, by numbers from 1. */
export interface FactsSource {
  readonly count: number;
  /** The facts of the table that this one extends, and the numbers of the sessions that changed. */
  readonly base: SessionFacts | null;
  readonly changed: Uint32Array;
  /** By segment, the numbers of the visits of new and changed sessions. */
  readonly visits: Iterable<readonly [segment: number, numbers: Uint32Array]>;
}

/** The object has all its fields from the start, so that code that reads them stays fast. */
const nothing = {
  start: null as SessionColumn<Float64Array> | null,
  end: null as SessionColumn<Float64Array> | null,
  interactive: null as SessionColumn<Uint8Array> | null,
  events: null as SessionColumn<Uint32Array> | null,
  pageViews: null as SessionColumn<Uint32Array> | null,
  home: null as SessionColumn<Float64Array> | null,
  user: null as SessionColumn<Uint32Array> | null,
};
type Facts = typeof nothing;

/** Facts about sessions, which follow from all their visits. Index = number of the session. */
export class SessionFacts {
  private readonly known: Facts = { ...nothing };

  constructor(
    /** A function, because a table releases the one that it extends once it is independent. */
    private readonly source: () => FactsSource,
    private readonly workspace: Workspace,
  ) {}

  get bytes(): number {
    return Object.values(this.known).reduce((sum, column) => sum + (column?.bytes ?? 0), 0);
  }
  /** When the first event happened; infinite for a number without a session. */
  get start(): Float64Array {
    this.known.start ??= this.column(
      "start",
      Float64Array,
      Number.POSITIVE_INFINITY,
      (segment, numbers, start) =>
        addStarts(numbers, segment.integers("visit.start"), segment.firstTime, start),
    );
    return this.known.start.values;
  }
  /** When the last event happened. */
  get end(): Float64Array {
    this.known.end ??= this.column(
      "end",
      Float64Array,
      Number.NEGATIVE_INFINITY,
      (segment, numbers, end) => {
        const starts = segment.integers("visit.start");
        addEnds(numbers, starts, segment.integers("visit.duration"), segment.firstTime, end);
      },
    );
    return this.known.end.values;
  }
  /** 1 for a session with an event that counts as interaction. */
  get interactive(): Uint8Array {
    this.known.interactive ??= this.column(
      "interactive",
      Uint8Array,
      0,
      (segment, numbers, interactive) =>
        addMarks(numbers, segment.integers("visit.interactive"), interactive),
    );
    return this.known.interactive.values;
  }
  get events(): Uint32Array {
    this.known.events ??= this.column("events", Uint32Array, 0, (segment, numbers, events) =>
      addCounts(numbers, segment.integers("visit.events"), events),
    );
    return this.known.events.values;
  }
  get pageViews(): Uint32Array {
    this.known.pageViews ??= this.column(
      "pageViews",
      Uint32Array,
      0,
      (segment, numbers, pageViews) =>
        addCounts(numbers, segment.integers("visit.page_views"), pageViews),
    );
    return this.known.pageViews.values;
  }
  /** The latest visit with a user, or any visit of a session without one, as `homeOf` writes it; 0 = no session. */
  get home(): Float64Array {
    this.known.home ??= this.column("home", Float64Array, 0, (segment, numbers, home) =>
      addHomes(segment, numbers, home, this.workspace),
    );
    return this.known.home.values;
  }
  /** The user id as stored: the person that it belongs to may change during the life of the table; 0 = none. */
  get user(): Uint32Array {
    this.known.user ??= this.column("user", Uint32Array, 0, (segment, numbers, user) =>
      addUsers(numbers, this.home, homeOf(segment, 0), segment.users, user),
    );
    return this.known.user.values;
  }

  /** Computes the facts that the extended table has, so that the caller can release that table. */
  settle(): void {
    const known = this.source().base?.known ?? nothing;
    for (const name of Object.keys(known) as (keyof Facts)[])
      if (known[name] !== null) void this[name];
  }
  /** Restores the facts from before the extension. */
  takeBack(): void {
    for (const column of Object.values(this.known)) column?.takeBack();
  }

  private column<V extends ColumnValues>(
    name: keyof Facts,
    type: ValuesType<V>,
    initial: number,
    add: (segment: Segment, numbers: Uint32Array, values: V) => void,
  ): SessionColumn<V> {
    const { count, base, changed, visits } = this.source();
    const { budget, check, open } = this.workspace;
    if (base !== null) void base[name];
    const known = base?.known[name] as SessionColumn<V> | null | undefined;
    const column =
      known?.extended(count, changed, budget) ?? SessionColumn.of(type, initial, count, budget);
    for (const [id, numbers] of visits) {
      check();
      add(open(id), numbers, column.values);
    }
    return column;
  }
}

const addStarts = kernel(
  (numbers: Uint32Array, starts: Integers, firstTime: number, start: Float64Array): void => {
    for (let v = 0; v < numbers.length; v++) {
      const n = numbers[v];
      if (n !== 0 && firstTime + starts[v] < start[n]) start[n] = firstTime + starts[v];
    }
  },
);
const addEnds = kernel(
  (
    numbers: Uint32Array,
    starts: Integers,
    durations: Integers,
    firstTime: number,
    end: Float64Array,
  ): void => {
    for (let v = 0; v < numbers.length; v++) {
      const n = numbers[v];
      const endMs = firstTime + starts[v] + durations[v];
      if (n !== 0 && endMs > end[n]) end[n] = endMs;
    }
  },
);
const addMarks = kernel((numbers: Uint32Array, marks: Integers, marked: Uint8Array): void => {
  for (let v = 0; v < numbers.length; v++)
    if (marks[v] === 1 && numbers[v] !== 0) marked[numbers[v]] = 1;
});
const addCounts = kernel((numbers: Uint32Array, values: Integers, counts: Uint32Array): void => {
  for (let v = 0; v < numbers.length; v++) if (numbers[v] !== 0) counts[numbers[v]] += values[v];
});

/** A visit as one number. */
const visitsMax = 2 ** 24;
const homeOf = ({ id }: Segment, visit: number): number => id * visitsMax + visit;
export const segmentOfHome = (home: number): number => Math.floor(home / visitsMax);
export const visitOfHome = (home: number): number => home % visitsMax;

const addUsers = kernel(
  (
    numbers: Uint32Array,
    home: Float64Array,
    firstHome: number,
    users: Integers,
    user: Uint32Array,
  ): void => {
    for (let v = 0; v < numbers.length; v++)
      if (home[numbers[v]] === firstHome + v) user[numbers[v]] = users[v];
  },
);

function addHomes(
  segment: Segment,
  numbers: Uint32Array,
  home: Float64Array,
  { check, open }: Workspace,
): void {
  const { users } = segment;
  const firstHome = homeOf(segment, 0);
  const isLater = (visit: number, known: number): boolean => {
    const other = open(segmentOfHome(known));
    const otherVisit = visitOfHome(known);
    if (other.users[otherVisit] === 0) return true;
    const endMs = endOf(segment, visit);
    const otherMs = endOf(other, otherVisit);
    if (endMs !== otherMs) return endMs > otherMs;
    return lastTicketOf(segment, visit) > lastTicketOf(other, otherVisit);
  };
  for (let v = 0; v < numbers.length; v++) {
    if (v % valuesPerCheck === 0) check();
    const n = numbers[v];
    if (n === 0) continue;
    const known = home[n];
    if (known === 0 || (users[v] !== 0 && isLater(v, known))) home[n] = firstHome + v;
  }
}
const endOf = (segment: Segment, visit: number): number =>
  segment.firstTime +
  segment.integers("visit.start")[visit] +
  segment.integers("visit.duration")[visit];
const lastTicketOf = (segment: Segment, visit: number): number =>
  segment.ticketAt(segment.firstRows[visit + 1] - 1);
