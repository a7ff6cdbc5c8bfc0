import { expect, test } from "bun:test";
import { inTurns } from "./turns";

const ordered = (names: readonly string[]): string[] =>
  inTurns(names.map((name) => ({ name, project: name[0] }))).map(({ name }) => name);

test("projects take turns in the order of their first requests, and each keeps its order", () => {
  expect(ordered(["a1", "a2", "a3", "b1", "c1", "c2"])).toEqual([
    "a1",
    "b1",
    "c1",
    "a2",
    "c2",
    "a3",
  ]);
  expect(ordered(["b1", "a1", "b2"])).toEqual(["b1", "a1", "b2"]);
  expect(ordered(["a1", "a2"])).toEqual(["a1", "a2"]);
  expect(ordered([])).toEqual([]);
});
