import { ApiError } from "../../domain/errors";
import { pathExitPagesMax } from "../../domain/limits";
import { roundTo } from "../../lib/round";
import { compareText } from "../../lib/text";
import type { EntryPath, ExitPage, PathNode, PathWeight, TreeNode } from "../questions";

/** The nodes of all trees before they are cut, some 300 bytes each. */
const pathNodesMax = 1_000_000;

/** A node while sessions are still added to it. */
class Growing {
  sessions = 0;
  conversions = 0;
  readonly children = new Map<string, Growing>();
  constructor(readonly node: PathNode | null) {}

  count(isConverted: boolean): void {
    this.sessions++;
    if (isConverted) this.conversions++;
  }
  child(node: PathNode, made: () => void): Growing {
    // Two end nodes may differ in that one has an exit page named "unknown" and the other none.
    const key = `${node.type}${node.exit_page === null ? "!" : ":"}${node.value}`;
    let child = this.children.get(key);
    if (child === undefined) {
      made();
      child = new Growing(node);
      this.children.set(key, child);
    }
    return child;
  }
}

/** Merges the ways of sessions into a tree per entry page. */
export class PathTrees {
  private readonly entries = new Map<string, { root: Growing; exits: Map<string, Growing> }>();
  private nodes = 0;

  add(entryPage: string, exitPage: string | null, nodes: readonly PathNode[]): void {
    const isConverted = nodes.at(-1)?.type === "goal";
    const entry = this.entries.get(entryPage) ?? { root: new Growing(null), exits: new Map() };
    this.entries.set(entryPage, entry);
    let at = entry.root;
    at.count(isConverted);
    for (const node of nodes) {
      at = at.child(node, this.countNode);
      at.count(isConverted);
    }
    const exitName = exitPage ?? "unknown";
    const exit = entry.exits.get(exitName) ?? new Growing(null);
    entry.exits.set(exitName, exit);
    exit.count(isConverted);
  }

  private readonly countNode = (): void => {
    if (++this.nodes > pathNodesMax) throw tooManyWays();
  };

  /**
   * Returns entry pages by sessions, then conversions, descending, then page. Sibling lists are cut after they were
   * sorted.
   */
  entryPaths(pathLimit: number): EntryPath[] {
    return [...this.entries]
      .sort(([a, x], [b, y]) => byWeight(x.root, y.root) || compareText(a, b))
      .map(([page, { root, exits }]) => ({
        entry_page: page,
        ...weightOf(root),
        exit_pages: exitPages(exits),
        tree: siblings(root, pathLimit),
      }));
  }
}

const tooManyWays = (): ApiError =>
  new ApiError(
    "QUERY_FAILED",
    `The ways of these sessions have more than ${pathNodesMax} different places. Ask for fewer days, or send ` +
      "candidate_session_cap: then only the newest sessions are walked.",
  );

const byWeight = (a: Growing, b: Growing): number =>
  b.sessions - a.sessions || b.conversions - a.conversions;

const weightOf = ({ sessions, conversions }: Growing): PathWeight => ({
  sessions,
  conversions,
  conversion_rate: roundTo(conversions / sessions, 3),
});

function exitPages(exits: ReadonlyMap<string, Growing>): ExitPage[] {
  return [...exits]
    .map(([page, exit]) => {
      const dropOffs = exit.sessions - exit.conversions;
      return {
        exit_page: page,
        ...weightOf(exit),
        drop_offs: dropOffs,
        drop_off_rate: roundTo(dropOffs / exit.sessions, 3),
      };
    })
    .sort(
      (a, b) =>
        b.sessions - a.sessions ||
        b.drop_offs - a.drop_offs ||
        b.conversions - a.conversions ||
        compareText(a.exit_page, b.exit_page),
    )
    .slice(0, pathExitPagesMax);
}

function siblings({ children }: Growing, limit: number): TreeNode[] {
  const labelOf = ({ node }: Growing): string => `${node?.type}:${node?.value}`;
  return [...children.values()]
    .sort((a, b) => byWeight(a, b) || compareText(labelOf(a), labelOf(b)))
    .slice(0, limit)
    .flatMap((child) => {
      if (child.node === null) return [];
      const { exit_page: exitPage, ...node } = child.node;
      const exit = exitPage === undefined ? {} : { exit_page: exitPage };
      return [{ ...node, ...weightOf(child), children: siblings(child, limit), ...exit }];
    });
}
