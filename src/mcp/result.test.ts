import { expect, test } from "bun:test";
import { type Asked, resultOf } from "./result";
import type { Shaped } from "./shape";

const asked: Asked = { tool: "overview", args: {}, maxRows: 500, afterRow: 0 };
const rowsOf = (count: number, text = "") =>
  Array.from(
    { length: count },
    (_, at) =>
      new Map<string, unknown>([
        ["n", at],
        ["text", text],
      ]),
  );
const shapedOf = (tables: Record<string, number>, answer = {}): Shaped => ({
  ...{ answer, untrusted: [] },
  tables: new Map(Object.entries(tables).map(([name, count]) => [name, rowsOf(count)])),
});
const lengthsOf = (shaped: Shaped, more: Partial<Asked>) =>
  Object.values(resultOf(shaped, { ...asked, ...more }).tables).map(({ rows }) => rows.length);

test("rows go from the longest table", () => {
  expect(lengthsOf(shapedOf({ a: 100, b: 3, c: 20 }), { maxRows: 200 })).toEqual([100, 3, 20]);
  expect(lengthsOf(shapedOf({ a: 100, b: 3, c: 20 }), { maxRows: 50 })).toEqual([27, 3, 20]);
  expect(lengthsOf(shapedOf({ a: 100, b: 3, c: 20 }), { maxRows: 10 })).toEqual([4, 3, 3]);
  expect(lengthsOf(shapedOf({ a: 5, b: 5 }), { maxRows: 1 })).toEqual([1, 0]);
});

test("what is cut can be asked for, as far as rows can be skipped", () => {
  const next = (afterRow: number) =>
    resultOf(shapedOf({ a: 1_500 }), { ...asked, maxRows: 10, afterRow }).next?.arguments;
  expect(next(0)).toEqual({ after_row: 10 });
  expect(next(980)).toEqual({ after_row: 990 });
  expect(next(990)).toBeUndefined();
});

test("a column without any value is left out", () => {
  const rows = [
    new Map<string, unknown>([
      ["a", null],
      ["b", 1],
    ]),
    new Map([["c", 2]]),
  ];
  const { tables } = resultOf({ answer: {}, untrusted: [], tables: new Map([["t", rows]]) }, asked);
  expect(tables.t).toEqual({
    columns: ["b", "c"],
    rows: [
      [1, null],
      [null, 2],
    ],
  });
});

test("the most rows that fit are shown, and an answer that is too large by itself is shortened", () => {
  const tables = new Map([["t", rowsOf(400, "x".repeat(190))]]);
  const cut = resultOf({ answer: {}, untrusted: [], tables }, asked);
  const shown = cut.tables.t?.rows.length ?? 0;
  const size = (result: unknown) => JSON.stringify(result).length;
  expect([shown > 150, size(cut) <= 32_768, size(cut) > 32_300]).toEqual([true, true, true]);

  const traits = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, at) => [`trait-${at}`, "value"]),
  );
  const keys = Array.from({ length: 2_000 }, (_, at) => `key-${at}`);
  const short = resultOf(
    { answer: { project: "shop", traits, keys }, untrusted: [], tables },
    asked,
  );
  expect(size(short)).toBeLessThanOrEqual(32_768);
  expect(short.answer.project).toBe("shop");
  expect(short.notes.join(" ")).toContain("Parts of `answer` were left out");
  const one = { only: [{ text: "x".repeat(40_000) }] };
  expect(size(resultOf({ answer: one, untrusted: [], tables: new Map() }, asked))).toBeLessThan(
    32_768,
  );
});

test("a cursor goes to the operation, also to one that is named by its id", () => {
  const page = shapedOf({ replays: 1 }, { next_cursor: "c1" });
  const nextOf = (args: Asked["args"]) => resultOf(page, { ...asked, args }).next?.arguments;
  expect(nextOf({ project: "shop", after_row: 5 })).toEqual({ project: "shop", cursor: "c1" });
  const more = { operation: "listReplays", arguments: { project: "shop" } };
  expect(nextOf(more)).toEqual({
    operation: "listReplays",
    arguments: { project: "shop", cursor: "c1" },
  });
});
