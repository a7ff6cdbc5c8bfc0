import type { TimeWindow } from "../../../domain/time-window";
import type { Context } from "../filter/context";
import { VisitsOfUsers } from "../scan/visits-of-users";
import type { Integers } from "../segment/codec";
import type { Segment } from "../segment/segment";
import { newestFirst } from "./newest/newest";

/** A user id, and when its events happened. */
export interface Person {
  readonly user_id: string;
  /** Its number in this project; null when it has never seen the id, or linked it to another. */
  readonly number: number | null;
  readonly first_seen: number | null;
  readonly last_seen: number | null;
}

/** Ids after mapping (definitions.md, Identity), each once. */
export function mappedUsers(
  context: Context,
  project: number,
  userIds: readonly string[],
): string[] {
  const identity = context.identity(project);
  const mapped = userIds.map((userId) => {
    const number = identity.numberBehind(userId);
    return number === null ? userId : (identity.nameOf(number) ?? userId);
  });
  return [...new Set(mapped)];
}

/**
 * Each of the ids, by itself. Cost: a look at the user of every visit of the segments before the first event of one of
 * them and after the last; of all segments when the project knows one of them but has no event of it.
 */
export function people(
  context: Context,
  project: number,
  all: readonly Segment[],
  userIds: readonly string[],
): Person[] {
  const identity = context.identity(project);
  const numbers = userIds.map((userId) => identity.numberOf(userId));
  const known = new Set(numbers.filter((number) => number !== null));
  const visits = new VisitsOfUsers(identity, known);
  const seen =
    known.size === 0 ? new Map<number, TimeWindow>() : seenTimes(context, all, visits, known.size);
  return userIds.map((userId, index) => {
    const number = numbers[index];
    const times = number === null ? undefined : seen.get(number);
    return {
      user_id: userId,
      number,
      first_seen: times?.fromMs ?? null,
      last_seen: times?.toMs ?? null,
    };
  });
}

function seenTimes(
  context: Context,
  all: readonly Segment[],
  visits: VisitsOfUsers,
  users: number,
): Map<number, TimeWindow> {
  const seen = new Map<number, TimeWindow>();
  const oldestFirst = all.toSorted((a, b) => a.firstTime - b.firstTime);
  for (const segment of oldestFirst) {
    const isEarly = ({ fromMs }: TimeWindow): boolean => fromMs <= segment.firstTime;
    if (seen.size === users && seen.values().every(isEarly)) {
      addLatest(context, all, visits, seen);
      break;
    }
    addVisits(context, segment, visits, seen);
  }
  return seen;
}

function addLatest(
  context: Context,
  all: readonly Segment[],
  visits: VisitsOfUsers,
  seen: Map<number, TimeWindow>,
): void {
  for (const segment of newestFirst(all)) {
    if (seen.values().every(({ toMs }) => toMs >= segment.lastTime)) break;
    addVisits(context, segment, visits, seen);
  }
}

function addVisits(
  context: Context,
  segment: Segment,
  visits: VisitsOfUsers,
  seen: Map<number, TimeWindow>,
): void {
  context.check();
  let starts: Integers | null = null;
  let durations: Integers | null = null;
  visits.forEachIn(segment, (visit, user) => {
    starts ??= segment.integers("visit.start");
    durations ??= segment.integers("visit.duration");
    const start = segment.firstTime + starts[visit];
    const end = start + durations[visit];
    const { fromMs, toMs } = seen.get(user) ?? none;
    seen.set(user, { fromMs: Math.min(fromMs, start), toMs: Math.max(toMs, end) });
  });
}

const none: TimeWindow = { fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY };
