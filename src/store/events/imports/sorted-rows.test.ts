import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFrom } from "../../../../test/support/random/random";
import { type SortedRow, SortedRows, type SortSizes } from "./sorted-rows";

const folder = mkdtempSync(join(tmpdir(), "sightline-sort-"));
afterAll(() => rmSync(folder, { recursive: true }));
let folders = 0;

const sizes: SortSizes = { runCharsMax: 1_000, runsMergedMax: 3 };
const line = "x".repeat(100);
const users = [null, "anna", "ü\t\n\u2028", "😀"];

/** Rows in no order, among them several of one time. */
function rowsOf(count: number): SortedRow[] {
  const random = randomFrom(count);
  return Array.from({ length: count }, (_, ordinal) => ({
    orderMs: random.below(count / 2),
    ordinal,
    key: [random.below(2 ** 32), ordinal] as const,
    user: random.pick(users),
    line,
  }));
}

/** Sorts rows. Returns them with the number of files that lay on the disk when all of them were added. */
function sorted(rows: readonly SortedRow[], by: SortSizes = sizes) {
  const place = mkdtempSync(join(folder, `${folders++}-`));
  const sort = new SortedRows(place, by);
  for (const row of rows) sort.add(row);
  const files = readdirSync(place).length;
  return { files, rows: [...sort.pieces()].flat() };
}
const inOrder = (rows: readonly SortedRow[]): SortedRow[] =>
  rows.toSorted((a, b) => a.orderMs - b.orderMs || a.ordinal - b.ordinal);

describe("rows of an import come in the order of their times", () => {
  test.each([
    [0, 0, "nothing"],
    [10, 0, "as much as memory takes"],
    [11, 1, "one row more, which goes to the disk"],
    [22, 2, "two runs"],
    [33, 1, "three runs, which were merged"],
    [43, 1, "a merged run, and rows in memory"],
    [55, 3, "a merged run, and two others"],
    [99, 1, "three merged runs, which were merged"],
    [1_000, 2, "any number"],
  ])("%d rows in %d files: %s", (count, files) => {
    const rows = rowsOf(count);
    expect(sorted(rows)).toEqual({ files, rows: inOrder(rows) });
  });

  test("a line that is longer than what is read at a time", () => {
    const rows = rowsOf(40).map((row) => ({ ...row, line: `${line}${"ä".repeat(100_000)}` }));
    expect(sorted(rows, { ...sizes, runCharsMax: 1_000_000 }).rows).toEqual(inOrder(rows));
  });

  test("the usual sizes: two MiB of text stay in memory", () => {
    const rows = rowsOf(65).map((row) => ({ ...row, line: "x".repeat(32_768) }));
    const inMemory = rows.slice(0, 64);
    const place = mkdtempSync(join(folder, `${folders++}-`));
    const sort = new SortedRows(place);
    for (const row of inMemory) sort.add(row);
    expect(readdirSync(place)).toEqual([]);
    sort.add(rows[64]);
    expect(readdirSync(place)).toEqual(["run-0"]);
    expect([...sort.pieces()].flat()).toEqual(inOrder(rows));
  });
});
