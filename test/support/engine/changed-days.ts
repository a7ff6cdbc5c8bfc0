import type { ChangeDimension, ChangeMetric } from "../../../src/domain/changes/change-counts";
import { changePeriods } from "../../../src/domain/changes/change-periods";
import type { AcceptedEvent } from "../../../src/domain/event";
import type { FilterItem } from "../../../src/domain/filter-items";
import { plainGoal } from "../../../src/domain/goal";
import { dayMs, event, noonMs, projectId } from "./examples";

/* Questions of what changed, and events of many dates to ask them of. */

/** A request at noon of 14 January 2026, by default about the seven dates up to yesterday. */
export interface Asked {
  readonly metric?: ChangeMetric;
  readonly event?: string;
  readonly dimensions?: readonly ChangeDimension[];
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly narrowedBy?: readonly FilterItem[];
}
export const inputOf = (asked: Asked) => {
  const { metric = "events", since, until, limit = 10 } = asked;
  const periods = changePeriods({ since, until, nowMs: noonMs, zone: undefined });
  return {
    ...{
      projectId,
      metric,
      limit,
      goal: asked.event === undefined ? null : plainGoal(asked.event),
    },
    dimensions: asked.dimensions ?? (["country"] as const),
    ...{ periods, days: periods.current },
  };
};
export const daysAgo = (days: number, said: Partial<AcceptedEvent> = {}): AcceptedEvent =>
  event({ timeMs: noonMs - days * dayMs, ...said });

/** Makes as many events of a date as `countOf` says, on some dates up to today. */
export const daily = (
  from: number,
  countOf: (daysAgo: number) => number,
  said: Partial<AcceptedEvent> = {},
): AcceptedEvent[] =>
  Array.from({ length: from + 1 }, (_, days) =>
    Array.from({ length: countOf(days) }, () => daysAgo(days, said)),
  ).flat();

/** What is said where a part of the period before is not kept. */
export const refused = {
  ...{ verdict: "too_little_history", tested: 0, threshold: null, drivers: [], dimensions: [] },
  total: { delta: null, change_pct: null, dispersion: null, z: null, significant: null },
} as const;

/** Before all dates that count for something: with it the period before is kept whole. */
export const longAgo = daysAgo(80);

/** Halves seven dates ago. */
export const falling = (days: number): number => (days <= 7 ? 10 : 20);
