import type { RetentionRequest } from "../../../domain/counting";
import { dayOf } from "../../../domain/event";
import { eventConditions } from "../../../domain/filter";
import type { FilterItem } from "../../../domain/filter-items";
import type { TimeWindow } from "../../../domain/time-window";
import { dayMs } from "../../../lib/clock";
import type { Cohort } from "../../questions";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { Filter, isWithin } from "./counting/filter";
import { type MarkedRows, mayHave, rowsMarked, rowsNamed } from "./counting/named-rows";
import { sessionsWith } from "./sessions/session-filter";

const usersPerCheck = 65_536;
/** Users that are handed on together. */
const usersAtOnce = 256;
const longAgo = Number.NEGATIVE_INFINITY;
const allTime: TimeWindow = { fromMs: longAgo, toMs: Number.POSITIVE_INFINITY };
/** Tells each user and time at which the user was active. */
type Activity = (found: ActiveUsers) => void;

/** Takes users and times, of which the first `count` are meant. */
type Take = (users: Uint32Array, times: Float64Array, count: number) => void;

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

function handOn(activity: Activity, takes: readonly Take[]): void {
  const found = new ActiveUsers(takes);
  activity(found);
  found.end();
}

/**
 * Users by the period of their first appearance, over all stored data, and in which later periods they were active
 * (definitions.md, Retention). Activity is a session's start, or an event of a name. At most 30 periods, that touch.
 */
export function retention(
  context: Context,
  all: readonly Segment[],
  { periods, event, returning_event: returningEvent, filters = [] }: RetentionRequest,
): Cohort[] {
  const [start] = periods;
  const end = periods.at(-1);
  if (all.length === 0 || start === undefined || end === undefined) return [];
  const window = { fromMs: start.fromMs, toMs: end.toMs };
  const periodAt = periodsByDay(periods);
  const returning = returningEvent ?? event;
  const limit = context.identity(all[0].projectId).largestIn(all, context.check) + 1;
  const first = context.budget.bytesOf(limit).fill(never); // index = user
  const active = context.budget.words(limit); // index = user; a bit per period
  const see = earliestPeriod(first, window, periodAt);
  const seeAgain = periodsIn(active, window, periodAt);
  const isOfSessions = event === null && filters.length === 0;
  if (isOfSessions && returning === null) {
    // The sessions in which users appear are those in which they come back.
    handOn(sessionStarts(context, all, filters), [see, seeAgain]);
  } else {
    const appeared = isOfSessions
      ? sessionStarts(context, all, filters)
      : firstOfVisits(context, all, window, event, filters);
    handOn(appeared, [see]);
    const cameBack =
      returning === null
        ? sessionStarts(context, all, filters)
        : periodsOfVisits(context, all, window, returning, filters, periodAt);
    handOn(cameBack, [seeAgain]);
  }
  const cohorts = periods.map((_, period) => ({
    period,
    users: 0,
    retained: Array<number>(periods.length - period).fill(0),
  }));
  for (let user = 1; user < first.length; user++) {
    if (user % usersPerCheck === 0) context.check();
    if (first[user] !== never && first[user] !== before)
      addTo(cohorts[first[user] - firstPeriod], active[user]);
  }
  return cohorts.filter(({ users }) => users > 0);
}

/** When a user appeared first: before the window, in a period from `firstPeriod` on, or not until its end. */
const before = 0;
const firstPeriod = 1;
const never = 255;

/** Keeps the period of each user's first appearance, in a byte: of millions of users the caches hold most. */
function earliestPeriod(
  first: Uint8Array,
  { fromMs, toMs }: TimeWindow,
  periodAt: (timeMs: number) => number,
): Take {
  const codes = new Uint8Array(usersAtOnce);
  return (users, times, count) => {
    for (let place = 0; place < count; place++) {
      const timeMs = times[place];
      if (timeMs < fromMs) codes[place] = before;
      else codes[place] = timeMs < toMs ? firstPeriod + periodAt(timeMs) : never;
    }
    for (let place = 0; place < count; place++) {
      const user = users[place];
      if (codes[place] < first[user]) first[user] = codes[place];
    }
  };
}

/** Keeps the periods of each user's times in the window, as bits. */
function periodsIn(
  active: Uint32Array,
  { fromMs, toMs }: TimeWindow,
  periodAt: (timeMs: number) => number,
): Take {
  const bits = new Int32Array(usersAtOnce);
  return (users, times, count) => {
    for (let place = 0; place < count; place++) {
      const timeMs = times[place];
      bits[place] = timeMs >= fromMs && timeMs < toMs ? 1 << periodAt(timeMs) : 0;
    }
    for (let place = 0; place < count; place++) active[users[place]] |= bits[place];
  };
}

/** One more user, active in the periods whose bits are set; the period of the first appearance always counts. */
function addTo(
  cohort: { readonly period: number; users: number; readonly retained: number[] },
  active: number,
): void {
  const { period, retained } = cohort;
  cohort.users++;
  retained[0]++;
  for (let offset = 1; offset < retained.length; offset++) {
    retained[offset] += (active >>> (period + offset)) & 1;
  }
}

/** Makes a function that returns the period of a time. The time must be in one. */
function periodsByDay(periods: readonly TimeWindow[]): (timeMs: number) => number {
  const firstDay = dayOf(periods[0].fromMs);
  const lastDay = dayOf(periods[periods.length - 1].toMs);
  // Periods are looked up by the beginning of the UTC day, on which others may begin.
  const periodOf = Array.from({ length: lastDay - firstDay + 1 }, (_, index) =>
    Math.max(
      0,
      periods.findLastIndex(({ fromMs }) => fromMs <= (firstDay + index) * dayMs),
    ),
  );
  // Times that follow each other are mostly in one period.
  let last = 0;
  return (timeMs) => {
    if (timeMs >= periods[last].fromMs && timeMs < periods[last].toMs) return last;
    last = periodOf[dayOf(timeMs) - firstDay];
    while (timeMs >= periods[last].toMs) last++;
    return last;
  };
}

function sessionStarts(
  context: Context,
  all: readonly Segment[],
  filters: readonly FilterItem[],
): Activity {
  const sessions = context.tables.sessions(all, allTime);
  const matching = sessions && sessionsWith(context, sessions, all, { ...allTime, filters });
  return (found) => {
    if (sessions === null) return;
    const identity = context.identity(all[0].projectId);
    for (let n = 1; n <= sessions.count; n++) {
      if (matching !== null && matching[n] === 0) continue;
      const user = sessions.userOf(n, identity);
      if (user !== 0) found.add(user, sessions.start[n]);
    }
  };
}

/**
 * The first event of the name in each visit; how long before the window does not matter. Cost: segments before it tell
 * who had such events without a look at their times.
 */
function firstOfVisits(
  context: Context,
  all: readonly Segment[],
  { fromMs }: TimeWindow,
  event: string | null,
  filters: readonly FilterItem[],
): Activity {
  const visits = visitsWith(context, all, allTime, event, filters);
  return (found) => {
    for (const segment of all) {
      const isBefore = segment.lastTime < fromMs;
      const { firstTime } = segment;
      let times: Uint32Array | null = null;
      visits(segment, (user, rows, from, to) => {
        if (isBefore && rows.masks !== null) {
          found.add(user, longAgo);
          return;
        }
        const row = nextMarked(rows, from, to);
        if (row === to) return;
        if (!isBefore) times ??= segment.times;
        found.add(user, times === null ? longAgo : firstTime + times[row]);
      });
    }
  };
}

/** An event of the name in each visit and period. */
function periodsOfVisits(
  context: Context,
  all: readonly Segment[],
  window: TimeWindow,
  event: string,
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
      visits(segment, (user, rows, from, to) => {
        for (let i = nextMarked(rows, from, to); i < to; i = nextMarked(rows, i + 1, to)) {
          if (!isOfOne) times ??= segment.times;
          found.add(user, times === null ? firstTime : firstTime + times[i]);
          if (isOfOne) break;
        }
      });
    }
  };
}

type SeeVisit = (user: number, rows: MarkedRows, from: number, to: number) => void;

/** Calls for the visits of a user that may have an event of the name, or any, for which the filters hold. */
function visitsWith(
  context: Context,
  all: readonly Segment[],
  window: TimeWindow,
  event: string | null,
  filters: readonly FilterItem[],
): (segment: Segment, see: SeeVisit) => void {
  const identity = context.identity(all[0].projectId);
  const filter = new Filter(context, [...eventConditions(event), ...filters], identity);
  const name = filters.length === 0 ? event : null;
  return (segment, see) => {
    context.check();
    const named = name === null ? undefined : rowsNamed(segment, window, name);
    const rows = named === undefined ? rowsMarked(segment, filter.select(segment, window)) : named;
    if (rows === null) return;
    const users = identity.usersOf(segment);
    const { firstRows } = segment;
    for (let v = 0; v < users.length; v++) {
      if (users[v] !== 0 && mayHave(rows, v)) see(users[v], rows, firstRows[v], firstRows[v + 1]);
    }
  };
}

function nextMarked({ marks, wanted }: MarkedRows, from: number, to: number): number {
  let row = from;
  while (row < to && marks[row] !== wanted) row++;
  return row;
}
