import type { RetentionRequest } from "../../../domain/counting";
import { dayOf } from "../../../domain/event";
import type { TimeWindow } from "../../../domain/time-window";
import { dayMs } from "../../../lib/clock";
import type { Cohort, RetentionResult } from "../../cohorts";
import type { Context } from "../filter/context";
import { type GroupedUsers, groupUsers, type NewUsers } from "../pattern/first-appearances";
import {
  firstOfVisits,
  handOn,
  periodsOfAllVisits,
  periodsOfVisits,
  sessionStarts,
  type Take,
  usersAtOnce,
} from "../pattern/user-activity";
import type { Segment } from "../segment/segment";

const usersPerCheck = 65_536;

/**
 * Users by the period of their first appearance, over all stored data, and in which later periods they were active
 * (definitions.md, Retention). At most 30 periods, that touch.
 */
export function retention(
  context: Context,
  all: readonly Segment[],
  request: RetentionRequest,
): Retained {
  const { periods, event, returning_event: returningEvent, filters = [], breakdown } = request;
  const [start] = periods;
  const end = periods.at(-1);
  if (all.length === 0 || start === undefined || end === undefined) return nobody;
  const window = { fromMs: start.fromMs, toMs: end.toMs };
  const periodAt = periodsByDay(periods);
  const limit = context.identity(all[0].projectId).largestIn(all, context.check) + 1;
  const first = context.budget.bytesOf(limit).fill(never); // index = user
  const active = context.budget.words(limit); // index = user; a bit per period
  const see = earliestPeriod(first, window, periodAt);
  const seeAgain = periodsIn(active, window, periodAt);
  if (event === null && returningEvent === null) {
    // The sessions in which users appear are those in which they come back.
    handOn(sessionStarts(context, all, filters), [see, seeAgain]);
  } else {
    const appeared =
      event === null
        ? sessionStarts(context, all, filters)
        : firstOfVisits(context, all, window, event, filters);
    handOn(appeared, [see]);
    const isOfAny = returningEvent === null && filters.length === 0;
    const cameBack = isOfAny
      ? periodsOfAllVisits(context, all, window, periodAt)
      : periodsOfVisits(context, all, window, returningEvent, filters, periodAt);
    handOn(cameBack, [seeAgain]);
  }
  const has = (user: number): boolean => first[user] !== never && first[user] !== before;
  const users = { window, limit, has };
  const grouped =
    breakdown === undefined ? null : groupUsers(context, all, { ...request, breakdown }, users);
  const periodOf = (user: number): number => first[user] - firstPeriod;
  const appearances = { users, periodOf, active, periods: periods.length };
  return countCohorts(appearances, grouped, context.check);
}

interface Appearances {
  readonly users: NewUsers;
  /** The period of a new user's first appearance. */
  periodOf(user: number): number;
  readonly active: Uint32Array;
  /** The number of periods. */
  readonly periods: number;
}

function countCohorts(
  { users, periodOf, active, periods }: Appearances,
  grouped: GroupedUsers | null,
  check: () => void,
): Retained {
  const values = grouped?.values ?? [];
  const cohorts = emptyCohorts(periods);
  const ofGroups = values.map(() => emptyCohorts(periods));
  for (let user = 1; user < users.limit; user++) {
    if (user % usersPerCheck === 0) check();
    if (!users.has(user)) continue;
    addTo(cohorts[periodOf(user)], active[user]);
    const group = grouped === null ? -1 : grouped.groupOf(user);
    if (group >= 0) addTo(ofGroups[group][periodOf(user)], active[user]);
  }
  return {
    cohorts: cohorts.filter(hasUsers),
    groups: values.map((value, group) => ({ value, cohorts: ofGroups[group].filter(hasUsers) })),
    groups_total: grouped?.total ?? 0,
  };
}

type Retained = Omit<RetentionResult, "retained_from_ms">;
const nobody: Retained = { cohorts: [], groups: [], groups_total: 0 };

interface CountedCohort extends Cohort {
  users: number;
}
const hasUsers = ({ users }: Cohort): boolean => users > 0;

const emptyCohorts = (count: number): CountedCohort[] =>
  Array.from({ length: count }, (_, period) => ({
    ...{ period, users: 0 },
    retained: Array<number>(count - period).fill(0),
  }));

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
function addTo(cohort: CountedCohort, active: number): void {
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
