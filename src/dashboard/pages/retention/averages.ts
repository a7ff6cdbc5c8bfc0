import type { CohortsAnswer } from "../../data/retention-answers";

/** A share of fewer people says nothing: each of them moves it by more than ten points. */
export const peopleMin = 10;

/** How many of the people, of whom it is known, came back after the same number of periods. */
export interface ReturnCount {
  readonly back: number;
  readonly people: number;
}

/** Adds up, for each number of periods, the cohorts whose period there is over. */
export function returnCounts({
  cohorts,
  average_rates: rates,
}: CohortsAnswer): readonly ReturnCount[] {
  return rates.map((_, offset) => {
    const over = cohorts.filter(({ complete }) => complete > offset);
    return {
      back: over.reduce((sum, { retained }) => sum + (retained[offset] ?? 0), 0),
      people: over.reduce((sum, { users }) => sum + users, 0),
    };
  });
}

/** Returns the rates from the next period on, up to the last one that is of enough people. */
export function ratesOfEnough(answer: CohortsAnswer): readonly number[] {
  const few = returnCounts(answer).findIndex(({ people }) => people < peopleMin);
  return answer.average_rates.slice(1, few === -1 ? undefined : Math.max(1, few));
}
