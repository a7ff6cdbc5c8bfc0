import type { ChangeMetric } from "../../domain/changes/change-counts";

interface CaveatFacts {
  readonly metric: ChangeMetric;
  readonly isUnfinished: boolean;
}

/** Says what the numbers do not tell. */
export const caveatsOf = ({ metric, isUnfinished }: CaveatFacts): string[] => [
  "Drivers of two dimensions may be the same events, seen twice.",
  "The numbers say where something changed, not why: no cause is claimed.",
  ...(metric === "users" ? ["A user counts in each of the values that they had."] : []),
  ...(metric === "conversion"
    ? ["A session counts as converted wherever in it the event is, also outside of the filters."]
    : []),
  ...(isUnfinished
    ? ["The last date is not over: it is compared with a whole date, and seems to have fallen."]
    : []),
];
