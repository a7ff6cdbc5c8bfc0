import type { CohortsAnswer } from "../../data/retention-answers";

/** The fewest people for a rate: among fewer, each moves it by more than ten points. */
export const peopleMin = 10;

/** The people who came back after a number of periods, and those of whom it is known. */
export interface ReturnCount {
  readonly back: number;
  readonly people: number;
}

/** Adds up, for each number of periods, the cohorts whose period at that distance is over. */
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

/** Returns the rates from the next period on, up to the last one with enough people. */
export function ratesOfEnough(answer: CohortsAnswer): readonly number[] {
  const few = returnCounts(answer).findIndex(({ people }) => people < peopleMin);
  return answer.average_rates.slice(1, few === -1 ? undefined : Math.max(1, few));
}
