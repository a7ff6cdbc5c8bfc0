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

test("trees of several are those of one, whatever numbers their texts have", () => {
  const whole = new PathTrees(textOf);
  const first = added(added(new PathTrees(textOf), 1, 2, 3), 1, 2, 4);
  const second = added(added(new PathTrees(textOf), 11, 12, 13), 15);
  for (const [entry, ...pages] of [[1, 2, 3], [1, 2, 4], [1, 2, 3], [5]])
    added(whole, entry, ...pages);
  const joined = new PathTrees(textOf, first.told);
  const exit = 1;
  joined.addTree(
    second.told,
    (type, text) => nodeCode(type, text === exit ? exit : text - 10),
    () => undefined,
  );
  expect(joined.entryPaths(5)).toEqual(whole.entryPaths(5));
});

test("nodes that were told count for the bound", () => {
  const { told } = added(new PathTrees(textOf), 1, 2, 3);
  const last = new PathTrees(textOf, { ...told, pathNodes: 999_999 });
  expect(() => added(last, 1, 2, 3)).not.toThrow();
  expect(() => added(last, 1, 2, 4)).toThrow(ApiError);
});
