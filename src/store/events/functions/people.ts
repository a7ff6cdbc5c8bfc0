import type { TimeWindow } from "../../../domain/period";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";

/** A user id, and when its events happened. */
export interface Person {
  readonly user_id: string;
  /** Its number in this project; null when it has never seen the id, or linked it to another. */
  readonly number: number | null;
  readonly first_seen: number | null;
  readonly last_seen: number | null;
}

/** Ids after mapping (ingestion.md §6), each once. */
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

/** Each of the ids, by itself. Cost: one look at the user of every visit, when the project knows one of them. */
export function people(
  context: Context,
  project: number,
  all: readonly Segment[],
  userIds: readonly string[],
): Person[] {
  const identity = context.identity(project);
  const numbers = userIds.map((userId) => identity.numberOf(userId));
  const known = new Set(numbers.filter((number) => number !== null));
  const seen = known.size === 0 ? new Map<number, TimeWindow>() : seenTimes(context, all, known);
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
  numbers: ReadonlySet<number>,
): Map<number, TimeWindow> {
  const seen = new Map<number, TimeWindow>();
  for (const segment of all) {
    context.check();
    const users = context.identity(segment.projectId).usersOf(segment);
    const starts = segment.integers("visit.start");
    const durations = segment.integers("visit.duration");
    for (let v = 0; v < users.length; v++) {
      if (!numbers.has(users[v])) continue;
      const start = segment.firstTime + starts[v];
      const { fromMs, toMs } = seen.get(users[v]) ?? none;
      const end = Math.max(toMs, start + durations[v]);
      seen.set(users[v], { fromMs: Math.min(fromMs, start), toMs: end });
    }
  }
  return seen;
}

const none: TimeWindow = { fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY };
