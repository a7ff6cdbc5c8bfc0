import { eventConditions } from "../../../domain/filter";
import type { FilteredWindow, FilterItem } from "../../../domain/filter-items";
import type { TimeWindow } from "../../../domain/time-window";
import { sessionsWith } from "../aggregate/session-filter";
import type { Context } from "../filter/context";
import { Filter } from "../filter/filter";
import { isWithin } from "../scan/range";
import type { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import { nextOfStep } from "./step-rows";

/** Users that are handed on together. */
export const usersAtOnce = 256;

const longAgo = Number.NEGATIVE_INFINITY;
const allTime: TimeWindow = { fromMs: longAgo, toMs: Number.POSITIVE_INFINITY };
/** Tells each user and time at which the user was active. */
type Activity = (found: ActiveUsers) => void;

/** Takes users and times, of which the first `count` are meant. */
export type Take = (users: Uint32Array, times: Float64Array, count: number) => void;

/**
 * Users and when they were active, handed on some at a time: what is kept of all users is too much for the processor's
 * caches, and a loop that does nothing else waits for the memory of several of them at once.
 */
class ActiveUsers {
  private readonly users = new Uint32Array(usersAtOnce);
  private readonly times = new Float64Array(usersAtOnce);
  private count = 0;

  constructor(private readonly takes: readonly Take[]) {}

  add(user: number, timeMs: number): void {
    this.users[this.count] = user;
    this.times[this.count++] = timeMs;
    if (this.count === usersAtOnce) this.end();
  }
  /** Hands on what is left. */
  end(): void {
    for (const take of this.takes) take(this.users, this.times, this.count);
    this.count = 0;
  }
}

/** Lets an activity be taken, in the same order by each. */
export function handOn(activity: Activity, takes: readonly Take[]): void {
  const found = new ActiveUsers(takes);
  activity(found);
  found.end();
}

/** The start of each session, or of those with an event for which the filters hold. */
export function sessionStarts(
  context: Context,
  all: readonly Segment[],
  filters: readonly FilterItem[],
): Activity {
  const sessions = context.tables.sessions(all, allTime);
  const matching = sessions && sessionsWith(context, sessions, all, { ...allTime, filters });
  return (found) => {
    if (sessions === null) return;
    const identity = context.identity(all[0].projectId);
    const { start } = sessions;
    for (let n = 1; n <= sessions.count; n++) {
      if (matching !== null && matching[n] === 0) continue;
      const user = sessions.userOf(n, identity);
      if (user !== 0) found.add(user, start[n]);
    }
  };
}

/**
 * The first event of the name in each visit; how long before the window does not matter. Cost: segments before it tell
 * who had such events without a look at their times.
 */
export function firstOfVisits(
  context: Context,
  all: readonly Segment[],
  { fromMs }: TimeWindow,
  event: string,
  filters: readonly FilterItem[],
): Activity {
  const visits = visitsWith(context, all, allTime, event, filters);
  return (found) => {
    for (const segment of all) {
      const isBefore = segment.lastTime < fromMs;
      const { firstTime } = segment;
      let times: Uint32Array | null = null;
      visits(segment, (user, test, from, to) => {
        if (isBefore) {
          found.add(user, longAgo);
          return;
        }
        times ??= segment.times;
        found.add(user, firstTime + times[nextOfStep(test(), from, to)]);
      });
    }
  };
}

/** Any event in each visit and period. Cost: visits alone, but for those that go on into another period. */
export function periodsOfAllVisits(
  context: Context,
  all: readonly Segment[],
  window: TimeWindow,
  periodAt: (timeMs: number) => number,
): Activity {
  const identity = context.identity(all[0].projectId);
  return (found) => {
    for (const segment of all) {
      if (segment.lastTime < window.fromMs || segment.firstTime >= window.toMs) continue;
      context.check();
      const { firstTime, firstRows } = segment;
      const users = identity.usersOf(segment);
      const starts = segment.integers("visit.start");
      const durations = segment.integers("visit.duration");
      for (let v = 0; v < users.length; v++) {
        const startMs = firstTime + starts[v];
        const endMs = startMs + durations[v];
        if (users[v] === 0 || endMs < window.fromMs || startMs >= window.toMs) continue;
        const isWhole = startMs >= window.fromMs && endMs < window.toMs;
        if (isWhole && periodAt(startMs) === periodAt(endMs)) {
          found.add(users[v], startMs);
          continue;
        }
        const { times } = segment;
        for (let row = firstRows[v]; row < firstRows[v + 1]; row++)
          found.add(users[v], firstTime + times[row]);
      }
    }
  };
}

/** An event of the name, or any, in each visit and period. */
export function periodsOfVisits(
  context: Context,
  all: readonly Segment[],
  window: TimeWindow,
  event: string | null,
  filters: readonly FilterItem[],
  periodAt: (timeMs: number) => number,
): Activity {
  const visits = visitsWith(context, all, window, event, filters);
  return (found) => {
    for (const segment of all) {
      if (segment.lastTime < window.fromMs || segment.firstTime >= window.toMs) continue;
      const isOfOne =
        isWithin(segment, window) && periodAt(segment.firstTime) === periodAt(segment.lastTime);
      const { firstTime } = segment;
      let times: Uint32Array | null = null;
      visits(segment, (user, test, from, to) => {
        if (isOfOne) {
          found.add(user, firstTime);
          return;
        }
        times ??= segment.times;
        const passing = test();
        for (let i = nextOfStep(passing, from, to); i < to; i = nextOfStep(passing, i + 1, to))
          found.add(user, firstTime + times[i]);
      });
    }
  };
}

/** The row of an event. */
interface EventRow {
  readonly segment: Segment;
  readonly visit: number;
  readonly row: number;
}

/** Calls `see` with the first event of the name in each visit that is in the window and passes its filters. */
export function eachFirstRow(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  event: string,
  see: (user: number, event: EventRow) => void,
): void {
  const visits = visitsWith(context, all, window, event, window.filters ?? []);
  for (const segment of all) {
    if (segment.lastTime < window.fromMs || segment.firstTime >= window.toMs) continue;
    visits(segment, (user, test, from, to, visit) =>
      see(user, { segment, visit, row: nextOfStep(test(), from, to) }),
    );
  }
}

/** `test` reads the rows: most callers need only the visits that have such a row. */
type SeeVisit = (
  user: number,
  test: () => RowCheck,
  from: number,
  to: number,
  visit: number,
) => void;
type RowCheck = Selection["test"];

/** Returns a loop over the visits of users that have an event of the name, or any event, that passes the filters. */
function visitsWith(
  context: Context,
  all: readonly Segment[],
  window: TimeWindow,
  event: string | null,
  filters: readonly FilterItem[],
): (segment: Segment, see: SeeVisit) => void {
  const identity = context.identity(all[0].projectId);
  const filter = new Filter(context, [...eventConditions(event), ...filters], identity);
  return (segment, see) => {
    context.check();
    const selection = filter.select(segment, window);
    if (selection.isNone) return;
    const users = identity.usersOf(segment);
    const { visits } = selection;
    const { firstRows } = segment;
    let known: RowCheck | null = null;
    const test = (): RowCheck => {
      known ??= selection.test;
      return known;
    };
    for (let v = 0; v < users.length; v++) {
      if (users[v] !== 0 && visits[v] === 1) see(users[v], test, firstRows[v], firstRows[v + 1], v);
    }
  };
}
