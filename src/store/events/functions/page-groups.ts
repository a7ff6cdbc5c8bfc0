import type { PagesRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { PageGroup, PageGroups } from "../../questions";
import { sessionsWith } from "../aggregate/session-filter";
import { topValues } from "../aggregate/top-values";
import type { Context } from "../filter/context";
import type { Segment } from "../segment/segment";
import { eachBlock, type SessionValues } from "../session/field-values";
import type { Sessions } from "../session/sessions";
import { SessionSums } from "./session-sums";

/**
 * Counts the sessions that started within the window by their entry or exit page, and returns the pages with most
 * sessions, in order. Cost: two passes over the sessions for each list, and eight bytes for each page.
 */
export function pageGroups(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  { pages, limit }: PagesRequest,
): PageGroups[] {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return pages.map(() => ({ rows: [], groups_total: 0 }));
  const matching = matchingSessions(context, sessions, all, window);
  return pages.map((page) =>
    groupsBy(context, matching, sessions.values.of(`session.${page}`), limit),
  );
}

function groupsBy(
  context: Context,
  matching: MatchingSessions,
  pages: SessionValues,
  limit: number,
): PageGroups {
  const { budget } = context;
  const bytesBefore = budget.bytes;
  const { sessions, marks } = matching;
  const { top, total } = topPages(context, matching, pages, limit);
  const { interactive, start, end, events } = sessions;
  // All other pages have place 0.
  const placeOf = budget.words(pages.count + 1);
  for (const [index, page] of top.entries()) placeOf[page] = index + 1;
  const sums = new SessionSums(top.length + 1);
  eachBlock(pages, sessions.count, context.check, (numbers, first) => {
    for (let at = 0; at < numbers.length; at++) {
      const n = first + at;
      const place = placeOf[numbers[at]] * marks[n];
      if (place !== 0) sums.add(place, interactive[n], end[n] - start[n], events[n]);
    }
  });
  budget.giveBackTo(bytesBefore);
  const rows = sums.groups().map(
    ({ group, count, ...sum }): PageGroup => ({
      ...{ page: pages.text(top[group - 1]), ...sum, events: count },
    }),
  );
  return { rows, groups_total: total };
}

/** The sessions that started within the window and have an event in it for which the filters hold. */
export interface MatchingSessions {
  readonly sessions: Sessions;
  /** A 1 for each of these sessions, by number. */
  readonly marks: Uint8Array;
}

export function matchingSessions(
  context: Context,
  sessions: Sessions,
  all: readonly Segment[],
  window: FilteredWindow,
): MatchingSessions {
  const starting = sessions.startingWithin(window.fromMs, window.toMs);
  const marks = sessionsWith(context, sessions, all, window);
  if (marks === null) return { sessions, marks: starting };
  for (let n = 0; n < marks.length; n++) marks[n] &= starting[n];
  return { sessions, marks };
}

/** Returns the pages with most of the sessions, ties in order of code points, and the number of all pages. */
export function topPages(
  { budget }: Context,
  { sessions, marks }: MatchingSessions,
  pages: SessionValues,
  limit: number,
): { readonly top: readonly number[]; readonly total: number } {
  const counts = budget.words(pages.count + 1);
  eachBlock(pages, sessions.count, budget.check, (numbers, first) => {
    for (let at = 0; at < numbers.length; at++) counts[numbers[at] * marks[first + at]]++;
  });
  counts[0] = 0; // sessions without a page, and sessions that do not match
  const { top, total } = topValues(counts, pages, limit, budget);
  return { top: top.map(({ number }) => number), total };
}
