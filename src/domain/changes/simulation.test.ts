import { expect, test } from "bun:test";
import { cases } from "../../../test/support/random/cases";
import { count, unit, weekdayShares } from "../../../test/support/random/counts";
import { type Random, randomFrom } from "../../../test/support/random/random";
import { type Assessment, assess } from "./assessment";
import type { ValueCounts } from "./change-counts";
import { referenceDatesMin } from "./change-periods";

/**
 * Measures the statistics on projects that are made by chance: how often they see a change where there is none, and a
 * fall where there is one. Counts of a date are Poisson of a mean that varies itself, as in a negative binomial
 * distribution: its variance is `ratio` times that of Poisson.
 */
const projects = cases(200, 1_000);
/** One dimension of them, and the total, are 60 tests. */
const values = 59;
const referenceDates = 56;
const periodDates = 7;
const ratioMax = 20;
const noiseExceptionsMax = 0.02 * projects;
const driversMin = 0.9 * projects;

test(`of ${projects} projects without a change at most ${noiseExceptionsMax} are told that there is one`, () => {
  const verdicts = Array.from({ length: projects }, (_, seed) => {
    const random = randomFrom(seed);
    const ratio = 1 + ((ratioMax - 1) * random.below(1_000)) / 999;
    return project(random, () => ({ mean: 500 ** unit(random), ratio })).verdict;
  });
  expect(verdicts).not.toContain("too_little_history");
  expect(verdicts.filter((verdict) => verdict !== "noise").length).toBeLessThanOrEqual(
    noiseExceptionsMax,
  );
});

test(`a fall of 40 % in a value of 300 a day is a driver in at least ${driversMin} of ${projects} projects`, () => {
  const found = Array.from({ length: projects }, (_, seed) => {
    const random = randomFrom(projects + seed);
    const { dimensions } = project(random, (value) => ({
      mean: value === 0 ? 300 : 5 * 100 ** unit(random),
      ratio: 5,
      share: value === 0 ? 0.6 : 1,
    }));
    return dimensions[0].values[0].isDriver;
  });
  expect(found.filter((isDriver) => isDriver).length).toBeGreaterThanOrEqual(driversMin);
});

test.each([1, 5, 20])("variance %d times that of Poisson is found", (ratio) => {
  const random = randomFrom(ratio);
  const { dimensions } = project(random, () => ({ mean: 300, ratio }));
  const found = dimensions[0].values.map(({ dispersion }) => dispersion ?? 0);
  const mean = found.reduce((sum, one) => sum + one, 0) / found.length;
  expect(mean).toBeGreaterThan(ratio * 0.9);
  expect(mean).toBeLessThan(ratio * 1.1);
});

interface Made {
  /** The mean count of a date. */
  readonly mean: number;
  readonly ratio: number;
  /** The part of the mean that is left in the current period. */
  readonly share?: number;
}

function project(random: Random, make: (value: number) => Made): Assessment {
  expect(referenceDates).toBeGreaterThanOrEqual(referenceDatesMin);
  const made = Array.from({ length: values }, (_, at) => countsOf(random, `v${at}`, make(at)));
  const total: ValueCounts = {
    value: null,
    current: sum(made.map(({ current }) => current)),
    previous: sum(made.map(({ previous }) => previous)),
    byDate: Array.from({ length: referenceDates }, (_, date) =>
      sum(made.map(({ byDate }) => byDate[date])),
    ),
  };
  const other = { values: 0, current: 0, previous: 0 };
  return assess(
    { total, dimensions: [{ values: made, other }] },
    {
      ...{ metric: "events", dimensions: ["source"], referenceDates },
    },
  );
}

function countsOf(random: Random, value: string, { mean, ratio, share = 1 }: Made): ValueCounts {
  const byDate = Array.from({ length: referenceDates }, (_, date) =>
    count(random, mean * weekdayShares[date % 7], ratio),
  );
  const current = Array.from({ length: periodDates }, (_, date) =>
    count(random, mean * weekdayShares[date % 7] * share, ratio),
  );
  return { value, current: sum(current), previous: sum(byDate.slice(-periodDates)), byDate };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
