import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cases } from "../../test/support/random/cases";
import { type Random, randomFrom } from "../../test/support/random/random";
import { probabilitiesBest, type Trials } from "./best-variant";

const of = (...variants: readonly (readonly [conversions: number, users: number])[]) =>
  probabilitiesBest(variants.map(([conversions, users]) => ({ conversions, users })));
const rounded = (values: readonly number[]) =>
  values.map((value) => Math.round(value * 1000) / 1000);

test("three vectors", () => {
  expect(rounded(of([10, 100], [14, 100]))).toEqual([0.197, 0.803]);
  expect(rounded(of([30, 300], [36, 300], [45, 300]))).toEqual([0.022, 0.137, 0.841]);
  expect(rounded(of([0, 0], [0, 0]))).toEqual([0.5, 0.5]);
  expect(rounded(of([0, 0], [0, 0], [0, 0]))).toEqual([0.333, 0.333, 0.333]);
  expect(rounded(of([0, 0], [0, 0], [0, 0], [0, 0]))).toEqual([0.25, 0.25, 0.25, 0.25]);
});

describe("for two variants", () => {
  /** log(n!) by adding up, so that nothing is shared with the product. */
  const logFactorials = new Float64Array(20_010);
  for (let n = 1; n < logFactorials.length; n++) {
    logFactorials[n] = logFactorials[n - 1] + Math.log(n);
  }
  const logBeta = (a: number, b: number) =>
    logFactorials[a - 1] + logFactorials[b - 1] - logFactorials[a + b - 1];

  /** P(second > first) of two Beta posteriors with whole parameters: a finite sum (E. Miller, 2015). */
  function secondIsBetter(first: Trials, second: Trials): number {
    const [a, b] = [first.conversions + 1, first.users - first.conversions + 1];
    const [c, d] = [second.conversions + 1, second.users - second.conversions + 1];
    let probability = 0;
    for (let i = 0; i < c; i++) {
      probability += Math.exp(
        logBeta(a + i, b + d) - Math.log(d + i) - logBeta(1 + i, d) - logBeta(a, b),
      );
    }
    return probability;
  }

  test("equals the closed form", () => {
    const trials = fc
      .tuple(fc.integer({ min: 0, max: 5_000 }), fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([users, share]) => ({ users, conversions: Math.round(share * users) }));
    const close = fc
      .tuple(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: -60, max: 60 }))
      .map(([users, off]) => ({
        users,
        conversions: Math.min(users, Math.max(0, Math.round(users / 10) + off)),
      }));
    fc.assert(
      fc.property(fc.oneof(trials, close), fc.oneof(trials, close), (first, second) => {
        const [, probability = Number.NaN] = probabilitiesBest([first, second]);
        expect(Math.abs(probability - secondIsBetter(first, second))).toBeLessThan(1e-6);
      }),
      { numRuns: cases(15, 80) },
    );
  });

  test("equals it where one bell is a thousand times narrower than the other", () => {
    // P(Beta(1, 1 + n) > x) = (1 − x)^(1 + n), for a second variant that is certain of its rate x.
    expect(of([0, 5], [5_000_000, 10_000_000])[0]).toBeCloseTo(0.5 ** 6, 6);
    expect(of([0, 3], [1_000_000, 10_000_000])[0]).toBeCloseTo(0.9 ** 4, 6);
    expect(of([4, 4], [9_000_000, 10_000_000])[0]).toBeCloseTo(1 - 0.9 ** 5, 6);
  });

  /** The normal distribution, by its series. */
  function normalShare(z: number): number {
    if (Math.abs(z) > 6) return z < 0 ? 0 : 1;
    let term = z;
    let sum = z;
    for (let k = 3; k < 200; k += 2) {
      term *= z ** 2 / k;
      sum += term;
    }
    return 0.5 + (sum * Math.exp(-(z ** 2) / 2)) / Math.sqrt(2 * Math.PI);
  }

  test("equals the normal one for ten million users", () => {
    const users = 10_000_000;
    const moments = (conversions: number) => {
      const mean = (conversions + 1) / (users + 2);
      return { mean, variance: (mean * (1 - mean)) / (users + 3) };
    };
    for (const conversions of [5_000_000, 1_000_000, 9_900_000]) {
      for (const off of [-9_000, -2_000, -300, 0, 40, 1_000, 4_000]) {
        const [first, second] = [moments(conversions), moments(conversions + off)];
        const z = (second.mean - first.mean) / Math.sqrt(first.variance + second.variance);
        const [, probability = 0] = of([conversions, users], [conversions + off, users]);
        expect([off, Math.abs(probability - normalShare(z)) < 5e-5]).toEqual([off, true]);
      }
    }
  });
});

test("at the ends: nobody, everybody, ten million", () => {
  const all = 10_000_000;
  expect(rounded(of([0, all], [all, all]))).toEqual([0, 1]);
  expect(rounded(of([all, all], [0, all]))).toEqual([1, 0]);
  expect(rounded(of([0, all], [0, all], [0, all], [0, all]))).toEqual([0.25, 0.25, 0.25, 0.25]);
  // The densities are Beta(N + 1, 1) and Beta(N, 2), then Beta(1, N + 1) and Beta(2, N).
  expect(rounded(of([all, all], [all - 1, all]))).toEqual([0.75, 0.25]);
  expect(rounded(of([0, all], [1, all]))).toEqual([0.25, 0.75]);
  // An unknown rate is above one of nearly 1 with probability 1 in 10 million.
  expect(of([0, 0], [all, all])[0]).toBeCloseTo(1 / (all + 2), 9);
});

describe("a simulation agrees, within its error", () => {
  const experiments: readonly (readonly (readonly [number, number])[])[] = [
    [
      [30, 300],
      [36, 300],
      [45, 300],
      [40, 310],
    ],
    [
      [0, 0],
      [1, 3],
      [0, 40],
      [200, 1_000],
    ],
    [
      [12, 200],
      [90, 1_000],
      [6, 60],
    ],
  ];
  for (const variants of experiments) {
    test(JSON.stringify(variants), () => {
      const draws = cases(50_000, 200_000);
      const random = randomFrom(20_260_114);
      const wins = variants.map(() => 0);
      for (let draw = 0; draw < draws; draw++) {
        let best = 0;
        let highest = -1;
        variants.forEach(([conversions, users], index) => {
          const rate = betaDraw(random, 1 + conversions, 1 + users - conversions);
          if (rate > highest) [best, highest] = [index, rate];
        });
        wins[best] = (wins[best] ?? 0) + 1;
      }
      of(...variants).forEach((probability, index) => {
        const error = Math.sqrt((probability * (1 - probability)) / draws);
        const difference = Math.abs((wins[index] ?? 0) / draws - probability);
        expect([index, difference <= 4.5 * error + 1e-5]).toEqual([index, true]);
      });
    });
  }
});

test("probabilities sum to 1, grow with conversions, and do not depend on the order", () => {
  const trials = fc
    .tuple(fc.integer({ min: 0, max: 10_000_000 }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([users, share]) => ({ users, conversions: Math.round(share * users) }));
  fc.assert(
    fc.property(fc.array(trials, { minLength: 2, maxLength: 4 }), (variants) => {
      const probabilities = probabilitiesBest(variants);
      const total = probabilities.reduce((sum, one) => sum + one, 0);
      expect(Math.abs(total - 1)).toBeLessThan(1e-9);
      for (const one of probabilities) expect(one >= 0 && one <= 1).toBe(true);
      const turned = probabilitiesBest(variants.toReversed()).toReversed();
      turned.forEach((one, index) => {
        expect(Math.abs(one - (probabilities[index] ?? 0))).toBeLessThan(1e-6);
      });
      const [first = { users: 0, conversions: 0 }, ...others] = variants;
      if (first.conversions === first.users) return;
      const more = { users: first.users, conversions: first.conversions + 1 };
      const [before = 0] = probabilities;
      const [after = 0] = probabilitiesBest([more, ...others]);
      expect(after).toBeGreaterThan(before - 1e-9);
    }),
    { numRuns: cases(10, 40) },
  );
});

/** Draws from two gamma distributions, each by Marsaglia and Tsang (2000), with normals by Box and Muller. */
function betaDraw(random: Random, a: number, b: number): number {
  const x = gammaDraw(random, a);
  return x / (x + gammaDraw(random, b));
}
function gammaDraw(random: Random, shape: number): number {
  const uniform = () => (random.below(2 ** 31) + 0.5) / 2 ** 31;
  const d = shape - 1 / 3;
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    const v = (1 + normal / Math.sqrt(9 * d)) ** 3;
    if (v <= 0) continue;
    if (Math.log(uniform()) < normal ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}
