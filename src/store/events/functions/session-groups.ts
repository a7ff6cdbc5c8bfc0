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
import { SessionSums } from "./session-sums";

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
  const isOfAll = by === "all";
  const sums = new SessionSums(isOfAll ? 1 : durationBuckets.length);
  const users = new Bitmap(isOfAll ? identity.numberLimit : 0);
  const filter = isFiltered(window)
    ? new Filter(context, window.filters ?? [], identity, true)
    : null;
  const isMatching = new Uint8Array(links.count + 1).fill(filter === null ? 1 : 0);
  for (const id of sessions.segmentIds) {
    const segment = context.open(id);
    if (segment.lastTime < window.fromMs || segment.firstTime >= window.toMs) continue;
    const selection = filter?.select(segment, window) ?? Selection.all(segment);
    addSegment(selection, sessions, { isOfAll, sums, users, isMatching, identity, window });
  }
  const { start, end, interactive } = linked;
  const counts = isOfAll ? linked.pageViews : linked.events;
  const user = isOfAll ? linked.user : null;
  for (let place = 1; place <= links.count; place++) {
    if (isMatching[place] === 0) continue;
    if (start[place] < window.fromMs || start[place] >= window.toMs) continue;
    const durationMs = end[place] - start[place];
    sums.add(isOfAll ? 0 : bucketOf(durationMs), interactive[place], durationMs, counts[place]);
    const whose = user === null ? 0 : identity.canonical(user[place]);
    if (whose !== 0) users.add(whose);
  }
  return sums.groups().map(({ group, count, ...sum }) => ({
    ...{ label: isOfAll ? null : group, ...sum },
    ...{ events: isOfAll ? 0 : count, page_views: isOfAll ? count : 0, users: users.count },
  }));
}

interface SessionGrouping {
  /** All sessions are group 0; else their groups are the buckets of their durations. */
  readonly isOfAll: boolean;
  readonly sums: SessionSums;
  readonly users: Bitmap;
  /** By place, a 1 for each linked session with an event that passes the filters. */
  readonly isMatching: Uint8Array;
  readonly identity: Identity;
  readonly window: FilteredWindow;
}

/** Adds the sessions of one visit in a segment. The selection has the events that pass the filters. */
function addSegment(
  { segment, visits }: Selection,
  sessions: Sessions,
  { isOfAll, sums, users, isMatching, identity, window: { fromMs, toMs } }: SessionGrouping,
): void {
  const numbers = sessions.numbersIn(segment.id);
  const { places } = sessions.links;
  const { firstTime } = segment;
  const starts = segment.integers("visit.start");
  const durations = segment.integers("visit.duration");
  const interactive = segment.integers("visit.interactive");
  const counts = segment.integers(isOfAll ? "visit.page_views" : "visit.events");
  const usersOfVisits = isOfAll ? identity.usersOf(segment) : null;
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
      sums.add(bucketOf(durations[v]), interactive[v], durations[v], counts[v]);
      continue;
    }
    sum.sessions++;
    sum.bounces += 1 - interactive[v];
    sum.duration += durations[v];
    sum.count += counts[v];
    if (usersOfVisits !== null && usersOfVisits[v] !== 0) users.add(usersOfVisits[v]);
  }
  if (isOfAll) sums.addSums(0, sum.sessions, sum.bounces, sum.duration, sum.count);
}

const bounds = Float64Array.from(durationBuckets, ({ belowMs }) => belowMs);

function bucketOf(ms: number): number {
  let bucket = 0;
  while (ms >= bounds[bucket]) bucket++;
  return bucket;
}
