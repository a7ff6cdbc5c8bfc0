import type { PathNode } from "../../data/path-answers";

/** A block of the drawing: a node of the answer, or the part of it that reached the goal later. */
export interface Block {
  readonly kind: PathNode["type"] | "later_goal";
  readonly value: string;
  readonly sessions: number;
  readonly conversions: number;
  readonly children: readonly PathNode[];
}

/** The order of blocks: steps, then sessions that go on after the last step, then those that left. */
const places: Readonly<Record<Block["kind"], number>> = {
  ...{ goal: 0, page: 0, event: 0, later_goal: 1, truncated: 2, drop_off: 3 },
};

/** Returns the blocks for the nodes that follow a step; those of the same place keep their order. */
export const blocksOf = (nodes: readonly PathNode[]): Block[] =>
  nodes.flatMap(splitNode).sort((a, b) => places[a.kind] - places[b.kind]);

/** Splits the sessions after the last step into two blocks: those that reach the goal later, and the others. */
function splitNode({ type: kind, value, sessions, conversions, children = [] }: PathNode): Block[] {
  if (kind !== "truncated") return [{ kind, value, sessions, conversions, children }];
  const others = sessions - conversions;
  const later: Block = { kind: "later_goal", value, sessions: conversions, conversions, children };
  const longer: Block = { kind, value, sessions: others, conversions: 0, children };
  return [later, longer].filter((one) => one.sessions > 0);
}
