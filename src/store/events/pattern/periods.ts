import { eventConditions } from "../../../domain/filter";
import type { FilterItem } from "../../../domain/filter-items";
import { allTime } from "../../../domain/period";
import type { TimeWindow } from "../../../domain/time-window";
import { lowerBound } from "../../../lib/sorted";
import { sessionsWith } from "../aggregate/session-filter";
import type { Context } from "../filter/context";
import { Filter } from "../filter/filter";
import type { Identity } from "../scan/identity";
import { kernel } from "../scan/kernel";
import type { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import { nextOfStep } from "./step-rows";

/** The bit of all time before the first period. */
const before = 1;

/** At most 31 periods without gaps, as bits of a word. Time after the last period has no bit. */
export class Periods {
  readonly window: TimeWindow;
  /** When each period begins. */
  private readonly starts: readonly number[];
  /** The period of the last time: times that follow each other mostly lie in one period. */
  private last = 0;

  constructor(private readonly periods: readonly TimeWindow[]) {
    this.window = { fromMs: periods[0].fromMs, toMs: periods[periods.length - 1].toMs };
    this.starts = periods.map(({ fromMs }) => fromMs);
  }

  get count(): number {
    return this.periods.length;
  }

  bitAt(timeMs: number): number {
    const { periods, window } = this;
    if (timeMs < window.fromMs) return before;
    if (timeMs >= window.toMs) return 0;
    if (timeMs < periods[this.last].fromMs || timeMs >= periods[this.last].toMs)
      this.last = lowerBound(timeMs + 1, this.starts) - 1;
    return bitOf(this.last);
  }

  /** Returns the bits of the selected rows of each visit. Only visits that lie in several periods need their rows. */
  ofVisits(selection: Selection): Uint32Array {
    const { segment, visits } = selection;
    const { firstTime, lastTime } = segment;
    const bits = new Uint32Array(visits);
    const first = this.bitAt(firstTime);
    if (first === this.bitAt(lastTime)) return bits.map((visit) => visit * first);
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    for (let v = 0; v < bits.length; v++) {
      if (visits[v] === 0) continue;
      const startMs = firstTime + starts[v];
      bits[v] = this.bitAt(startMs);
      if (this.bitAt(startMs + durations[v]) !== bits[v]) bits[v] = this.ofRows(selection, v);
    }
    return bits;
  }
  private ofRows({ segment, test }: Selection, visit: number): number {
    const { firstTime, times, firstRows } = segment;
    const end = firstRows[visit + 1];
    let bits = 0;
    for (
      let row = nextOfStep(test, firstRows[visit], end);
      row < end;
      row = nextOfStep(test, row + 1, end)
    )
      bits |= this.bitAt(firstTime + times[row]);
    return bits;
  }
}

export const bitOf = (period: number): number => 2 << period;

/** Returns the period of the lowest bit; below 0 for time before the first period, or without any bit. */
export const firstPeriodOf = (bits: number): number => 30 - Math.clz32(bits & -bits);

/** Loops that do one thing for many sessions take half the time: they wait for the memory of several at once. */
const sessionsAtOnce = 4_096;

/** The number of visits and sessions without a user. */
const nobody = 0;

/** Collects the periods in which users were active: the bits of each user, by number. */
export class PeriodsOfUsers {
  private readonly identity: Identity;
  private readonly userLimit: number;

  constructor(
    private readonly context: Context,
    private readonly all: readonly Segment[],
    private readonly periods: Periods,
    private readonly filters: readonly FilterItem[],
  ) {
    this.identity = context.identity(all[0].projectId);
    this.userLimit = this.identity.largestIn(all, context.check) + 1;
  }

  /** Returns the periods in which sessions began that have an event for which the filters hold. */
  ofSessions(): Uint32Array {
    const { context, all, identity, periods, filters } = this;
    const ofUsers = context.budget.words(this.userLimit);
    const sessions = context.tables.sessions(all, allTime);
    if (sessions === null) return ofUsers;
    const marks = sessionsWith(context, sessions, all, { ...allTime, filters });
    const { count, start } = sessions;
    const users = new Uint32Array(Math.min(count, sessionsAtOnce));
    const bits = new Uint32Array(users.length);
    for (let first = 1; first <= count; first += users.length) {
      context.check();
      const length = Math.min(users.length, count + 1 - first);
      for (let at = 0; at < length; at++) {
        const n = first + at;
        users[at] = sessions.userOf(n, identity);
        bits[at] = marks?.[n] === 0 ? 0 : periods.bitAt(start[n]);
      }
      addToUsers(users.subarray(0, length), bits, ofUsers);
    }
    ofUsers[nobody] = 0;
    return ofUsers;
  }

  /** Returns the periods with an event of the name, or with any event, for which the filters hold. */
  ofEvents(event: string | null, segments = this.all): Uint32Array {
    const { context, identity, periods } = this;
    const ofUsers = context.budget.words(this.userLimit);
    const filter = new Filter(context, [...eventConditions(event), ...this.filters], identity);
    for (const segment of segments) {
      if (segment.firstTime >= periods.window.toMs) continue;
      const selection = filter.select(segment, allTime);
      if (!selection.isNone)
        addToUsers(identity.usersOf(segment), periods.ofVisits(selection), ofUsers);
    }
    ofUsers[nobody] = 0;
    return ofUsers;
  }
}
const addToUsers = kernel((users: Uint32Array, bits: Uint32Array, ofUsers: Uint32Array): void => {
  for (let i = 0; i < users.length; i++) ofUsers[users[i]] |= bits[i];
});
