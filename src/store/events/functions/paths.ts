import type { PathsRequest } from "../../../domain/counting";
import type { TimeWindow } from "../../../domain/period";
import type { EntryPath } from "../../questions";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { newestOf } from "./newest-sessions";
import { eachSession, topPages } from "./sessions/page-groups";
import type { Sessions } from "./sessions/sessions";
import { eachWay, nodesOf } from "./walks/path-nodes";
import { PathTrees } from "./walks/path-trees";

/** What visitors did between their entry page and the goal (reads.md, POST /paths), as entry_paths of the answer. */
export function paths(
  context: Context,
  all: readonly Segment[],
  window: TimeWindow,
  request: PathsRequest,
): EntryPath[] {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return [];
  const { pages } = sessions;
  const { entry, exit } = pages;
  const candidates = sessionsOfTopEntries(context, sessions, window, request.entry_limit);
  const cap = request.candidate_session_cap;
  const walked = cap === null ? candidates : newestOf(sessions, candidates, cap);
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
  sessions: Sessions,
  window: TimeWindow,
  entryLimit: number,
): number[] {
  const { entry } = sessions.pages;
  const top = new Set(topPages(context, sessions, window, entry, entryLimit));
  const found: number[] = [];
  eachSession(context, sessions, window, (n) => {
    if (top.has(entry[n])) found.push(n);
  });
  return found;
}
