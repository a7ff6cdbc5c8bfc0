import { expect, test } from "bun:test";
import { assess } from "./assessment";
import type { ValueCounts } from "./change-counts";
import { normalQuantile, studentQuantile } from "./quantiles";
import { dispersionOf, excessOf, isLarge, pooledZ, surpriseOf, zOf } from "./statistics";

/** Ten digits of published tables. */
test.each([
  [0.5, 0],
  [0.25, 0.6744897502],
  [0.025, 1.9599639845],
  [0.001, 3.0902323062],
  [1e-6, 4.7534243088],
  [1e-9, 5.997807015],
])("normal quantile of a tail of %d", (tail, quantile) => {
  expect(normalQuantile(tail)).toBeCloseTo(quantile, 9);
});
test.each([
  [0.025, 1, 12.7062047362],
  [0.025, 2, 4.3026527297],
  [0.005, 21, 2.831359558],
  [0.0005, 30, 3.645958635],
  [0.025, 49, 2.0095752371],
])("t quantile of a tail of %d with %d degrees", (tail, degrees, quantile) => {
  expect(studentQuantile(tail, degrees)).toBeCloseTo(quantile, 8);
});

/** Simpson's rule over the density from a quantile on, substituted so that the tail ends. */
test.each(
  [21, 22, 35, 48, 49].flatMap((degrees) => [1e-3, 1e-5, 1e-8].map((tail) => [tail, degrees])),
)("the density of t beyond its quantile integrates to %d with %d degrees", (tail, degrees) => {
  const from = studentQuantile(tail, degrees);
  const steps = 20_000;
  const angleFrom = Math.atan(from / Math.sqrt(degrees));
  const step = (Math.PI / 2 - angleFrom) / steps;
  // With t = √ν·tan u the density is cos(u)^(ν − 1), and the whole integral is known by the same rule.
  const integral = (begin: number, width: number): number => {
    let sum = 0;
    for (let at = 0; at <= steps; at++) {
      const weight = at === 0 || at === steps ? 1 : at % 2 === 1 ? 4 : 2;
      sum += weight * Math.cos(begin + at * width) ** (degrees - 1);
    }
    return (sum * width) / 3;
  };
  const all = 2 * integral(0, Math.PI / 2 / steps);
  expect(integral(angleFrom, step) / all / tail).toBeCloseTo(1, 7);
});

const weeks = (count: number, week: readonly number[]): number[] =>
  Array.from({ length: count }, () => week).flat();

test("counts that follow their week alone are not dispersed at all", () => {
  expect(dispersionOf(weeks(8, [10, 20, 30, 40, 50, 5, 0]))).toBe(1);
  expect(dispersionOf([])).toBe(1);
  expect(dispersionOf([5, 0, 9, 100, 0, 0, 1])).toBe(1);
});
test("dispersion is Pearson's statistic over its degrees of freedom", () => {
  // Each weekday is 10 ± 10 around its mean: eight times 10 a weekday, by 56 − 7.
  const counts = [...weeks(4, [0, 0, 0, 0, 0, 0, 0]), ...weeks(4, [20, 20, 20, 20, 20, 20, 20])];
  expect(dispersionOf(counts)).toBeCloseTo((56 * 10) / 49, 12);
});
test("eight dates: one degree of freedom", () => {
  expect(dispersionOf([10, 1, 1, 1, 1, 1, 1, 30])).toBeCloseTo(10, 12);
});

test("z of nothing is 0", () => {
  expect(zOf(0, 0, 1)).toBe(0);
  expect(pooledZ({ of: 0, reached: 0 }, { of: 0, reached: 0 })).toBe(0);
  expect(pooledZ({ of: 10, reached: 0 }, { of: 5, reached: 0 })).toBe(0);
  expect(pooledZ({ of: 10, reached: 10 }, { of: 5, reached: 5 })).toBe(0);
});
test("z of two shares is pooled", () => {
  // 200 of 1,000 against 150 of 1,000: pooled 0.175.
  const z = pooledZ({ of: 1_000, reached: 200 }, { of: 1_000, reached: 150 });
  expect(z).toBeCloseTo(0.05 / Math.sqrt(0.175 * 0.825 * 0.002), 12);
});
test("a change is large from ten on, and from a tenth on", () => {
  expect(isLarge(10, 0)).toBe(true);
  expect(isLarge(9, 0)).toBe(false);
  expect(isLarge(1_100, 1_000)).toBe(true);
  expect(isLarge(901, 1_000)).toBe(false);
});
test("excess sums to nothing", () => {
  const values = [
    { current: 7, previous: 20 },
    { current: 40, previous: 0 },
    { current: 0, previous: 13 },
  ];
  const whole = { current: 47, previous: 33 };
  const excess = values.map((value) => excessOf(value, whole));
  expect(excess[0] + excess[1] + excess[2]).toBeCloseTo(0, 12);
  expect(excessOf({ current: 3, previous: 0 }, { current: 9, previous: 0 })).toBe(3);
});
test("surprise goes from 0 to 1", () => {
  expect(surpriseOf([])).toBe(0);
  expect(
    surpriseOf([
      { current: 10, previous: 30 },
      { current: 20, previous: 60 },
    ]),
  ).toBe(0);
  expect(
    surpriseOf([
      { current: 10, previous: 0 },
      { current: 0, previous: 4 },
    ]),
  ).toBe(1);
});

/** φ = 4: the counts of a date are 30 above or below their mean of 225. */
const byDate = [...weeks(4, weekOf(-1)), ...weeks(4, weekOf(1))];
function weekOf(sign: number): number[] {
  const mean = 100;
  const apart = Math.sqrt((4 * 49 * mean) / 56);
  return Array.from({ length: 7 }, () => mean + sign * apart);
}
const value = (said: Partial<ValueCounts>): ValueCounts => ({
  ...{ value: null, current: 0, previous: 0, byDate, ...said },
});

/** The worked example: a fall in one country of many, 60 tests, 56 dates. */
test("a country that halves is what changed", () => {
  // Another 58 values are tested; they have not changed.
  const still = Array.from({ length: 57 }, (_, at) =>
    value({ value: `v${at}`, current: 100, previous: 100 }),
  );
  const other = { values: 0, current: 0, previous: 0 };
  const countries = [
    value({ value: "DE", current: 1_500, previous: 3_000 }),
    value({ value: "US", current: 7_100, previous: 7_000 }),
  ];
  const { total, dimensions, tested, threshold, verdict } = assess(
    {
      total: value({ current: 8_600, previous: 10_000 }),
      dimensions: [
        { values: countries, other },
        { values: still, other },
      ],
    },
    {
      ...{ metric: "events", dimensions: ["country", "page"] },
      ...{ referenceDates: 56 },
    },
  );
  const [{ surprise, values }] = dimensions;
  const [germany, others] = values;
  expect(tested).toBe(60);
  expect(threshold).toBeCloseTo(4.569, 3);
  expect(total.delta).toBe(-1_400);
  expect(total.z).toBeCloseTo(-5.133, 3);
  expect(total.isSignificant).toBe(true);
  expect(germany.dispersion).toBeCloseTo(4, 12);
  expect(germany.sharePercent).toBeCloseTo(107.1, 1);
  expect(germany.excess).toBeCloseTo(-1_080, 9);
  expect(germany.z).toBeCloseTo(-11.18, 3);
  expect(germany.isDriver).toBe(true);
  expect(others.z).toBeCloseTo(0.421, 3);
  expect(others.isSignificant).toBe(false);
  expect(surprise).toBeCloseTo(0.0159, 4);
  expect(verdict).toBe("specific");
});

const alone = (counts: Partial<ValueCounts>, asked: Partial<Parameters<typeof assess>[1]> = {}) => {
  const one = value({ value: "x", ...counts });
  const other = { values: 0, current: 0, previous: 0 };
  return assess(
    { total: one, dimensions: [{ values: [one], other }] },
    {
      ...{ metric: "events", dimensions: ["country"] },
      ...{ referenceDates: 56, ...asked },
    },
  );
};

test("what fell with the whole is no driver: the change is broad", () => {
  const one = value({ value: "x", current: 1_000, previous: 3_000 });
  const two = value({ value: "y", current: 1_000, previous: 3_000 });
  const { verdict, dimensions } = assess(
    {
      total: value({ current: 2_000, previous: 6_000 }),
      dimensions: [{ values: [one, two], other: { values: 0, current: 0, previous: 0 } }],
    },
    {
      ...{ metric: "events", dimensions: ["country"] },
      ...{ referenceDates: 56 },
    },
  );
  expect(dimensions[0].values.map((found) => found.isSignificant)).toEqual([true, true]);
  expect(dimensions[0].values.map((found) => found.isDriver)).toEqual([false, false]);
  expect(verdict).toBe("broad");
});
test("27 dates of reference are too few, 28 are enough", () => {
  const counts = { current: 100, previous: 3_000 };
  expect(alone(counts, { referenceDates: 27 })).toMatchObject({
    ...{ verdict: "too_little_history", threshold: null },
    total: { isSignificant: null },
  });
  expect(alone(counts, { referenceDates: 28 })).toMatchObject({
    ...{ verdict: "broad", total: { isSignificant: true } },
  });
});
test("19 in both periods are not tested, 20 are", () => {
  expect(alone({ current: 19 }).tested).toBe(1);
  expect(alone({ current: 19 }).dimensions[0].values[0].isSignificant).toBe(false);
  expect(alone({ current: 20 }).tested).toBe(2);
});
test("a value that is new, and one that is gone", () => {
  const found = [{ current: 1 }, { previous: 1 }, {}].map((counts) => {
    const { isNew, isGone } = alone(counts).dimensions[0].values[0];
    return [isNew, isGone];
  });
  expect(found).toEqual([
    [true, false],
    [false, true],
    [false, false],
  ]);
});

test("the parts of a change of conversion sum to it", () => {
  const parts = [
    { current: 500, previous: 400, reached: { current: 50, previous: 60 } },
    { current: 100, previous: 900, reached: { current: 30, previous: 200 } },
    { current: 77, previous: 0, reached: { current: 7, previous: 0 } },
  ];
  const whole = { current: 677, previous: 1_300, reached: { current: 87, previous: 260 } };
  const { total, dimensions } = assess(
    {
      total: value(whole),
      dimensions: [
        {
          values: parts.map((part, at) => value({ value: String(at), ...part })),
          other: { values: 0, current: 0, previous: 0, reached: { current: 0, previous: 0 } },
        },
      ],
    },
    {
      ...{ metric: "conversion", dimensions: ["source"] },
      ...{ referenceDates: 56 },
    },
  );
  const { values } = dimensions[0];
  const sum = values.reduce((all, { mix = 0, rate = 0 }) => all + mix + rate, 0);
  expect(total.delta).toBeCloseTo(87 / 677 - 0.2, 12);
  expect(sum).toBeCloseTo(total.delta, 12);
  const shares = values.reduce((all, { sharePercent }) => all + (sharePercent ?? 0), 0);
  expect(shares).toBeCloseTo(100, 9);
  expect(total.dispersion).toBeNull();
});
test("a rate that halves is a change of conversion however many sessions there are", () => {
  const reached = { current: 100, previous: 100 };
  const { verdict, total } = alone(
    { current: 2_000, previous: 1_000, reached },
    { metric: "conversion" },
  );
  expect(total.isSignificant).toBe(true);
  expect(verdict).toBe("broad");
});
