import { expect, test } from "bun:test";
import { ApiError } from "../../domain/errors";
import { nodeCode, PathTrees } from "./path-trees";

const textOf = (type: string, text: number): string => `${type} ${text}`;
const way = (...pages: number[]): Uint32Array =>
  Uint32Array.from([...pages.map((page) => nodeCode("page", page)), nodeCode("drop_off", 1)]);
const added = (trees: PathTrees, entry: number, ...pages: number[]): PathTrees => {
  const nodes = way(...pages);
  trees.add(entry, 1, { nodes, length: nodes.length, isConverted: false });
  return trees;
};

test("a tree has at most the number of nodes of its limit, and entry and exit pages do not count", () => {
  const trees = added(new PathTrees(textOf, 4), 1, 2, 3);
  expect(() => added(trees, 1, 2, 3)).not.toThrow();
  expect(() => added(trees, 1, 2)).not.toThrow();
  expect(() => added(trees, 1, 2, 4)).toThrow(ApiError);
});
