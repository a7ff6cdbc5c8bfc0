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
  /** The last date that was asked for, today unless `until` says otherwise: a period before it is over. */
  readonly today: number;
  readonly event: string | null;
  readonly returningEvent: string | null;
}

/** GET /retention. */
export const retentionRead: Read<RetentionInput, Retention> = {
  name: "retention",
  scope: ({ projectId }) => ({ projectIds: [projectId], ...allTime }),
  async run(snapshot, input) {
    const { projectId, period, periods, today, event, returningEvent, filters = [] } = input;
    const asked = { ...periods[0], to: periods[periods.length - 1].to };
    const scope = { ...allTime, zone: asked.zone, lastDateToMs: windowOf(asked).toMs };
    const found = await snapshot.retention(projectId, {
      periods: periods.map(windowOf),
      event,
      returning_event: returningEvent,
      filters: within(filters, scope),
    });
    const names = [event, returningEvent].filter((name) => name !== null);
    const over = periods.filter(({ to }) => to < today).length;
    const cohorts = found.map((one) => ({ ...one, complete: Math.max(0, over - one.period) }));
    return {
      period,
      cohorts: cohorts.map(({ period: index, users, retained, complete }) => ({
        date: isoDate(periods[index].from),
        users,
        retained,
        rates: retained.map((active) => roundTo(active / users, 3)),
        complete,
      })),
      average_rates: averageRates(cohorts),
      users_analyzed: cohorts.reduce((sum, { users }) => sum + users, 0),
      ...(await warningsOf(snapshot, input, { days: asked }, names)),
    };
  },
};

/** Averages the rates of each offset over the cohorts whose period there is over. */
function averageRates(cohorts: readonly (Cohort & { readonly complete: number })[]): number[] {
  const offsets = cohorts.reduce((most, { complete }) => Math.max(most, complete), 0);
  return Array.from({ length: offsets }, (_, offset) => {
    const having = cohorts.filter(({ complete }) => complete > offset);
    const active = having.reduce((sum, { retained }) => sum + retained[offset], 0);
    const users = having.reduce((sum, cohort) => sum + cohort.users, 0);
    return roundTo(active / users, 3);
  });
}
