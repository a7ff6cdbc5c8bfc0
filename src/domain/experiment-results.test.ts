import { describe, expect, test } from "bun:test";
import { resultsOf, type VariantCounts } from "./experiment-results";

const counts = (conversions: number, users: number, exposures = users): VariantCounts => ({
  exposures,
  unique_users: users,
  conversions,
});
const results = (
  variants: readonly VariantCounts[],
  status: "active" | "paused" | "completed" = "active",
) => {
  const keys = ["control", "b", "c", "d"].slice(0, variants.length);
  return resultsOf({ id: "exp_1", status, keys }, variants);
};

test("rates, probabilities and lifts of the second vector", () => {
  expect(results([counts(30, 300, 320), counts(36, 300), counts(45, 300)])).toEqual({
    variants: [
      {
        key: "control",
        exposures: 320,
        unique_users: 300,
        conversions: 30,
        conversion_rate: 0.1,
      },
      { key: "b", exposures: 300, unique_users: 300, conversions: 36, conversion_rate: 0.12 },
      { key: "c", exposures: 300, unique_users: 300, conversions: 45, conversion_rate: 0.15 },
    ],
    probability_best: { control: 0.022, b: 0.137, c: 0.841 },
    // The control's lift is against the best variant: 0.1 against 0.15.
    lift: { control: -0.333, b: 0.2, c: 0.5 },
    sufficient_data: true,
    recommendation_code: "leaning",
    recommendation:
      '"c" is the best variant with a probability of 84%; its lift over the control is 50%. The result is not ' +
      "conclusive yet. Keep the experiment running until a variant reaches 90%.",
  });
});

describe("lift", () => {
  test("is made of rates that were not rounded", () => {
    // 1/3 against 2/7 is 0.16667; of rates rounded to four digits it would be 0.16661 and of three 0.164.
    expect(results([counts(2, 7), counts(1, 3)]).lift.b).toBe(0.167);
    expect(results([counts(1, 30_000), counts(2, 30_000)]).lift.b).toBe(1);
    expect(results([counts(1, 30_000), counts(2, 30_000)]).variants[0]?.conversion_rate).toBe(0);
  });

  test("is 0 where there is nothing to divide by", () => {
    expect(results([counts(0, 0), counts(0, 0)]).lift).toEqual({ control: 0, b: 0 });
    expect(results([counts(0, 100), counts(5, 100)]).lift).toEqual({ control: -1, b: 0 });
    expect(results([counts(5, 100), counts(0, 100), counts(0, 0)]).lift).toEqual({
      control: 0,
      b: -1,
      c: -1,
    });
  });
});

describe("the recommendation", () => {
  test("names what is missing below 100 exposures, whatever the rates say", () => {
    const found = results([counts(0, 5, 100), counts(99, 99), counts(0, 0), counts(1, 1, 58)]);
    expect(found.sufficient_data).toBe(false);
    expect(found.recommendation_code).toBe("insufficient_data");
    expect(found.recommendation).toStartWith(
      'Not enough data: "b" lacks 1 exposure, "c" lacks 100 exposures, "d" lacks 42 exposures. Keep',
    );
    expect(found.probability_best.b).toBe(0.971);
  });

  test("counts exposures, not users, on both sides of 100", () => {
    expect(results([counts(1, 1, 100), counts(1, 1, 100)]).sufficient_data).toBe(true);
    expect(results([counts(1, 500, 99), counts(1, 500, 500)]).sufficient_data).toBe(false);
  });

  test("names a winner from 0.90 on, with what ends the experiment", () => {
    const found = results([counts(100, 1_000), counts(123, 1_000)]);
    expect(found.recommendation_code).toBe("winner");
    expect(found.recommendation).toBe(
      '"b" is the best variant with a probability of 95%; its lift over the control is 23%. The result is ' +
        'conclusive. Complete the experiment: PATCH /experiments/exp_1 with {"status":"completed","winner":"b"}. ' +
        "Then make this variant the permanent content of the page.",
    );
  });

  test("compares a control that wins with the best of the others", () => {
    const found = results([counts(150, 1_000), counts(100, 1_000), counts(120, 1_000)]);
    expect(found.recommendation_code).toBe("winner");
    expect(found.recommendation).toStartWith(
      '"control", the control, is the best variant with a probability of 97%; its lift over the best other ' +
        "variant is 25%.",
    );
  });

  test("judges by the probability that was not rounded, at both thresholds", () => {
    const codes = new Map<string, string>();
    for (let conversions = 100; conversions <= 130; conversions++) {
      const { probability_best: p, recommendation_code: code } = results([
        counts(100, 1_000),
        counts(conversions, 1_000),
      ]);
      const best = p.b ?? 0;
      if (best < 0.7495) codes.set("below 0.75", code);
      if (best > 0.7505 && best < 0.8995) codes.set("below 0.90", code);
      if (best > 0.9005) codes.set("above", code);
      if (best < 0.7495) expect(code).toBe("inconclusive");
    }
    expect(Object.fromEntries(codes)).toEqual({
      "below 0.75": "inconclusive",
      "below 0.90": "leaning",
      above: "winner",
    });
  });

  test("says that no variant stands out", () => {
    expect(results([counts(10, 100), counts(10, 100)]).recommendation).toStartWith(
      'No variant is clearly better: the probability that "control" is the best is 50%.',
    );
  });

  test("gives advice that fits the status", () => {
    const leaning = [counts(30, 300), counts(36, 300), counts(45, 300)];
    expect(results(leaning, "paused").recommendation).toContain(
      'Resume it: PATCH /experiments/exp_1 with {"status":"active"}',
    );
    for (const variants of [
      leaning,
      [counts(0, 0), counts(0, 0)],
      [counts(1, 900), counts(99, 900)],
    ]) {
      const { recommendation } = results(variants, "completed");
      expect(recommendation).toEndWith("The experiment is completed. These are its final results.");
      expect(recommendation).not.toContain("PATCH");
    }
  });
});
