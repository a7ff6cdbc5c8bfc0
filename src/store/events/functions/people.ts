import type { TimeWindow } from "../../../domain/period";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";

/** Whom a user id stands for, and when that user's events happened. */
export interface Person {
  readonly user_id: string;
  /** The number of the user in this project; null when it has never seen the id. */
  readonly number: number | null;
  readonly first_seen: number | null;
  readonly last_seen: number | null;
}

/** Each id after mapping (ingestion.md §6), every user once. Cost: one look at the user of every visit. */
export function people(
  context: Context,
  project: number,
  all: readonly Segment[],
  userIds: readonly string[],
): Person[] {
  const identity = context.identity(project);
  const found = new Map<string, number | null>();
  for (const userId of userIds) {
    const number = identity.numberBehind(userId);
    found.set(number === null ? userId : (identity.nameOf(number) ?? userId), number);
  }
  const numbers = new Set([...found.values()].filter((number) => number !== null));
  const seen =
    numbers.size === 0 ? new Map<number, TimeWindow>() : seenTimes(context, all, numbers);
  return [...found].map(([userId, number]) => {
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
