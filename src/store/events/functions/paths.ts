import type { PathsRequest } from "../../../domain/counting";
import type { TimeWindow } from "../../../domain/period";
import { compareText } from "../../../lib/text";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { newestOf } from "./newest-sessions";
import { nodesOf, stepsOfSessions } from "./path-nodes";
import { type EntryPath, PathTrees } from "./path-trees";
import type { Sessions } from "./sessions";

/** What visitors did between their entry page and the goal (reads.md, POST /paths), as entry_paths of the answer. */
export function paths(
  context: Context,
  all: readonly Segment[],
  window: TimeWindow,
  request: PathsRequest,
): EntryPath[] {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return [];
  const { entry, exit, names } = sessions.pages;
  const candidates = sessionsOfTopEntries(sessions, window, request.entry_limit);
  const walked = newestOf(sessions, candidates, request.candidate_session_cap);
  const stepsOf = stepsOfSessions(context, sessions, walked);
  const trees = new PathTrees();
  for (const n of walked) {
    const exitPage = exit[n] < 0 ? null : names[exit[n]];
    const entryPage = names[entry[n]];
    trees.add(entryPage, exitPage, nodesOf(stepsOf.get(n) ?? [], entryPage, exitPage, request));
  }
  return trees.entryPaths(request.path_limit);
}

/** Sessions of the window that began on one of the entry pages with most sessions. */
function sessionsOfTopEntries(
  sessions: Sessions,
  { fromMs, toMs }: TimeWindow,
  entryLimit: number,
): number[] {
  const { entry, names } = sessions.pages;
  const perEntry = new Map<number, number[]>();
  for (let n = 1; n <= sessions.count; n++) {
    if (entry[n] < 0 || !sessions.startsWithin(n, fromMs, toMs)) continue;
    const members = perEntry.get(entry[n]);
    if (members === undefined) perEntry.set(entry[n], [n]);
    else members.push(n);
  }
  return [...perEntry]
    .sort(([a, x], [b, y]) => y.length - x.length || compareText(names[a], names[b]))
    .slice(0, entryLimit)
    .flatMap(([, members]) => members);
}
