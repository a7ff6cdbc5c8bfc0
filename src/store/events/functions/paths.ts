import type { PathsRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { EntryPath } from "../../questions";
import { PathTrees } from "../../shared/path-trees";
import { goalRows } from "../aggregate/goal-rows";
import type { Context } from "../filter/context";
import { NodeCodes } from "../pattern/node-codes";
import { eachWay, type SessionsByEntry } from "../pattern/ways";
import type { Segment } from "../segment/segment";
import { eachBlock } from "../session/field-values";
import { newestOf } from "./newest-sessions";
import { type MatchingSessions, matchingSessions, topPages } from "./page-groups";

/**
 * Counts what visitors did between their entry page and the goal (definitions.md, Paths), as entry_paths of the answer.
 */
export function paths(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  request: PathsRequest,
): EntryPath[] {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return [];
  const nodes = new NodeCodes(context, request.goal, goalRows(context, request.goal));
  const trees = new PathTrees((type, text) => nodes.textOf(type, text));
  const matching = matchingSessions(context, sessions, all, window);
  const byEntry = sessionsToWalk(context, matching, nodes, request);
  eachWay(context, byEntry, nodes, request.max_steps, (entry, exit, way) => {
    trees.add(entry, exit, way);
  });
  return trees.entryPaths(request.path_limit);
}

/** Returns the sessions that began on one of the most frequent entry pages: all of them, or only the newest. */
function sessionsToWalk(
  context: Context,
  matching: MatchingSessions,
  nodes: NodeCodes,
  { entry_limit: entryLimit, candidate_session_cap: cap }: PathsRequest,
): SessionsByEntry {
  const { budget } = context;
  const { sessions } = matching;
  const pages = sessions.values.of("session.entry_page");
  const { top } = topPages(context, matching, pages, entryLimit);
  const byEntry = sessionsFrom(context, matching, nodes, top);
  if (cap === null) return byEntry;
  const { entryOf } = byEntry;
  const candidates: number[] = [];
  for (let n = 1; n <= sessions.count; n++) if (entryOf[n] > 0) candidates.push(n);
  const newest = newestOf(sessions, candidates, cap, budget);
  const places = newest.map((n) => entryOf[n]);
  entryOf.fill(0);
  newest.forEach((n, index) => {
    entryOf[n] = places[index];
  });
  return byEntry;
}

/** Returns the sessions that began on one of these entry pages. `entries` has the numbers of the pages. */
function sessionsFrom(
  context: Context,
  matching: MatchingSessions,
  nodes: NodeCodes,
  entries: readonly number[],
): SessionsByEntry {
  const { budget } = context;
  const { sessions, marks } = matching;
  const pages = sessions.values.of("session.entry_page");
  const placeOf = budget.bytesOf(pages.count + 1);
  entries.forEach((page, index) => {
    placeOf[page] = index + 1;
  });
  const entryOf = budget.bytesOf(sessions.count + 1);
  eachBlock(pages, sessions.count, budget.check, (numbers, first) => {
    for (let at = 0; at < numbers.length; at++)
      entryOf[first + at] = placeOf[numbers[at]] * marks[first + at];
  });
  return { sessions, entryOf, entries: entries.map((page) => nodes.pageOfText(pages.text(page))) };
}
