import type { SessionDimension } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import { durationBuckets } from "../../../domain/session";
import type { SessionGroup } from "../../questions";
import type { Context } from "../filter/context";
import { Filter, isFiltered } from "../filter/filter";
import type { Identity } from "../scan/identity";
import { Selection } from "../scan/selection";
import type { Segment } from "../segment/segment";
import type { Sessions } from "../session/sessions";
import { Bitmap } from "../sets/bitmap";

/** A pass over this number takes well below a millisecond. */
export const sessionsPerCheck = 65_536;

/**
 * Sums over the sessions that started within the window, in groups. For a session of one visit it reads the facts in
 * its segment; it combines the facts about linked sessions. Cost: one pass over the visits.
 */
export function sessionGroups(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  by: SessionDimension,
): SessionGroup[] {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return [];
  const identity = context.identity(all[0].projectId);
  const { links, linked } = sessions;
  const sums = new GroupSums(by, identity.numberLimit);
  const filter = isFiltered(window)
    ? new Filter(context, window.filters ?? [], identity, true)
    : null;
  const isMatching = new Uint8Array(links.count + 1).fill(filter === null ? 1 : 0);
  for (const id of sessions.segmentIds) {
    const segment = context.open(id);
    if (segment.lastTime < window.fromMs || segment.firstTime >= window.toMs) continue;
    const selection = filter?.select(segment, window) ?? Selection.all(segment);
    addSegment(selection, sessions, { sums, isMatching, identity, window });
  }
  const { start, end, interactive } = linked;
  const counts = linked[sums.counted];
  const user = by === "all" ? linked.user : null;
  for (let place = 1; place <= links.count; place++) {
    if (isMatching[place] === 0) continue;
    if (start[place] < window.fromMs || start[place] >= window.toMs) continue;
    const whose = user === null ? 0 : identity.canonical(user[place]);
    sums.add(end[place] - start[place], interactive[place], counts[place], whose);
  }
  const users = sums.users.count;
  return sums.groups().map((group) => ({ ...group, users }));
}

interface SessionGrouping {
  readonly sums: GroupSums;
  /** By place, a 1 for each linked session with an event that passes the filters. */
  readonly isMatching: Uint8Array;
  readonly identity: Identity;
  readonly window: FilteredWindow;
}

/** Adds the sessions of one visit in a segment. The selection has the events that pass the filters. */
function addSegment(
  { segment, visits }: Selection,
  sessions: Sessions,
  { sums, isMatching, identity, window: { fromMs, toMs } }: SessionGrouping,
): void {
  const numbers = sessions.numbersIn(segment.id);
  const { places } = sessions.links;
  const { firstTime } = segment;
  const starts = segment.integers("visit.start");
  const durations = segment.integers("visit.duration");
  const interactive = segment.integers("visit.interactive");
  const isOfAll = sums.by === "all";
  const counts = segment.integers(isOfAll ? "visit.page_views" : "visit.events");
  const users = isOfAll ? identity.usersOf(segment) : null;
  const sum = { sessions: 0, bounces: 0, duration: 0, count: 0 };
  for (let v = 0; v < numbers.length; v++) {
    if (visits[v] === 0 || numbers[v] === 0) continue;
    const place = places[numbers[v]];
    if (place !== 0) {
      isMatching[place] = 1;
      continue;
    }
    const startMs = firstTime + starts[v];
    if (startMs < fromMs || startMs >= toMs) continue;
    if (!isOfAll) {
      sums.add(durations[v], interactive[v], counts[v], 0);
      continue;
    }
    sum.sessions++;
    sum.bounces += 1 - interactive[v];
    sum.duration += durations[v];
    sum.count += counts[v];
    if (users !== null && users[v] !== 0) sums.users.add(users[v]);
  }
  if (isOfAll) sums.addTo(0, sum.sessions, sum.bounces, sum.duration, sum.count);
}

/** What is summed of sessions, by the number of their group; that of all sessions is 0. */
class GroupSums {
  /** The fact that the sums count in each session. */
  readonly counted: "events" | "pageViews";
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
    this.counted = by === "all" ? "pageViews" : "events";
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
