import { expect, test } from "bun:test";
import type { PathNode } from "../../data/path-answers";
import { blocksOf } from "./blocks";

const node = (type: PathNode["type"], sessions: number, conversions: number): PathNode => ({
  ...{ type, value: `/${type}`, sessions, conversions, conversion_rate: conversions / sessions },
});
const told = (nodes: readonly PathNode[]): readonly (string | number)[][] =>
  blocksOf(nodes).map(({ kind, sessions, conversions }) => [kind, sessions, conversions]);

test("the sessions after the last step are a block of those that reach the goal and one of the others", () => {
  expect(told([node("truncated", 40, 12), node("page", 30, 3)])).toEqual([
    ["page", 30, 3],
    ["later_goal", 12, 12],
    ["truncated", 28, 0],
  ]);
});

test("a block without sessions is not drawn", () => {
  expect(told([node("truncated", 5, 5)])).toEqual([["later_goal", 5, 5]]);
  expect(told([node("truncated", 5, 0)])).toEqual([["truncated", 5, 0]]);
});

test("sessions that left stand last, and steps keep their order", () => {
  const nodes = [node("drop_off", 50, 0), node("truncated", 9, 4), node("event", 8, 1)];
  expect(told([...nodes, node("goal", 7, 7)]).map(([kind]) => kind)).toEqual([
    ...["event", "goal", "later_goal", "truncated", "drop_off"],
  ]);
});
