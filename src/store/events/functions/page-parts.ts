import type { PagesRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import { compareText } from "../../../lib/text";
import type { PageGroup, PageGroups } from "../../questions";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import type { SessionValues } from "./sessions/kept-values";
import {
  type AskedSessions,
  askedSessions,
  countsOfPages,
  eachBlock,
} from "./sessions/page-groups";

/**
 * Counting of sessions by page (sessions/page-groups.ts) in parts of a window that follow each other: a session belongs
 * to the part that it starts in, and is judged there on all its events.
 */

type Doubles = Float64Array<ArrayBuffer>;

/** Pages, and the number of sessions of each. */
export interface CountedPages {
  readonly pages: readonly string[];
  readonly sessions: Doubles;
}
/** Sums over the sessions of each page, by its place. */
export interface PagesOfPart extends CountedPages {
  readonly bounces: Doubles;
  /** In ms. */
  readonly duration: Doubles;
  readonly events: Doubles;
}

/** Events for which the filters hold may come until `endMs`. Null when there are too many pages to tell. */
export function pagesOfPart(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  { pages }: Pick<PagesRequest, "pages">,
  endMs: number,
): readonly PagesOfPart[] | null {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return pages.map(() => noPages);
  const asked = askedSessions(context, sessions, all, window, endMs);
  const told: PagesOfPart[] = [];
  for (const page of pages) {
    const list = sumsOf(context, asked, sessions.values.of(`session.${page}`));
    if (list === null) return null;
    told.push(list);
  }
  return told;
}

/** Nothing of an empty array is handed over to another thread. */
const noDoubles = new Float64Array(0);
const noPages: PagesOfPart = {
  ...{ pages: [], sessions: noDoubles, bounces: noDoubles },
  ...{ duration: noDoubles, events: noDoubles },
};

function sumsOf(context: Context, asked: AskedSessions, values: SessionValues): PagesOfPart | null {
  const counted = countedPages(context, asked, values);
  if (counted === null) return null;
  const { pages, sessions, placeOf } = counted;
  const { sessions: table } = asked;
  const bounces = new Float64Array(pages.length);
  const duration = new Float64Array(pages.length);
  const events = new Float64Array(pages.length);
  eachBlock(context, asked, values, (numbers, first) => {
    for (let at = 0; at < numbers.length; at++) {
      const place = placeOf[numbers[at]] - 1;
      if (place < 0) continue;
      const n = first + at;
      bounces[place] += table.isBounce(n);
      duration[place] += table.duration(n);
      events[place] += table.events[n];
    }
  });
  return { pages, sessions, bounces, duration, events };
}

/** Counts sessions by page; null when there are too many pages to tell. `placeOf` has a page's place, from 1. */
export function countedPages(
  context: Context,
  asked: AskedSessions,
  values: SessionValues,
): (CountedPages & { readonly placeOf: Uint32Array }) | null {
  const { budget, tuning } = context;
  const counts = countsOfPages(context, asked, values);
  const placeOf = budget.words(counts.length);
  const pages: string[] = [];
  const sessions: number[] = [];
  for (let page = 1; page < counts.length; page++) {
    if (counts[page] === 0) continue;
    if (pages.length === tuning.toldGroupsMax) return null;
    placeOf[page] = pages.push(values.text(page));
    sessions.push(counts[page]);
  }
  return { pages, sessions: Float64Array.from(sessions), placeOf };
}

/** The pages with most sessions, of what the parts told. */
export const joinedPages = (
  parts: readonly (readonly PagesOfPart[])[],
  { pages, limit }: PagesRequest,
): PageGroups[] =>
  pages.map((_, list) =>
    groupsOf(
      parts.map((part) => part[list]),
      limit,
    ),
  );

type Sums = { -readonly [Key in keyof PageGroup]: PageGroup[Key] };

function groupsOf(parts: readonly PagesOfPart[], limit: number): PageGroups {
  const groups = new Map<string, Sums>();
  for (const { pages, sessions, bounces, duration, events } of parts) {
    pages.forEach((page, at) => {
      const group = groups.get(page) ?? { page, sessions: 0, bounces: 0, duration: 0, events: 0 };
      group.sessions += sessions[at];
      group.bounces += bounces[at];
      group.duration += duration[at];
      group.events += events[at];
      groups.set(page, group);
    });
  }
  return { rows: mostSessions([...groups.values()], limit), groups_total: groups.size };
}

/** In the order of the whole: ties by code points. */
function mostSessions<Group extends Pick<PageGroup, "page" | "sessions">>(
  groups: Group[],
  limit: number,
): Group[] {
  return groups
    .sort((a, b) => b.sessions - a.sessions || compareText(a.page, b.page))
    .slice(0, limit);
}

/** The pages with most sessions alone. */
export function topOfParts(parts: readonly CountedPages[], limit: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const { pages, sessions } of parts) {
    pages.forEach((page, at) => {
      counts.set(page, (counts.get(page) ?? 0) + sessions[at]);
    });
  }
  const groups = Array.from(counts, ([page, sessions]) => ({ page, sessions }));
  return mostSessions(groups, limit).map(({ page }) => page);
}
