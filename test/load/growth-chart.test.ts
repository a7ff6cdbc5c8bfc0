import { describe, expect, test } from "bun:test";
import {
  type GrowthRow,
  growthChart,
  growthTable,
  type Measure,
  measures,
  powersAround,
  spread,
  timesTheFirst,
  withRow,
} from "./growth-chart";

const names = Object.keys(measures) as Measure[];
const rowOf = (
  events: number,
  value: number,
  some: Partial<GrowthRow["values"]> = {},
): GrowthRow => ({
  events,
  day: "2026-11-23",
  commit: "0123abcd",
  load: null,
  values: {
    ...(Object.fromEntries(names.map((name) => [name, value])) as GrowthRow["values"]),
    ...some,
  },
});
const rows = [
  rowOf(1_000_000, 10),
  rowOf(10_000_000, 10, { statsMs: 90 }),
  rowOf(100_000_000, 10, { statsMs: 1_000, ingestionUs: 9 }),
];

describe("rows", () => {
  test("stand in order of events, the newest of each size", () => {
    const [small, middle, large] = rows;
    const found = [large, small, middle, { ...small, day: "2026-11-24" }].reduce<GrowthRow[]>(
      withRow,
      [],
    );
    expect(found.map(({ events, day }) => [events, day])).toEqual([
      [1_000_000, "2026-11-24"],
      [10_000_000, "2026-11-23"],
      [100_000_000, "2026-11-23"],
    ]);
  });

  test("are compared with that of the fewest events", () => {
    expect(timesTheFirst(rows, "statsMs")).toEqual([1, 9, 100]);
    expect(timesTheFirst(rows, "ingestionUs")).toEqual([1, 1, 0.9]);
  });
});

test("the table has a column for each size, and what the last is of the first", () => {
  const lines = growthTable(rows).split("\n");
  expect(lines[0]).toBe(
    "| events stored | 1,000,000 | 10,000,000 | 100,000,000 | the last ÷ the first |",
  );
  expect(lines[1]).toBe("|---|--:|--:|--:|--:|");
  expect(lines).toContain(`| ${measures.statsMs} | 10 | 90 | 1000 | 100.00 |`);
  expect(lines).toContain(`| ${measures.ingestionUs} | 10 | 10 | 9.0 | 0.90 |`);
  expect(lines.at(-1)).toBe("| at a load of | – | – | – |  |");
});

describe("the chart", () => {
  test("goes from a power of ten to another", () => {
    expect(powersAround([1, 9.04, 100, 0.9])).toEqual([-1, 2]);
    expect(powersAround([1, 1])).toEqual([0, 1]);
    expect(powersAround([1_000_000, 100_000_000])).toEqual([6, 8]);
  });

  test("keeps labels apart, in their order", () => {
    expect(spread([100, 20, 101, 24], 16)).toEqual([100, 20, 116, 36]);
    expect(spread([5], 16)).toEqual([5]);
  });

  test("draws each cost as a line, level where it does not grow", () => {
    const drawn = [...growthChart(rows).matchAll(/<polyline points="([^"]*)"/g)].map(([, points]) =>
      points.split(" ").map((point) => point.split(",").map(Number)),
    );
    expect(drawn).toHaveLength(names.length);
    const of = (name: Measure): number[][] => drawn[names.indexOf(name)];
    // The chart reaches from × 0.1 at the bottom to × 100 at the top, from a million on the left to a hundred on the
    // right.
    expect(of("statsMs")[0][0]).toBe(60);
    expect(of("statsMs")[2]).toEqual([400, 30]);
    expect(of("funnelMs").map(([, height]) => height)).toEqual([256.7, 256.7, 256.7]);
    expect(of("ingestionUs")[2][1]).toBeGreaterThan(256.7);
    for (const what of Object.values(measures))
      expect(growthChart(rows)).toContain(`>${what}</text>`);
  });

  test("can be drawn of one size", () => {
    expect(growthChart(rows.slice(0, 1))).not.toContain("NaN");
  });
});
