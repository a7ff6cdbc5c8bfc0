import { expect, test } from "bun:test";
import Type from "typebox";
import type { Json } from "../../test/support/app/app";
import { marksOf } from "../http/operation/marks";
import { schema } from "../lib/schema";
import { type Result, resultOf, type ToolCall } from "./result";
import { cellOf, type RowMaker, type Shaped, shape } from "./shape";

const asked: ToolCall = { tool: "overview", args: {}, maxRows: 500, afterRow: 0 };
const cellsOf = (entries: readonly (readonly [string, unknown])[]) =>
  new Map(entries.map(([column, value]) => [column, cellOf(value)]));
const rowOf =
  (cells: Json): RowMaker =>
  () => ({ cells: cellsOf(Object.entries(cells)), isWhole: true, untrusted: new Set() });
const rowsOf = (count: number, text = "") =>
  Array.from({ length: count }, (_, n) => rowOf({ n, text }));
const shapedOf = (tables: Record<string, number>, answer = {}): Shaped => ({
  ...{ answer, untrusted: [] },
  tables: new Map(Object.entries(tables).map(([name, count]) => [name, rowsOf(count)])),
});
const lengthsOf = (shaped: Shaped, more: Partial<ToolCall>) =>
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

const Cell = Type.Optional(Type.Number());
const answerSchema = schema(
  Type.Object({ t: Type.Array(Type.Object({ a: Cell, b: Cell, c: Cell })) }),
);

test("a column without any value is left out, and a row ends with its last value", () => {
  const marks = marksOf({ returns: { 200: answerSchema } });
  const { tables } = resultOf(shape({ t: [{ a: null, b: 1 }, { c: 2 }] }, marks, null), asked);
  expect(tables.t).toEqual({ columns: ["b", "c"], rows: [[1], [null, 2]] });
});

test("columns that few rows have come last, where most rows then end before them", () => {
  const columnsOf = (...rows: Json[]) => {
    const tables = new Map([["t", rows.map(rowOf)]]);
    return resultOf({ answer: {}, untrusted: [], tables }, asked).tables.t;
  };
  const [rich, plain] = [
    { id: 1, utm: "x", ref: "y", at: 5 },
    { id: 2, at: 6 },
  ];
  expect(columnsOf(rich, plain, plain)).toEqual({
    columns: ["id", "at", "utm", "ref"],
    rows: [
      [1, 5, "x", "y"],
      [2, 6],
      [2, 6],
    ],
  });
  // A single null is no reason to leave the order of the rows.
  expect(columnsOf({ country: "DE", n: 1 }, { country: "FR", n: 1 }, { n: 2 })).toEqual({
    columns: ["country", "n"],
    rows: [
      ["DE", 1],
      ["FR", 1],
      [null, 2],
    ],
  });
});

test("`next` leads to every row of several tables, to each once", () => {
  const lengths = { a: 100, b: 3, c: 20, d: 0 };
  const seen: string[] = [];
  let args: ToolCall["args"] | undefined = { project: "shop" };
  for (let calls = 0; args !== undefined && calls < 20; calls++) {
    const afterRow = Number(args.after_row ?? 0);
    const result: Result = resultOf(shapedOf(lengths), {
      ...asked,
      args,
      maxRows: 17,
      afterRow,
      limit: 100,
    });
    for (const [name, { rows }] of Object.entries(result.tables)) {
      seen.push(...rows.map(([n]) => `${name}${n}`));
    }
    args = result.next?.arguments;
    if (args !== undefined) expect(args.limit).toBe(100);
  }
  const all = Object.entries(lengths).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, n) => `${name}${n}`),
  );
  expect(seen.toSorted()).toEqual(all.toSorted());
});

test("rows are made one by one, so that no more columns are than a result shows", () => {
  let made = 0;
  const wide =
    (_: unknown, at: number): RowMaker =>
    () => {
      made += 1;
      const names = Array.from({ length: 650 }, (_, n) => [`properties.k${at}_${n}`, 1] as const);
      return { cells: cellsOf(names), isWhole: true, untrusted: new Set() };
    };
  const tables = new Map([["events", Array.from({ length: 500 }, wide)]]);
  const { cut, next, tables: shown } = resultOf({ answer: {}, untrusted: [], tables }, asked);
  expect([cut, next?.arguments]).toEqual([{ events: { shown: 2, total: 500 } }, { after_row: 2 }]);
  expect(shown.events?.columns).toHaveLength(1_300);
  // The row that does not fit is one more.
  expect(made).toBe(3);
});

test("of a row that is larger than a result a part is shown, and the next call goes on behind it", () => {
  const marks = marksOf({ returns: { 200: freeSchema } });
  const wide = Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`k${n}`, n]));
  const shaped = shape({ t: [{ own: wide }, { own: { a: 1 } }] }, marks, null);
  const result = resultOf(shaped, asked);
  expect(JSON.stringify(result).length).toBeLessThanOrEqual(32_768);
  expect(JSON.stringify(result).length).toBeGreaterThan(31_000);
  expect(result.notes.join(" ")).toContain("Some columns were left out");
  expect([result.cut, result.next?.arguments]).toEqual([
    { t: { shown: 1, total: 2 } },
    { after_row: 1 },
  ]);
  const { tables, notes } = resultOf(shaped, { ...asked, afterRow: 1 });
  expect([tables.t, notes]).toEqual([{ columns: ["own.a"], rows: [[1]] }, []]);
});
const freeSchema = schema(
  Type.Object({ t: Type.Array(Type.Object({ own: Type.Record(Type.String(), Type.Unknown()) })) }),
);

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
  const nextOf = (args: ToolCall["args"]) => resultOf(page, { ...asked, args }).next?.arguments;
  expect(nextOf({ project: "shop", after_row: 5 })).toEqual({ project: "shop", cursor: "c1" });
  const more = { operation: "listReplays", arguments: { project: "shop" } };
  expect(nextOf(more)).toEqual({
    operation: "listReplays",
    arguments: { project: "shop", cursor: "c1" },
  });
});

const Path = Type.Optional(Type.String({ "x-trust": "visitor" }));
const pathsSchema = schema(Type.Object({ t: Type.Array(Type.Object({ path: Path })) }));
const resultOfPaths = (paths: readonly string[], more: Partial<ToolCall> = {}) => {
  const marks = marksOf({ returns: { 200: pathsSchema } });
  const shaped = shape({ t: paths.map((path) => ({ path })) }, marks, null);
  return resultOf(shaped, { ...asked, ...more });
};

test("encoded addresses have labels, which are as safe as the cells, and the cells keep the stored form", () => {
  const { tables, labels, untrusted } = resultOfPaths([
    "/%E1%83%A1%E1%83%90",
    "/plain",
    "/%E2%80%AEx\u202e",
    "/%E1%83%A1%E1%83%90",
  ]);
  expect(tables.t?.rows.map(([path]) => path)).toEqual([
    "/%E1%83%A1%E1%83%90",
    "/plain",
    "/%E2%80%AEx\\u{202E}",
    "/%E1%83%A1%E1%83%90",
  ]);
  expect(labels).toEqual({
    "/%E1%83%A1%E1%83%90": "/სა",
    "/%E2%80%AEx\\u{202E}": "/\\u{202E}x\\u{202E}",
  });
  expect(untrusted).toContain("labels");
});

test("a result without encoded addresses has no labels", () => {
  const result = resultOfPaths(["/plain", "/a%20b"]);
  expect(result.labels).toBeUndefined();
  expect(result.untrusted).not.toContain("labels");
});

test("labels count towards the length of a result", () => {
  const paths = Array.from({ length: 500 }, (_, n) => `/${n}/${encodeURI("ს".repeat(20))}`);
  const result = resultOfPaths(paths);
  expect(result.cut?.t?.shown).toBeGreaterThan(50);
  expect(Object.keys(result.labels ?? {})).toHaveLength(result.cut?.t?.shown ?? 0);
  expect(JSON.stringify(result).length).toBeWithin(28_000, 32_769);
});
