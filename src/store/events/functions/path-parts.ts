import type { PathsRequest } from "../../../domain/counting";
import type { FilteredWindow } from "../../../domain/filter-items";
import type { EntryPath } from "../../questions";
import { PathTrees, type TreeTold } from "../../shared/path-trees";
import type { Segment } from "../segment/segment";
import type { Context } from "./context";
import { goalRows } from "./counting/goal-rows";
import { type CountedPages, countedPages } from "./page-parts";
import { entryPages, walkedFrom } from "./paths";
import { type AskedSessions, askedSessions, countsOfPages } from "./sessions/page-groups";
import { NodeCodes, type NodesTold } from "./walks/node-codes";
import { eachWay } from "./walks/ways";

/**
 * Paths in parts of a window that follow each other: a session belongs to the part that it starts in. All parts count
 * their entry pages; from those that have most sessions together each part walks its own.
 */

/** The ways of a part's sessions, and the texts of their nodes. */
export interface WaysOfPart {
  readonly tree: TreeTold;
  readonly nodes: NodesTold;
}

/** Events for which the filters hold may come until `endMs`. Null when there are too many entry pages to tell. */
export function entriesOfPart(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  endMs: number,
): CountedPages | null {
  const sessions = context.tables.sessions(all, window);
  if (sessions === null) return { pages: [], sessions: new Float64Array(0) };
  const asked = askedSessions(context, sessions, all, window, endMs);
  const counted = countedPages(context, asked, entryPages(sessions));
  return counted && { pages: counted.pages, sessions: counted.sessions };
}

/** Walks the sessions that began on one of some entry pages. Null when there are too many nodes to tell. */
export function waysOfPart(
  context: Context,
  all: readonly Segment[],
  window: FilteredWindow,
  { goal, max_steps: stepsMax }: PathsRequest,
  endMs: number,
  entries: readonly string[],
): WaysOfPart | null {
  const nodes = new NodeCodes(context, goal, goalRows(context, goal));
  const trees = new PathTrees((type, text) => nodes.textOf(type, text));
  const sessions = context.tables.sessions(all, window);
  if (sessions !== null) {
    const asked = askedSessions(context, sessions, all, window, endMs);
    const walked = walkedFrom(context, asked, nodes, numbersOf(context, asked, entries));
    eachWay(context, walked, nodes, stepsMax, (entry, exit, way) => {
      trees.add(entry, exit, way);
    });
  }
  const { told: tree } = trees;
  return tree.count > context.tuning.toldNodesMax ? null : { tree, nodes: nodes.told };
}

/** Returns the numbers of entry pages, as far as a session that is asked began on them. */
function numbersOf(context: Context, asked: AskedSessions, entries: readonly string[]): number[] {
  const pages = entryPages(asked.sessions);
  const counts = countsOfPages(context, asked, pages);
  const wanted = new Set(entries);
  const numbers: number[] = [];
  for (let page = 1; page < counts.length; page++)
    if (counts[page] > 0 && wanted.has(pages.text(page))) numbers.push(page);
  return numbers;
}

/** The ways of all parts, as entry_paths of the answer. */
export function joinedWays(
  context: Context,
  parts: readonly WaysOfPart[],
  { goal, path_limit: pathLimit }: PathsRequest,
): EntryPath[] {
  // The others are added to the one with most nodes.
  const [most, ...others] = parts.toSorted((a, b) => b.tree.count - a.tree.count);
  const nodes = new NodeCodes(context, goal, null, most.nodes);
  const trees = new PathTrees((type, text) => nodes.textOf(type, text), most.tree);
  for (const part of others) trees.addTree(part.tree, nodes.codesOf(part.nodes), context.check);
  return trees.entryPaths(pathLimit);
}
