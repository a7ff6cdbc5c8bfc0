import { expect, test } from "bun:test";
import { csvLines, type Table } from "./csv";

const csvOf = (table: Table) => [...csvLines(table)].join("");

const cells = (...values: readonly unknown[]) =>
  csvOf({ columns: ["a"], rows: values.map((a) => ({ a })) })
    .split("\r\n")
    .slice(1, -1);

test("a table has a header line, also without rows, and every line ends", () => {
  expect(csvOf({ columns: ["a", "b"], rows: [] })).toBe("a,b\r\n");
  expect(csvOf({ columns: ["b", "a"], rows: [{ a: 1, b: "x" }, { a: 2 }] })).toBe(
    "b,a\r\nx,1\r\n,2\r\n",
  );
});

test("what separates cells stands in quotes", () => {
  expect(cells("a,b", 'say "x"', " a ", "a;b")).toEqual(['"a,b"', '"say ""x"""', " a ", "a;b"]);
});

test("null is an empty cell, the empty text a quoted one", () => {
  expect(cells(null, undefined, "", 0, false)).toEqual(["", "", '""', "0", "false"]);
});

test("a text that a spreadsheet would run gets an apostrophe, a number does not", () => {
  expect(cells("=1+1", "+1", "-1", "@x", "\tx", "\rx", "a=1", "'x")).toEqual([
    ...["'=1+1", "'+1", "'-1", "'@x", "'\\u{9}x", "'\\u{D}x", "a=1", "'x"],
  ]);
  expect(cells(-1, -0.5, 1e21)).toEqual(["-1", "-0.5", "1e+21"]);
  expect(csvOf({ columns: ["=x"], rows: [] })).toBe("'=x\r\n");
});

test("nor can a text begin a cell where spreadsheets split lines at a semicolon, and it is the same text", () => {
  const texts = [";=1+1", "a;=1+1", "a;-1;+1;@x", 'a;""=1&"";b', "a;b", "a; =1", "a;"];
  const written = cells(...texts);
  expect(written).toEqual([
    ...["\\u{3B}=1+1", "a\\u{3B}=1+1", "a\\u{3B}-1\\u{3B}+1\\u{3B}@x"],
    ...['"a\\u{3B}""""=1&"""";b"', "a;b", "a; =1", "a;"],
  ]);
  // Split as such a spreadsheet does, no cell of any line begins a formula, whatever it takes for quotes.
  const parts = cells(...texts, { text: 'x;=1;"=2' }, ["a;-1"]).flatMap((line) => line.split(";"));
  expect(parts.filter((part) => /^"*[=+\-@]/.test(part))).toEqual([]);
  const [json = ""] = cells({ text: "x;=1" });
  expect(JSON.parse(json.slice(1, -1).replaceAll('""', '"'))).toEqual({ text: "x;=1" });
});

test("a row is one line, whatever is in it", () => {
  expect(cells("a\r\nb", { text: "a\nb\u2028" }, ["=1", null])).toEqual([
    ...["a\\u{D}\\u{A}b", '"{""text"":""a\\nb\\u2028""}"', '"[""=1"",null]"'],
  ]);
});
