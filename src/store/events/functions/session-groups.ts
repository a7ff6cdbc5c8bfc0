import type { SessionDimension } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import { durationBuckets } from "../../../domain/session";
import type { SessionGroup } from "../../questions";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { sessionsWith } from "./sessions/session-filter";
import type { Sessions } from "./sessions/sessions";
import { Bitmap } from "./sets/bitmap";

/** A pass over this number takes well below a millisecond. */
export const sessionsPerCheck = 65_536;

/** Sums over the sessions that started within the window, in groups. Cost: one pass over the sessions. */
export function sessionGroups(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  by: SessionDimension,
): SessionGroup[] {
  return counted(groupsOfSessions(context, all, window, by));
}

/** Before the users are counted, who may be in other parts of a window too. */
export interface GroupsOfSessions {
  readonly groups: readonly Omit<SessionGroup, "users">[];
  /** The users; empty unless all sessions are one group. */
  readonly users: Bitmap;
}

export const counted = ({ groups, users }: GroupsOfSessions): SessionGroup[] => {
  const { count } = users;
  return groups.map((group) => ({ ...group, users: count }));
};

/** Events for which the filters hold may come until `endMs`, when that is later than sessions may start. */
export function groupsOfSessions(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  by: SessionDimension,
  endMs = window.toMs,
): GroupsOfSessions {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return { groups: [], users: new Bitmap() };
  const identity = context.identity(all[0].projectId);
  const { fromMs, toMs } = window;
  const matching = sessionsWith(context, sessions, all, { ...window, toMs: endMs });
  const { labelOf, keyOf } = grouping(sessions, by);
  const groups = new Map<number, Growing>();
  const users = new Bitmap(identity.numberLimit);
  for (let n = 1; n <= sessions.count; n++) {
    if (n % sessionsPerCheck === 0) context.check();
    if (!sessions.startsWithin(n, fromMs, toMs)) continue;
    if (matching !== null && matching[n] === 0) continue;
    const key = keyOf(n);
    let group = groups.get(key);
    if (group === undefined) {
      group = emptyGroup(labelOf(key));
      groups.set(key, group);
    }
    group.sessions++;
    group.bounces += sessions.isBounce(n);
    group.duration += sessions.duration(n);
    group.events += sessions.events[n];
    group.page_views += sessions.pageViews[n];
    if (by !== "all") continue;
    const user = sessions.userOf(n, identity);
    if (user !== 0) users.add(user);
  }
  return { groups: [...groups.values()], users };
}

/** A group while sessions are still added to it. */
type Growing = {
  -readonly [Name in keyof SessionGroup as Exclude<Name, "users">]: SessionGroup[Name];
};

const emptyGroup = (label: SessionGroup["label"]): Growing => ({
  label,
  sessions: 0,
  bounces: 0,
  duration: 0,
  events: 0,
  page_views: 0,
});

interface Grouping {
  keyOf(session: number): number;
  labelOf(key: number): SessionGroup["label"];
}

function grouping(sessions: Sessions, by: SessionDimension): Grouping {
  if (by === "all") return { keyOf: () => 0, labelOf: () => null };
  const bucketOf = (ms: number): number => durationBuckets.findIndex(({ belowMs }) => ms < belowMs);
  return { keyOf: (n) => bucketOf(sessions.duration(n)), labelOf: (bucket) => bucket };
}
