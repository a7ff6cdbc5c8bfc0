import type { SessionDimension } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import { durationBuckets } from "../../../domain/session";
import type { SessionGroup } from "../../questions";
import { Filter, isFiltered } from "../filter/filter";
import { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import type { Identity } from "./identity";
import { FewSessions } from "./sessions/few-sessions";
import type { Sessions } from "./sessions/sessions";
import { Bitmap } from "./sets/bitmap";

/** A pass over this number takes well below a millisecond. */
export const sessionsPerCheck = 65_536;

/** Sums over the sessions that started within the window, in groups. Cost: one pass over the visits. */
export function sessionGroups(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  by: SessionDimension,
): SessionGroup[] {
  return counted(groupsOfSessions(context, all, window, by));
}

interface GroupsOfSessions {
  readonly groups: readonly Omit<SessionGroup, "users">[];
  /** The users; empty unless all sessions are one group. */
  readonly users: Bitmap;
}

const counted = ({ groups, users }: GroupsOfSessions): SessionGroup[] => {
  const { count } = users;
  return groups.map((group) => ({ ...group, users: count }));
};

/** Most sessions are of one visit, which says all there is to know of them; the others are put together first. */
function groupsOfSessions(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  by: SessionDimension,
): GroupsOfSessions {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return { groups: [], users: new Bitmap() };
  const identity = context.identity(all[0].projectId);
  const sums = new GroupSums(by, identity.numberLimit);
  const filter = isFiltered(window)
    ? new Filter(context, window.filters ?? [], identity, true)
    : null;
  if (filter === null && isTableWorthIt(sessions, by, context)) {
    addAll(sums, sessions, { identity, window, check: context.check });
    return { groups: sums.groups(), users: sums.users };
  }
  const { severalVisits } = sessions;
  const few = new FewSessions(severalVisits.count, sums.column, context);
  for (const id of sessions.segmentIds) {
    const segment = context.open(id);
    const isOutside = segment.lastTime < window.fromMs || segment.firstTime >= window.toMs;
    const selection =
      filter === null
        ? Selection.all(segment)
        : isOutside
          ? Selection.none(segment)
          : filter.select(segment, window);
    addSegment(selection, sessions, { sums, few, identity, window });
  }
  const { start, end, interactive, counts, user } = few;
  for (let place = 1; place <= few.count; place++) {
    if (filter !== null && few.isMatching[place] === 0) continue;
    if (start[place] < window.fromMs || start[place] >= window.toMs) continue;
    const whose = by === "all" ? identity.canonical(user[place]) : 0;
    sums.add(end[place] - start[place], interactive[place], counts[place], whose);
  }
  return { groups: sums.groups(), users: sums.users };
}

/**
 * Where more than one session in this number is of several visits, as they are while events come in at full rate, what
 * the table knows of each is kept from read to read: only new visits are looked at.
 */
const manyShare = 8;

function isTableWorthIt(sessions: Sessions, by: SessionDimension, { tuning }: Context): boolean {
  if (sessions.isKnownFor(by)) return true;
  if (sessions.count > tuning.summedSessionsMax) return false;
  return sessions.severalVisits.count * manyShare > sessions.count;
}

function addAll(
  sums: GroupSums,
  sessions: Sessions,
  {
    identity,
    window,
    check,
  }: Pick<SessionGrouping, "identity" | "window"> & { readonly check: () => void },
): void {
  const { fromMs, toMs } = window;
  const { count, start, end, interactive } = sessions;
  const counts = sums.column === "visit.events" ? sessions.events : sessions.pageViews;
  const user = sums.by === "all" ? sessions.user : null;
  for (let n = 1; n <= count; n++) {
    if (n % sessionsPerCheck === 0) check();
    if (start[n] < fromMs || start[n] >= toMs) continue;
    const whose = user === null ? 0 : identity.canonical(user[n]);
    sums.add(end[n] - start[n], interactive[n], counts[n], whose);
  }
}

interface SessionGrouping {
  readonly sums: GroupSums;
  readonly few: FewSessions;
  readonly identity: Identity;
  readonly window: FilteredWindow;
}

/** Adds the sessions of a segment. The selection has the events that pass the filters. */
function addSegment(
  { segment, visits }: Selection,
  sessions: Sessions,
  { sums, few, identity, window: { fromMs, toMs } }: SessionGrouping,
): void {
  const numbers = sessions.numbersIn(segment.id);
  const { places } = sessions.severalVisits;
  const { firstTime } = segment;
  const starts = segment.integers("visit.start");
  const durations = segment.integers("visit.duration");
  const interactive = segment.integers("visit.interactive");
  const counts = segment.integers(sums.column);
  const users = sums.by === "all" ? identity.usersOf(segment) : null;
  const addToFew = few.adder(segment);
  const isOfAll = sums.by === "all";
  let sessionsOfAll = 0;
  let bouncesOfAll = 0;
  let durationOfAll = 0;
  let countOfAll = 0;
  for (let v = 0; v < numbers.length; v++) {
    const place = places[numbers[v]];
    const isMatching = visits[v] === 1;
    if (place !== 0) {
      addToFew(place, v, isMatching);
      continue;
    }
    const startMs = firstTime + starts[v];
    if (numbers[v] === 0 || !isMatching || startMs < fromMs || startMs >= toMs) continue;
    if (!isOfAll) {
      sums.add(durations[v], interactive[v], counts[v], 0);
      continue;
    }
    sessionsOfAll++;
    bouncesOfAll += 1 - interactive[v];
    durationOfAll += durations[v];
    countOfAll += counts[v];
    if (users !== null && users[v] !== 0) sums.users.add(users[v]);
  }
  if (isOfAll) sums.addTo(0, sessionsOfAll, bouncesOfAll, durationOfAll, countOfAll);
}

/** What is summed of sessions, by the number of their group; that of all sessions is 0. */
class GroupSums {
  /** What is counted in each session. */
  readonly column: "visit.events" | "visit.page_views";
  readonly users: Bitmap;
  private readonly sessions: Float64Array;
  private readonly bounces: Float64Array;
  private readonly durations: Float64Array;
  private readonly counts: Float64Array;

  constructor(
    readonly by: SessionDimension,
    userLimit: number,
  ) {
    const size = by === "all" ? 1 : durationBuckets.length;
    this.column = by === "all" ? "visit.page_views" : "visit.events";
    this.users = by === "all" ? new Bitmap(userLimit) : new Bitmap();
    this.sessions = new Float64Array(size);
    this.bounces = new Float64Array(size);
    this.durations = new Float64Array(size);
    this.counts = new Float64Array(size);
  }

  add(durationMs: number, interactive: number, count: number, user: number): void {
    const group = this.by === "all" ? 0 : bucketOf(durationMs);
    this.addTo(group, 1, 1 - interactive, durationMs, count);
    if (user !== 0) this.users.add(user);
  }
  addTo(group: number, sessions: number, bounces: number, durationMs: number, count: number): void {
    this.sessions[group] += sessions;
    this.bounces[group] += bounces;
    this.durations[group] += durationMs;
    this.counts[group] += count;
  }
  /** Returns the groups that have a session. */
  groups(): Omit<SessionGroup, "users">[] {
    const { by, sessions, bounces, durations, counts } = this;
    return [...sessions.keys()]
      .filter((group) => sessions[group] > 0)
      .map((group) => ({
        label: by === "all" ? null : group,
        sessions: sessions[group],
        bounces: bounces[group],
        duration: durations[group],
        events: by === "all" ? 0 : counts[group],
        page_views: by === "all" ? counts[group] : 0,
      }));
  }
}

const bounds = Float64Array.from(durationBuckets, ({ belowMs }) => belowMs);

function bucketOf(ms: number): number {
  let bucket = 0;
  while (ms >= bounds[bucket]) bucket++;
  return bucket;
}
