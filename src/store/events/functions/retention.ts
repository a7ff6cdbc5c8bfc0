import type { RetentionRequest } from "../../../domain/counting";
import { eventConditions } from "../../../domain/filter";
import type { TimeWindow } from "../../../domain/period";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { Filter } from "./filter";
import { mayHave, rowsMarked, rowsNamed } from "./named-rows";
import { largest } from "./selection";

export interface Cohort {
  /** Index of the period of first appearance. */
  readonly period: number;
  readonly users: number;
  /** Active users of that period and of each later one. */
  readonly retained: number[];
}

const usersMax = 10_000;
const allTime: TimeWindow = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };
/** Calls for each user and time at which the user was active. */
type Activity = (see: (user: number, timeMs: number) => void) => void;

/**
 * Users by the period of their first appearance, over all stored data, and in which later periods they were active
 * (reads.md, GET /retention). Activity is a session's start, or an event of a name. At most 30 periods, that touch.
 */
export function retention(
  context: Context,
  all: readonly Segment[],
  { periods, event, returning_event: returningEvent }: RetentionRequest,
): Cohort[] {
  const [start] = periods;
  const end = periods.at(-1);
  if (all.length === 0 || start === undefined || end === undefined) return [];
  const window = { fromMs: start.fromMs, toMs: end.toMs };
  const returning = returningEvent ?? event;
  const first = firstTimes(context, all, activityOf(context, all, allTime, event));
  const users = firstUsers(first, window);

  const active = new Uint32Array(first.length); // index = user; a bit per period
  activityOf(
    context,
    all,
    window,
    returning,
  )((user, timeMs) => {
    if (timeMs >= window.fromMs && timeMs < window.toMs)
      active[user] |= 1 << periodAt(periods, timeMs);
  });
  const cohorts = periods.map((_, period) => ({ period, members: [] as number[] }));
  for (const user of users) cohorts[periodAt(periods, first[user])].members.push(user);
  return cohorts
    .filter(({ members }) => members.length > 0)
    .map(({ period, members }) => ({
      period,
      users: members.length,
      retained: periods.slice(period).map((_, offset) => {
        if (offset === 0) return members.length;
        return members.filter((user) => ((active[user] >>> (period + offset)) & 1) === 1).length;
      }),
    }));
}

function periodAt(periods: readonly TimeWindow[], timeMs: number): number {
  let period = 0;
  while (timeMs >= periods[period].toMs) period++;
  return period;
}

function activityOf(
  context: Context,
  all: readonly Segment[],
  window: TimeWindow,
  event: string | null,
): Activity {
  return event === null ? sessionStarts(context, all) : eventsNamed(context, all, window, event);
}

function sessionStarts(context: Context, all: readonly Segment[]): Activity {
  const sessions = context.sessions(all, allTime);
  return (see) => {
    if (sessions === null) return;
    const identity = context.identity(all[0].projectId);
    for (let n = 1; n <= sessions.count; n++) {
      const user = sessions.userOf(n, identity);
      if (user !== 0) see(user, sessions.start[n]);
    }
  };
}

function eventsNamed(
  context: Context,
  all: readonly Segment[],
  window: TimeWindow,
  event: string,
): Activity {
  const identity = context.identity(all[0].projectId);
  const filter = new Filter(context, eventConditions(event), identity);
  return (see) => {
    for (const segment of all) {
      if (segment.lastTime < window.fromMs || segment.firstTime >= window.toMs) continue;
      context.check();
      const named = rowsNamed(segment, window, event);
      const rows = named === undefined ? rowsMarked(filter.select(segment, window)) : named;
      if (rows === null) continue;
      const { marks, wanted } = rows;
      const users = identity.usersOf(segment);
      const { firstRows, firstTime, times } = segment;
      for (let v = 0; v < users.length; v++) {
        if (users[v] === 0 || !mayHave(rows, v)) continue;
        for (let i = firstRows[v]; i < firstRows[v + 1]; i++) {
          if (marks[i] === wanted) see(users[v], firstTime + times[i]);
        }
      }
    }
  };
}

/** Index = user; Infinity for those who never appeared. */
function firstTimes(context: Context, all: readonly Segment[], activity: Activity): Float64Array {
  const identity = context.identity(all[0].projectId);
  let last = 0;
  for (const segment of all) {
    const users = identity.usersOf(segment);
    for (let v = 0; v < users.length; v++) if (users[v] > last) last = users[v];
  }
  const first = new Float64Array(last + 1).fill(Number.POSITIVE_INFINITY);
  activity((user, timeMs) => {
    if (timeMs < first[user]) first[user] = timeMs;
  });
  return first;
}

/** Those who appeared first within the window; of very many, the earliest. */
function firstUsers(first: Float64Array, { fromMs, toMs }: TimeWindow): number[] {
  const users: number[] = [];
  for (let user = 1; user < first.length; user++) {
    if (first[user] >= fromMs && first[user] < toMs) users.push(user);
  }
  if (users.length <= usersMax) return users;
  return largest(users, usersMax, (user) => -first[user])
    .toSorted((a, b) => first[a] - first[b] || a - b)
    .slice(0, usersMax);
}
