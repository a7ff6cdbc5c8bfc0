import { isoDate } from "../../domain/event";
import { within } from "../../domain/filter-items";
import { allTime, type Days, windowOf } from "../../domain/period";
import { roundTo } from "../../lib/round";
import { type Filtered, warningsOf } from "../../reads/warnings";
import type { Read } from "../../store/port";
import type { Cohort } from "../../store/questions";
import type { Period, Retention } from "./schema";

interface RetentionInput extends Filtered {
  readonly period: Period;
  /** Oldest first; they touch. */
  readonly periods: readonly Days[];
  readonly event: string | null;
  readonly returningEvent: string | null;
}

/** GET /retention of the contract. */
export const retentionRead: Read<RetentionInput, Retention> = {
  name: "retention",
  isFiltered: true,
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, input) {
    const { projectId, period, periods, event, returningEvent, filters = [] } = input;
    const asked = { ...periods[0], to: periods[periods.length - 1].to };
    const scope = { ...allTime, zone: asked.zone, lastDateToMs: windowOf(asked).toMs };
    const cohorts = await snapshot.retention(projectId, {
      periods: periods.map(windowOf),
      event,
      returning_event: returningEvent,
      filters: within(filters, scope),
    });
    const names = [event, returningEvent].filter((name) => name !== null);
    return {
      period,
      cohorts: cohorts.map(({ period: index, users, retained }) => ({
        date: isoDate(periods[index].from),
        users,
        retained,
        rates: retained.map((active) => roundTo(active / users, 3)),
      })),
      average_rates: averageRates(cohorts),
      users_analyzed: cohorts.reduce((sum, { users }) => sum + users, 0),
      ...(await warningsOf(snapshot, input, windowOf(asked), names)),
    };
  },
};

/** Averages the rates of each offset over the cohorts that are old enough to have it. */
function averageRates(cohorts: readonly Cohort[]): number[] {
  const offsets = cohorts.reduce((most, { retained }) => Math.max(most, retained.length), 0);
  return Array.from({ length: offsets }, (_, offset) => {
    const having = cohorts.filter(({ retained }) => retained.length > offset);
    const active = having.reduce((sum, { retained }) => sum + retained[offset], 0);
    const users = having.reduce((sum, cohort) => sum + cohort.users, 0);
    return roundTo(active / users, 3);
  });
}
