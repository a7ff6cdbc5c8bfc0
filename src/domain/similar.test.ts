import { expect, test } from "bun:test";
import { mostSimilar } from "./similar";

const similar = (asked: string, names: readonly string[], count = 2) =>
  mostSimilar(asked, names, (name) => name, count);

test("a misspelt name finds the one that was meant", () => {
  const names = ["page_view", "sign_up", "purchase", "plan_type", "path"];
  expect(similar("signup", names, 1)).toEqual(["sign_up"]);
  expect(similar("PURCHSE", names, 1)).toEqual(["purchase"]);
  expect(similar("plan", names, 1)).toEqual(["plan_type"]);
});

test("names that are equally similar keep their order", () => {
  expect(similar("zzz", ["c", "a", "b"])).toEqual(["c", "a"]);
  expect(similar("", ["c", "a", ""])).toEqual(["c", "a"]);
});

test("long names are compared by their first characters", () => {
  const long = `plan${"x".repeat(1_000_000)}`;
  expect(similar("plan", ["path", long])).toEqual([long, "path"]);
});
