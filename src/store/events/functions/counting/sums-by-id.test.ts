import { expect, test } from "bun:test";
import { randomFrom } from "../../../../../test/support/random/random";
import { Budget } from "../budget";
import { SumsById } from "./sums-by-id";

interface Added {
  readonly ticket: number;
  readonly group: number;
  readonly value: number;
}

/** Runs of `length` numbers each, whose tickets lie behind each other or, with an overlap, across others. */
function runsOf(overlap: number, seed: number): Added[][] {
  const { below } = randomFrom(seed);
  return Array.from({ length: 12 }, (_, run) => {
    const tickets = new Set(
      Array.from({ length: 300 }, () => (run * 1_000 + below(1_000 + overlap * 1_000)) * 16 + run),
    );
    return [...tickets]
      .toSorted((a, b) => a - b)
      .map((ticket) => ({ ticket, group: below(4) - 1, value: below(100_000) / 100 - 300 }));
  });
}

test.each([0, 1, 5, 12])(
  "numbers are added by id, with runs that reach over %d others",
  (overlap) => {
    const runs = runsOf(overlap, overlap + 1);
    const { below } = randomFrom(7);
    const budget = new Budget(() => undefined);
    const sums = new SumsById(budget);
    for (const run of runs.toSorted(() => below(3) - 1)) {
      // The rows stand in some other order than the ids.
      const rows = Uint32Array.from(run, (_, at) => run.length - 1 - at);
      const values = Float64Array.from(run, ({ value }) => value);
      const tickets = Float64Array.from(run, ({ ticket }) => ticket);
      sums.add({ rows, values, tickets }, (row) => run[run.length - 1 - row].group);
    }
    const inOrder = runs.flat().toSorted((a, b) => a.ticket - b.ticket);
    const differ = [0, 1, 2].map((group) => {
      const own = inOrder.filter((one) => one.group === group).map(({ value }) => value);
      expect(sums.count(group)).toBe(own.length);
      expect(sums.of(group)).toBe(own.reduce((sum, value) => sum + value, 0));
      return (
        sums.of(group) !== own.toSorted((a, b) => a - b).reduce((sum, value) => sum + value, 0)
      );
    });
    expect(differ).toContain(true);
    expect([sums.count(7), sums.of(7)]).toEqual([0, 0]);
  },
);

test("a segment in two pieces brings the same events twice, each with a group in one of them", () => {
  let checks = 0;
  const sums = new SumsById(new Budget(() => expect(++checks).toBeLessThan(100)));
  const rows = Uint32Array.from({ length: 9 }, (_, row) => row);
  const numbers = {
    rows,
    values: Float64Array.from(rows, (row) => row / 10),
    tickets: Float64Array.from(rows),
  };
  const isOfFirst = (row: number): boolean => [0, 1, 4, 8].includes(row);
  sums.add(numbers, (row) => (isOfFirst(row) ? 0 : -1));
  sums.add(numbers, (row) => (isOfFirst(row) ? -1 : 1));
  expect([sums.of(0), sums.of(1)]).toEqual([0 + 0.1 + 0.4 + 0.8, 0.2 + 0.3 + 0.5 + 0.6 + 0.7]);
});
