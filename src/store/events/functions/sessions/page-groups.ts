import type { PagesRequest } from "../../../../domain/counting";
import type { FilteredWindow } from "../../../../domain/filter-items";
import type { TimeWindow } from "../../../../domain/period";
import { compareText } from "../../../../lib/text";
import type { PageGroup } from "../../../questions";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import { sessionsPerCheck } from "../session-groups";
import { mostFrequent } from "../sets/selection";
import { sessionsWith } from "./session-filter";
import type { Sessions } from "./sessions";

/**
 * Sums over the sessions that started within the window, by their entry or exit page: the pages with most of them, in
 * order. Cost: two passes over the sessions; what is kept of a page that is not shown is a number.
 */
export function pageGroups(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  { page, limit }: PagesRequest,
): PageGroup[] {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return [];
  const { pages } = sessions;
  const pageOf = page === "entry_page" ? pages.entry : pages.exit;
  const asked = askedSessions(context, sessions, all, window);
  const top = topPages(context, asked, pageOf, limit);
  const groups = new Map(top.map((number) => [number, emptyGroup(pages.name(number))]));
  eachSession(context, asked, (n) => {
    const group = groups.get(pageOf[n]);
    if (group === undefined) return;
    group.sessions++;
    group.bounces += sessions.isBounce(n);
    group.duration += sessions.duration(n);
    group.events += sessions.events[n];
  });
  return [...groups.values()];
}

/** Sessions that a read is about: those that started within the window, and are marked if any are. */
export interface AskedSessions {
  readonly sessions: Sessions;
  readonly window: TimeWindow;
  readonly matching: Uint8Array | null;
}

export const askedSessions = (
  context: Context,
  sessions: Sessions,
  all: readonly Segment[],
  window: FilteredWindow,
): AskedSessions => ({
  sessions,
  window,
  matching: sessionsWith(context, sessions, all, window),
});

const emptyGroup = (page: string) => ({ page, sessions: 0, bounces: 0, duration: 0, events: 0 });

/** Numbers of the pages with most sessions of the window, ties in order of code points. */
export function topPages(
  context: Context,
  asked: AskedSessions,
  pageOf: Int32Array,
  limit: number,
): readonly number[] {
  const { pages } = asked.sessions;
  const counts = context.budget.words(pages.count);
  eachSession(context, asked, (n) => {
    if (pageOf[n] >= 0) counts[pageOf[n]]++;
  });
  const byteAt = (number: number, place: number): number => pages.byteAt(number, place);
  return mostFrequent(counts, limit, byteAt, context.budget)
    .map((number) => ({ number, name: pages.name(number) }))
    .sort((a, b) => counts[b.number] - counts[a.number] || compareText(a.name, b.name))
    .map(({ number }) => number);
}

export function eachSession(
  context: Context,
  { sessions, window: { fromMs, toMs }, matching }: AskedSessions,
  see: (session: number) => void,
): void {
  for (let n = 1; n <= sessions.count; n++) {
    if (n % sessionsPerCheck === 0) context.check();
    if (matching !== null && matching[n] === 0) continue;
    if (sessions.startsWithin(n, fromMs, toMs)) see(n);
  }
}
