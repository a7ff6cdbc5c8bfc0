import { expect, test } from "bun:test";
import { ratesOfEnough, returnCounts } from "./averages";

const cohort = (retained: readonly number[], complete: number) => {
  const [users = 0] = retained;
  return { date: "2026-01-05", users, retained, rates: retained.map((n) => n / users), complete };
};
/** 19 people, of whom the next week is known of all and the one after of 9. */
const answer = {
  cohorts: [cohort([9, 3, 1], 3), cohort([10, 5, 2], 2), cohort([4, 4], 1)],
  average_rates: [1, 0.421, 0.111],
};

test("people are those whose period is over", () => {
  expect(returnCounts(answer)).toEqual([
    { back: 23, people: 23 },
    { back: 8, people: 19 },
    { back: 1, people: 9 },
  ]);
});
test("rates end where fewer than 10 people are left", () => {
  expect(ratesOfEnough(answer)).toEqual([0.421]);
  expect(ratesOfEnough({ ...answer, cohorts: [cohort([10, 4, 1], 3)] })).toEqual([0.421, 0.111]);
  expect(ratesOfEnough({ cohorts: [cohort([9, 9], 2)], average_rates: [1, 1] })).toEqual([]);
  expect(ratesOfEnough({ cohorts: [], average_rates: [] })).toEqual([]);
});
