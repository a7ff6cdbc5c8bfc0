import type { ChangeCounts, ChangeRequest } from "../../../domain/changes/change-counts";
import type { PagesRequest, PathsRequest } from "../../../domain/counting";
import { eventsOf } from "../../../domain/goal";
import type { EntryPath, PageGroups, View } from "../../questions";
import { ofSessions } from "../functions/change-counts";
import { joinedChanges } from "../functions/change-parts";
import { joinedPages, topOfParts } from "../functions/page-parts";
import { joinedWays } from "../functions/path-parts";
import { type AskedParts, allTold } from "./asked-parts";
import { goalWithin } from "./part-filters";
import type { PartInput } from "./parts";

/**
 * Questions about sessions that start in a window: each belongs to the part that it starts in, and is judged there on
 * all its events. Null for a question that is better answered as a whole.
 */

export async function partedChanges(
  asked: AskedParts,
  view: View,
  request: ChangeRequest,
): Promise<ChangeCounts | null> {
  if (!ofSessions(request)) return null;
  const windows = asked.cut(view, "day", request.goal?.filters ?? [], true);
  if (windows === null) return null;
  const { metric, dimensions } = request;
  const { context } = asked.snapshot;
  return asked.unlessMany(JSON.stringify([view.projectId, metric, dimensions]), async () => {
    const ask = (part: View): PartInput<"changes"> => [part, goalWithin(request, part), view.toMs];
    const told = allTold(await asked.each("changes", view, windows, ask));
    try {
      return told && joinedChanges(context, told, request);
    } finally {
      context.endQuestion();
    }
  });
}

export async function partedPages(
  asked: AskedParts,
  view: View,
  request: PagesRequest,
): Promise<PageGroups[] | null> {
  const windows = asked.cut(view, "day", [], true);
  if (windows === null) return null;
  return asked.unlessMany(JSON.stringify([view.projectId, request]), async () => {
    const ask = (part: View): PartInput<"pages"> => [part, request, view.toMs];
    const told = allTold(await asked.each("pages", view, windows, ask));
    return told && joinedPages(told, request);
  });
}

/** The newest of the sessions are in any part: they are walked as a whole. */
export async function partedPaths(
  asked: AskedParts,
  view: View,
  request: PathsRequest,
): Promise<EntryPath[] | null> {
  const { toMs, projectId } = view;
  const isOfAll = request.candidate_session_cap === null;
  const windows = isOfAll ? asked.cut(view, "day", eventsOf(request.goal), true) : null;
  if (windows === null) return null;
  return asked.unlessMany(JSON.stringify([projectId, "paths", request]), async () => {
    const askEntries = (part: View): PartInput<"entryPages"> => [part, toMs];
    const pages = allTold(await asked.each("entryPages", view, windows, askEntries));
    if (pages === null) return null;
    const entries = topOfParts(pages, request.entry_limit);
    const askWays = (part: View): PartInput<"ways"> => [part, request, toMs, entries];
    const ways = allTold(await asked.each("ways", view, windows, askWays));
    const { context } = asked.snapshot;
    try {
      return ways && joinedWays(context, ways, request);
    } finally {
      context.endQuestion();
    }
  });
}
