import type { PathsRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { EntryPath } from "../../questions";
import { PathTrees } from "../../shared/path-trees";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { newestOf } from "./newest-sessions";
import { type AskedSessions, askedSessions, eachSession, topPages } from "./sessions/page-groups";
import { eachWay, nodesOf } from "./walks/path-nodes";

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
  const { pages } = sessions;
  const { entry, exit } = pages;
  const candidates = sessionsOfTopEntries(
    context,
    askedSessions(context, sessions, all, window),
    request.entry_limit,
  );
  const cap = request.candidate_session_cap;
  const walked = cap === null ? candidates : newestOf(sessions, candidates, cap, context.budget);
  const trees = new PathTrees();
  eachWay(context, sessions, walked, (n, steps) => {
    const exitPage = exit[n] < 0 ? null : pages.name(exit[n]);
    const entryPage = pages.name(entry[n]);
    trees.add(entryPage, exitPage, nodesOf(steps, entryPage, exitPage, request));
  });
  return trees.entryPaths(request.path_limit);
}

/** Sessions of the window that began on one of the entry pages with most sessions. */
function sessionsOfTopEntries(
  context: Context,
  asked: AskedSessions,
  entryLimit: number,
): number[] {
  const { entry } = asked.sessions.pages;
  const top = new Set(topPages(context, asked, entry, entryLimit).top);
  const found: number[] = [];
  eachSession(context, asked, (n) => {
    if (top.has(entry[n])) found.push(n);
  });
  return found;
}
