import type { PagesRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import { compareText } from "../../../lib/text";
import type { PageGroups } from "../../questions";
import type { Context } from "../filter/context";
import type { Segment } from "../segment/segment";
import type { SessionValues } from "../session/kept-values";
import type { Sessions } from "../session/sessions";
import { mostFrequent } from "../sets/largest";
import { sessionsWith } from "./session-filter";
import { sessionsPerCheck } from "./session-groups";

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
  const { interactive, start, end, events } = sessions;
  const groups = new Map(top.map((number) => [number, emptyGroup(pages.text(number))]));
  eachBlock(context, asked, pages, (numbers, first) => {
    for (let at = 0; at < numbers.length; at++) {
      const group = groups.get(numbers[at]);
      if (group === undefined) continue;
      const n = first + at;
      group.sessions++;
      group.bounces += 1 - interactive[n];
      group.duration += end[n] - start[n];
      group.events += events[n];
    }
  });
  budget.giveBackTo(bytesBefore);
  return { rows: [...groups.values()], groups_total: total };
}

/** Sessions that a read is about: they started within the window, and an event there is one for which filters hold. */
export interface AskedSessions {
  readonly sessions: Sessions;
  /** A 1 for each of them. */
  readonly marks: Uint8Array;
}

export function askedSessions(
  context: Context,
  sessions: Sessions,
  all: readonly Segment[],
  window: FilteredWindow,
): AskedSessions {
  const starting = sessions.startingWithin(window.fromMs, window.toMs);
  const marks = sessionsWith(context, sessions, all, window);
  if (marks === null) return { sessions, marks: starting };
  for (let n = 0; n < marks.length; n++) marks[n] &= starting[n];
  return { sessions, marks };
}

const emptyGroup = (page: string) => ({ page, sessions: 0, bounces: 0, duration: 0, events: 0 });

/** Numbers of the pages with most sessions of the window, ties in order of code points, and the count of all. */
export function topPages(
  context: Context,
  asked: AskedSessions,
  pages: SessionValues,
  limit: number,
): { readonly top: readonly number[]; readonly total: number } {
  const counts = countsOfPages(context, asked, pages);
  let total = 0;
  for (let page = 0; page < counts.length; page++) if (counts[page] > 0) total++;
  const byteAt = (number: number, place: number): number => pages.byteAt(number, place);
  const top = mostFrequent(counts, limit, byteAt, context.budget)
    .map((number) => ({ number, name: pages.text(number) }))
    .sort((a, b) => counts[b.number] - counts[a.number] || compareText(a.name, b.name))
    .map(({ number }) => number);
  return { top, total };
}

/** Counts the sessions by the number of their page. */
function countsOfPages(context: Context, asked: AskedSessions, pages: SessionValues): Uint32Array {
  const counts = context.budget.words(pages.count + 1);
  eachBlock(context, asked, pages, (numbers) => {
    for (let at = 0; at < numbers.length; at++) counts[numbers[at]]++;
  });
  counts[0] = 0; // of no page
  return counts;
}

/** Calls with the numbers of the pages of sessions from `first` on: 0 for none, and for a session that is not asked. */
export function eachBlock(
  context: Context,
  { sessions: { count }, marks }: AskedSessions,
  pages: SessionValues,
  see: (numbers: Uint32Array, first: number) => void,
): void {
  for (let first = 1; first <= count; first += sessionsPerCheck) {
    context.check();
    const numbers = new Uint32Array(Math.min(sessionsPerCheck, count + 1 - first));
    pages.copyInto(numbers, first);
    for (let at = 0; at < numbers.length; at++) numbers[at] *= marks[first + at];
    see(numbers, first);
  }
}
