import type { DayCounts } from "../../domain/day-row";

/** Counts of a day, of which a file has some: the others are null. */
export const countsOf = (counts: Partial<DayCounts>): DayCounts => ({ ...noCounts, ...counts });

const noCounts: DayCounts = {
  visitors: null,
  visits: null,
  page_views: null,
  events: null,
  bounces: null,
  seconds: null,
};
