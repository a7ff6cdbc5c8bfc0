import type { PathsRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { EntryPath } from "../../questions";
import { PathTrees } from "../../shared/path-trees";
import { Way } from "../../shared/way";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { newestOf } from "./newest-sessions";
import { type AskedSessions, askedSessions, eachSession, topPages } from "./sessions/page-groups";
import { NodeCodes } from "./walks/node-codes";
import { eachWay } from "./walks/ways";

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
  const { entry, exit } = sessions.pages;
  const asked = askedSessions(context, sessions, all, window);
  const nodes = new NodeCodes(sessions.pages, request.goal_event);
  const way = new Way(nodes.goalCode, request.max_steps);
  const trees = new PathTrees((type, text) => nodes.textOf(type, text));
  eachWay(context, sessions, walkedSessions(context, asked, request), nodes, way, (n) => {
    trees.add(entry[n] + 1, exit[n] + 1, way.nodes, way.length);
  });
  return trees.entryPaths(request.path_limit);
}

/** Marks sessions of the window that began on one of the entry pages with most sessions: all, or the newest of them. */
function walkedSessions(
  context: Context,
  asked: AskedSessions,
  { entry_limit: entryLimit, candidate_session_cap: cap }: PathsRequest,
): Uint8Array {
  const { budget } = context;
  const { sessions } = asked;
  const { pages } = sessions;
  const { entry } = pages;
  const isTop = budget.bytesOf(pages.count);
  for (const page of topPages(context, asked, entry, entryLimit).top) isTop[page] = 1;
  const marks = budget.bytesOf(sessions.count + 1);
  if (cap === null) {
    eachSession(context, asked, (n) => {
      if (entry[n] >= 0) marks[n] = isTop[entry[n]];
    });
    return marks;
  }
  const candidates: number[] = [];
  eachSession(context, asked, (n) => {
    if (entry[n] >= 0 && isTop[entry[n]] > 0) candidates.push(n);
  });
  for (const n of newestOf(sessions, candidates, cap, budget)) marks[n] = 1;
  return marks;
}
