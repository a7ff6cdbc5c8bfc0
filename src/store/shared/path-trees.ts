import { ApiError } from "../../domain/errors";
import { pathExitPagesMax } from "../../domain/limits";
import { roundTo } from "../../lib/round";
import { Smallest } from "../../lib/smallest";
import { compareText } from "../../lib/text";
import type { EntryPath, ExitPage, PathNode, PathWeight, TreeNode } from "../questions";

/** The nodes of all trees before they are cut, 24 bytes each; entry and exit pages are not counted. */
const pathNodesMax = 1_000_000;

export type PathNodeType = PathNode["type"];

/** The first types are those of path nodes; the children of the root are entry pages, and have exit pages besides. */
const types = ["page", "event", "goal", "truncated", "drop_off", "entry", "exit"] as const;
/** The types of path nodes, and of what is counted beside them. */
export type NodeType = (typeof types)[number];
const [page, event, goal, truncated, dropOff, entry, exit] = types.keys();
const typeNumbers: Readonly<Record<NodeType, number>> = {
  page,
  event,
  goal,
  truncated,
  drop_off: dropOff,
  entry,
  exit,
};
/** More than there are types. A text's number may be as large as 2^28. */
const typeSpan = 8;
const none = 0;

/** One number for a node's type and the number of its text: 0 for no text, which an exit page may be. */
export const nodeCode = (type: NodeType, text: number): number =>
  text * typeSpan + typeNumbers[type];

type Words = Uint32Array<ArrayBuffer>;
const nodesMin = 1_024;

/** The first `length` codes of nodes, and whether the session has the goal, be it behind them. */
interface WayOfSession {
  readonly nodes: Uint32Array;
  readonly length: number;
  readonly isConverted: boolean;
}

/**
 * Merges the ways of sessions into a tree per entry page. There are up to a million nodes, of which few are shown,
 * hence numbers for their texts, and no objects: a node is its place in four arrays.
 */
export class PathTrees {
  /** Node 0 is above all entry pages. */
  private count = 1;
  private pathNodes = 0;
  /** By node: the place of its parent, which comes before it, its code and its sums. */
  private parents: Words = new Uint32Array(nodesMin);
  private codes: Words = new Uint32Array(nodesMin);
  private sessions: Words = new Uint32Array(nodesMin);
  private conversions: Words = new Uint32Array(nodesMin);
  /** Nodes by the hash of their parent and code; 0 = free. */
  private slots: Words = new Uint32Array(2 * nodesMin);
  /** The texts that were asked for: the same pages are at many places. */
  private readonly texts = new Map<number, string>();

  /** `textOf` returns the text of a number that `add` received, by the type of its node. */
  constructor(
    private readonly textOf: (type: NodeType, text: number) => string,
    private readonly nodesMax = pathNodesMax,
  ) {}

  /** Adds a session: numbers of its pages, an exit page of 0 for none, and its way. */
  add(entryPage: number, exitPage: number, { nodes, length, isConverted }: WayOfSession): void {
    const conversions = isConverted ? 1 : 0;
    const root = this.seen(0, nodeCode("entry", entryPage), conversions);
    this.seen(root, nodeCode("exit", exitPage), conversions);
    let at = root;
    for (let place = 0; place < length; place++) at = this.seen(at, nodes[place], conversions);
  }

  /**
   * Returns entry pages by sessions, then conversions, descending, then page. Sibling lists are cut after they were
   * sorted.
   */
  entryPaths(pathLimit: number): EntryPath[] {
    const tree = this.linked();
    const roots = tree.childrenOf(0, () => true);
    return this.first(roots, roots.length).map((root) => ({
      entry_page: this.labelOf(root),
      ...this.weightOf(root),
      exit_pages: this.exitPages(tree.childrenOf(root, (node) => this.typeOf(node) === "exit")),
      tree: this.siblings(tree, root, pathLimit),
    }));
  }

  /** Counts a session at a child of a node. */
  private seen(parent: number, code: number, conversions: number): number {
    const node = this.childOf(parent, code);
    this.sessions[node]++;
    this.conversions[node] += conversions;
    return node;
  }
  private childOf(parent: number, code: number): number {
    const { slots, parents, codes } = this;
    let slot = slotOf(parent, code, slots.length);
    for (; slots[slot] !== none; slot = (slot + 1) & (slots.length - 1)) {
      const node = slots[slot];
      if (parents[node] === parent && codes[node] === code) return node;
    }
    if (code % typeSpan < entry && ++this.pathNodes > this.nodesMax)
      throw tooManyWays(this.nodesMax);
    const node = this.count++;
    if (node === parents.length) this.widen();
    this.parents[node] = parent;
    this.codes[node] = code;
    this.slots[freeSlot(this.slots, parent, code)] = node;
    return node;
  }
  private widen(): void {
    const length = this.parents.length * 2;
    this.parents = widened(this.parents, length);
    this.codes = widened(this.codes, length);
    this.sessions = widened(this.sessions, length);
    this.conversions = widened(this.conversions, length);
    this.slots = new Uint32Array(2 * length);
    for (let node = 1; node < this.count - 1; node++) {
      this.slots[freeSlot(this.slots, this.parents[node], this.codes[node])] = node;
    }
  }

  /** Each node's children as a chain, in the order in which they were added. */
  private linked() {
    const { count, parents } = this;
    const first = new Uint32Array(count);
    const next = new Uint32Array(count);
    for (let node = count - 1; node > 0; node--) {
      next[node] = first[parents[node]];
      first[parents[node]] = node;
    }
    const childrenOf = (parent: number, isWanted: (node: number) => boolean): number[] => {
      const found: number[] = [];
      for (let node = first[parent]; node !== none; node = next[node])
        if (isWanted(node)) found.push(node);
      return found;
    };
    return { childrenOf };
  }
  private siblings(
    tree: ReturnType<PathTrees["linked"]>,
    parent: number,
    limit: number,
  ): TreeNode[] {
    const children = tree.childrenOf(parent, (node) => this.typeOf(node) !== "exit");
    return this.first(children, limit).map((node): TreeNode => {
      const type = this.typeOf(node) as PathNodeType;
      const weight = this.weightOf(node);
      const children = this.siblings(tree, node, limit);
      const shown = { type, value: this.labelOf(node), ...weight, children };
      const isEnd = type === "truncated" || type === "drop_off";
      return isEnd ? { ...shown, exit_page: this.text(node) } : shown;
    });
  }
  private exitPages(nodes: readonly number[]): ExitPage[] {
    return nodes
      .map((node) => {
        const dropOffs = this.sessions[node] - this.conversions[node];
        return {
          exit_page: this.labelOf(node),
          ...this.weightOf(node),
          drop_offs: dropOffs,
          drop_off_rate: roundTo(dropOffs / this.sessions[node], 3),
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
  /** The first siblings in order, of which there may be thousands that one session each has passed. */
  private first(nodes: readonly number[], limit: number): readonly number[] {
    const { sessions, conversions } = this;
    const first = new Smallest<number>(
      limit,
      (a, b) =>
        sessions[b] - sessions[a] ||
        conversions[b] - conversions[a] ||
        compareText(this.typeOf(a), this.typeOf(b)) ||
        compareText(this.labelOf(a), this.labelOf(b)),
    );
    for (const node of nodes) first.offer(node);
    return first.members();
  }
  private weightOf(node: number): PathWeight {
    const { [node]: sessions } = this.sessions;
    const { [node]: conversions } = this.conversions;
    return { sessions, conversions, conversion_rate: roundTo(conversions / sessions, 3) };
  }
  private typeOf(node: number): NodeType {
    return types[this.codes[node] % typeSpan];
  }
  private labelOf(node: number): string {
    return this.text(node) ?? "unknown";
  }
  private text(node: number): string | null {
    const code = this.codes[node];
    const text = Math.floor(code / typeSpan);
    if (text === 0) return null;
    const known = this.texts.get(code);
    if (known !== undefined) return known;
    const found = this.textOf(this.typeOf(node), text);
    this.texts.set(code, found);
    return found;
  }
}

/** Tables are twice as long as there are nodes, and a power of two. */
function slotOf(parent: number, code: number, slots: number): number {
  const mixed = Math.imul(parent, 0x9e3779b1) ^ Math.imul(code, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) & (slots - 1);
}
function freeSlot(slots: Uint32Array, parent: number, code: number): number {
  let slot = slotOf(parent, code, slots.length);
  while (slots[slot] !== none) slot = (slot + 1) & (slots.length - 1);
  return slot;
}
function widened(values: Words, length: number): Words {
  const wider = new Uint32Array(length);
  wider.set(values);
  return wider;
}

const tooManyWays = (nodesMax: number): ApiError =>
  new ApiError(
    "QUERY_FAILED",
    `The paths of these sessions have more than ${nodesMax} different nodes. Request fewer days, or ` +
      "send candidate_session_cap to use only the newest sessions.",
  );
