import { describe, expect, test } from "bun:test";
import { cases } from "../../../test/support/random/cases";
import { count, normal, unit, weekdayShares } from "../../../test/support/random/counts";
import { type Random, randomFrom } from "../../../test/support/random/random";
import { judgeChange, judgeSilence, judgeSurge } from "./rules";
import { alertSensitivities, alertSpecOf } from "./specs";

const usual = { direction: "any", sensitivity: "normal" } as const;
const flat = (dates: number, each = 100): number[] => new Array(dates).fill(each);
const judged = (counts: Partial<Parameters<typeof judgeChange>[1]>, rule: object = {}) =>
  judgeChange({ ...usual, ...rule }, { current: 100, previous: 100, byDate: flat(56), ...counts });

describe("change", () => {
  test("has the numbers of its formulas", () => {
    // 49 degrees of freedom; z = −40 ÷ √160, z_e = −40 ÷ √120.
    expect(judged({ current: 60 })).toEqual({
      ...{ would: "ok", observed: 60, previous: 100, expected: 100, dispersion: 1 },
      ...{ z: -3.162, z_expected: -3.651, threshold: 3.395 },
    });
    expect(judged({ current: 55 }).would).toBe("firing");
  });

  test("needs 28 dates", () => {
    expect(judged({ current: 0, byDate: flat(27) })).toMatchObject({
      would: "learning",
      threshold: null,
    });
    expect(judged({ current: 0, byDate: flat(28) })).toMatchObject({ would: "firing" });
  });

  test("looks one way where it is told to", () => {
    const [fallen, risen] = [{ current: 30 }, { current: 200 }];
    for (const direction of ["any", "down"])
      expect(judged(fallen, { direction }).would).toBe("firing");
    expect(judged(fallen, { direction: "up" }).would).toBe("ok");
    for (const direction of ["any", "up"])
      expect(judged(risen, { direction }).would).toBe("firing");
    expect(judged(risen, { direction: "down" }).would).toBe("ok");
  });

  test("last week's spike is not this week's fall, and a broken week does not hide", () => {
    const spike = flat(56);
    spike[49] = 500;
    expect(judged({ previous: 500, byDate: spike }).would).toBe("ok");
    // A fifth below the median is no fall by itself, however high last week was.
    expect(judged({ current: 75, previous: 500, byDate: flat(56) }).would).toBe("ok");
    const broken = flat(56);
    broken.fill(5, 49);
    expect(judged({ current: 5, previous: 5, byDate: broken }).would).toBe("ok");
    expect(judged({ current: 100, previous: 5, byDate: broken }).would).toBe("ok");
  });

  test("a change is told from ten, and from a fifth", () => {
    const few = flat(56, 4);
    expect(judged({ current: 14, previous: 5, byDate: few }).would).toBe("ok");
    const many = flat(56, 100_000);
    const fall = (current: number) => judged({ current, previous: 100_000, byDate: many }).would;
    expect([fall(80_001), fall(80_000)]).toEqual(["ok", "firing"]);
  });

  test("the median is that of eight weeks at most, of as many as there are", () => {
    const weekly = (counts: readonly number[]) => counts.flatMap((each) => [each, ...flat(6, 50)]);
    expect(judged({ byDate: weekly([9, 1, 2, 3, 4, 5, 6, 7]) }).expected).toBe(4.5);
    expect(judged({ byDate: weekly([1, 2, 3, 4, 8]) }).expected).toBe(3);
  });
});

describe("silence", () => {
  const rule = { after_minutes: 60, fixed: false };
  const seen = (minutes: number, before: readonly number[], isYoung = false) =>
    judgeSilence(rule, { minutes, before, isYoung }).would;

  test("fires after the minutes of the rule, where each of four weeks had 20 events", () => {
    expect(seen(60, [20, 20, 20, 20])).toBe("firing");
    expect(seen(59, [20, 20, 20, 20])).toBe("ok");
    expect(seen(60, [20, 19, 20, 20])).toBe("ok");
  });

  test("learns for 28 days, unless it is fixed", () => {
    expect(seen(60, [0, 0, 0, 0], true)).toBe("learning");
    const fixed = { after_minutes: 60, fixed: true };
    const young = { minutes: 60, before: [0, 0, 0, 0], isYoung: true };
    expect(judgeSilence(fixed, young)).toEqual({ would: "firing", minutes: 60, expected: 0 });
  });
});

describe("surge", () => {
  const rule = { at_least: 30, factor: 3 };
  const seen = (users: number, before: readonly number[]) => judgeSurge(rule, { users, before });

  test("fires at the number of the rule, and at its multiple of the most of the weeks before", () => {
    expect(seen(30, [])).toEqual({ would: "firing", observed: 30, expected: 30 });
    expect(seen(29, [0, 5]).would).toBe("ok");
    expect(seen(59, [20, 4]).would).toBe("ok");
    expect(seen(60, [20, 4])).toMatchObject({ would: "firing", expected: 60 });
  });
});

describe("the fields of an alert", () => {
  test("have defaults", () => {
    expect(alertSpecOf("change", {})).toEqual({
      ...{ kind: "change", metric: "events", direction: "any", sensitivity: "normal", hour: 6 },
    });
    expect(alertSpecOf("silence", {})).toEqual({
      kind: "silence",
      after_minutes: 60,
      fixed: false,
    });
    expect(alertSpecOf("surge", {})).toEqual({ kind: "surge", at_least: 30, factor: 3 });
    expect(alertSpecOf("goal", { event: "pay" })).toEqual({
      ...{ kind: "goal", event: "pay", count: 1, per: "day" },
    });
  });

  test("are those of its kind", () => {
    expect(() => alertSpecOf("silence", { factor: 2 })).toThrow('has no "factor"');
    expect(() => alertSpecOf("goal", {})).toThrow('needs "event"');
  });
});

/** How often a rule fires in a year in which nothing changes but by chance, the week and a growth of 5 % a week. */
const rules = cases(12, 600);
const yearDates = 365;
/** False alarms a rule and year, at most; what few rules show by chance comes on top. */
const independent = { quiet: 0.02, normal: 0.2, sensitive: 1.3 } as const;
/** Where a date resembles the one before: levels of dates vary by 14 %, and follow each other with 0.7. */
const following = { quiet: 0.1, normal: 0.4, sensitive: 1.8 } as const;
const levels = { share: 0.14, correlation: 0.7 };

test.each([
  ["each date by itself", { share: 0, correlation: 0 }, independent],
  ["dates that follow each other", levels, following],
] as const)(
  `${rules} rules fire in a year without a change as rarely as their sensitivity says: %s`,
  (_, level, alarmsMax) => {
    const alarms = { quiet: 0, normal: 0, sensitive: 0 };
    for (let seed = 0; seed < rules; seed++) {
      const counts = yearOf(randomFrom(seed), level);
      for (const sensitivity of alertSensitivities) {
        alarms[sensitivity] += alarmsIn(counts, sensitivity);
      }
    }
    for (const sensitivity of alertSensitivities) {
      const expected = alarmsMax[sensitivity] * rules;
      expect(alarms[sensitivity]).toBeLessThanOrEqual(expected + 3 * Math.sqrt(expected) + 1);
    }
  },
);

function yearOf(random: Random, { share, correlation }: typeof levels): number[] {
  const mean = 40 * 125 ** unit(random);
  const ratio = 1 + 19 * unit(random);
  let level = 0;
  return Array.from({ length: 56 + yearDates }, (_, date) => {
    const weekday = weekdayShares[date % 7] ?? 1;
    // Growth ends after half a year: no site grows twelvefold each year.
    const growth = 1.05 ** Math.min(date / 7, 26);
    if (share > 0) {
      level = correlation * level + Math.sqrt(1 - correlation ** 2) * normal(random);
    }
    return count(random, mean * weekday * growth * Math.max(0.1, 1 + share * level), ratio);
  });
}

function alarmsIn(
  counts: readonly number[],
  sensitivity: (typeof alertSensitivities)[number],
): number {
  let alarms = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  for (let date = 56; date < counts.length; date++) {
    const byDate = counts.slice(date - 56, date);
    const { would } = judgeChange(
      { direction: "any", sensitivity },
      { current: counts[date] ?? 0, previous: counts[date - 7] ?? 0, byDate },
    );
    if (would !== "firing" || date - toldAt < 7) continue;
    alarms += 1;
    toldAt = date;
  }
  return alarms;
}
