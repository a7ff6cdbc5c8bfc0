import type { ChangeMetric } from "../../domain/changes/change-counts";

interface CaveatFacts {
  readonly metric: ChangeMetric;
  readonly isUnfinished: boolean;
}

/** Says what the numbers do not tell. */
export const caveatsOf = ({ metric, isUnfinished }: CaveatFacts): string[] => [
  "Drivers of different dimensions may describe the same events.",
  "The numbers show where something changed, not why.",
  ...(metric === "users" ? ["A user with several values counts once for each of them."] : []),
  ...(metric === "conversion"
    ? ["A session converts if the event is anywhere in it, even outside the filters."]
    : []),
  ...(isUnfinished
    ? [
        "The last date is not complete, so it may look lower than the complete date it is compared with.",
      ]
    : []),
];
