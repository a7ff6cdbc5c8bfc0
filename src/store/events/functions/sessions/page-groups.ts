import type { PagesRequest } from "../../../../domain/counting";
import type { FilteredWindow } from "../../../../domain/filter-items";
import type { TimeWindow } from "../../../../domain/time-window";
import { compareText } from "../../../../lib/text";
import type { PageGroups } from "../../../questions";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import { sessionsPerCheck } from "../session-groups";
import { mostFrequent } from "../sets/selection";
import type { SessionValues } from "./kept-values";
import { sessionsWith } from "./session-filter";
import type { Sessions } from "./sessions";

/**
 * Sums over the sessions that started within the window, by their entry or exit page: the pages with most of them, in
 * order. Cost: two passes over the sessions for each list; what is kept of a page that is not shown is a number.
 */
export function pageGroups(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  { pages, limit }: PagesRequest,
): PageGroups[] {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return pages.map(() => ({ rows: [], groups_total: 0 }));
  const asked = askedSessions(context, sessions, all, window);
  return pages.map((page) =>
    groupsBy(context, asked, sessions.values.of(`session.${page}`), limit),
  );
}

function groupsBy(
  context: Context,
  asked: AskedSessions,
  pages: SessionValues,
  limit: number,
): PageGroups {
  const { budget } = context;
  const bytesBefore = budget.bytes;
  const { sessions } = asked;
  const { top, total } = topPages(context, asked, pages, limit);
  const groups = new Map(top.map((number) => [number, emptyGroup(pages.text(number))]));
  eachSession(context, asked, (n) => {
    const group = groups.get(pages.numberOf(n));
    if (group === undefined) return;
    group.sessions++;
    group.bounces += sessions.isBounce(n);
    group.duration += sessions.duration(n);
    group.events += sessions.events[n];
  });
  budget.giveBackTo(bytesBefore);
  return { rows: [...groups.values()], groups_total: total };
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

/** Numbers of the pages with most sessions of the window, ties in order of code points, and the count of all. */
export function topPages(
  context: Context,
  asked: AskedSessions,
  pages: SessionValues,
  limit: number,
): { readonly top: readonly number[]; readonly total: number } {
  let total = 0;
  const counts = context.budget.words(pages.count + 1);
  eachSession(context, asked, (n) => {
    const page = pages.numberOf(n);
    if (page > 0 && counts[page]++ === 0) total++;
  });
  const byteAt = (number: number, place: number): number => pages.byteAt(number, place);
  const top = mostFrequent(counts, limit, byteAt, context.budget)
    .map((number) => ({ number, name: pages.text(number) }))
    .sort((a, b) => counts[b.number] - counts[a.number] || compareText(a.name, b.name))
    .map(({ number }) => number);
  return { top, total };
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
