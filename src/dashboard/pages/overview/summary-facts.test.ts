import { describe, expect, test } from "bun:test";
import { sentencesOf } from "../../../domain/changes/sentences";
import type { ChangesAnswer } from "../../data/answers";
import { addDays, shortDate, today } from "../../lib/dates";
import { type CompareMode, comparisonOf, type Period, periodOf } from "../../state/period";
import { beforeText, factsOf, judgedDates } from "./summary-facts";

const week = periodOf("2026-03-02..2026-03-08");

test("the period before is named as people name it", () => {
  const texts = (keys: readonly string[], mode: CompareMode) =>
    keys.map((key) => beforeText(periodOf(key), mode));
  expect(texts(["yesterday", "7d", "30d", "12m", "last-week", "last-month"], "previous")).toEqual([
    ...["the day before", "the week before", "the 30 days before", "the 12 months before"],
    ...["the week before", "the month before"],
  ]);
  expect(texts(["2026-03-02..2026-03-11", "last-year"], "previous")).toEqual([
    ...["the 10 days before", "the year before"],
  ]);
  expect(texts(["today", "week", "month", "year"], "previous")).toEqual(
    ["day", "week", "month", "year"].map((unit) => `the ${unit} before up to the same time`),
  );
  expect(texts(["yesterday", "7d", "30d"], "week")).toEqual([
    ...["the week before", "the week before", "the same weekdays before"],
  ]);
  expect(texts(["7d", "last-month"], "year")).toEqual(["a year before", "a year before"]);
});

test("the judgement takes only complete dates", () => {
  const yesterday = addDays(today(), -1);
  expect(judgedDates(week)).toEqual({ since: "2026-03-02", until: "2026-03-08" });
  expect(judgedDates(periodOf("7d"))).toEqual({ since: addDays(today(), -7), until: yesterday });
  expect(judgedDates(periodOf("today"))).toBeNull();
  expect(judgedDates(periodOf("1d"))).toBeNull();
  const ahead = periodOf(`${addDays(today(), -2)}..${addDays(today(), 3)}`);
  expect(judgedDates(ahead)).toEqual({ since: addDays(today(), -2), until: yesterday });
});

describe("the sentences", () => {
  const answer: ChangesAnswer = {
    ...{
      metric: "users",
      event: null,
      tested: 1,
      reference: { dates: 56 },
      threshold: 3,
      verdict: "specific",
    },
    current: { from: "2026-03-02", to: "2026-03-08", value: 1_139 },
    previous: { from: "2026-02-23", to: "2026-03-01", value: 1_280 },
    ...{ total: { delta: -141, z: -4, significant: true }, needs: null },
    ...{ dimensions: [], caveats: [] },
    drivers: [
      {
        ...{ dimension: "country", value: "AT", current: 21, previous: 156, delta: -135 },
        ...{ share_pct: null, excess: null, z: -9 },
      },
    ],
  };
  const goal = {
    ...{
      goal: { id: "goal_1", name: "Order" },
      conversions: 105,
      conversion_rate: 0.1,
      goal_events: 110,
    },
    ...{ revenue: null, currency: null, previous: { conversions: 100 } },
  };
  const told = (changes?: ChangesAnswer, period: Period = week) =>
    sentencesOf(
      factsOf({
        ...{ period, comparison: comparisonOf(period, "previous") ?? period, mode: "previous" },
        ...{ visitors: { current: 1_139, previous: 1_280 }, changes, goals: [goal] },
      }),
      (text) => text,
    ).map(({ text }) => text);
  const [first, last] = [
    "1,139 visitors, 11 % fewer than the week before.",
    "Order was reached in 105 sessions, 5 % more than the week before.",
  ];

  test("name the values that explain the change of these visitors", () => {
    expect(told(answer)).toEqual([
      ...[first, "Visitors usually vary less.", "Nearly all of it is Austria (−135 of −141)."],
      last,
    ]);
  });

  test("leave out facts that have not arrived", () => {
    expect(told()).toEqual([first, last]);
    expect(told({ ...answer, verdict: "too_little_history", drivers: [] })).toEqual([first, last]);
  });

  test("mention other dates only for a significant change, and name them", () => {
    const other = {
      ...answer,
      previous: { ...answer.previous, from: "2026-02-16", to: "2026-02-22" },
    };
    expect(told(other)[1]).toBe(
      `Visitors fell from 1,280 to 1,139 (−11 %) from ${shortDate(week.from)} to ${shortDate(week.to)}, against the ` +
        "same weekdays before, more than they usually vary.",
    );
    expect(told({ ...other, verdict: "noise", drivers: [] })).toEqual([first, last]);
  });
});
