import { invalidField } from "../../domain/errors";
import { filterErrors } from "../../domain/filter";
import { filterItemsOfText } from "../../domain/filter-items";
import { type Days, daysOf, lastMoment, periodsUntil, todayIn } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { pro } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { retentionExample } from "./examples";
import { retentionRead } from "./read";
import { cohortsDefault, type Period, RetentionQuery, RetentionResponse } from "./schema";

const longCohortsMax = 12;

export const retentionFeature = (): Feature => ({
  operations: [
    projectOperation("GET /retention", {
      access: pro("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "getRetention",
        summary: "How many visitors come back",
        description:
          "Visitors by the period in which they first appeared, and how many of them were active in each later " +
          "period. Active means that a session started; with `returning_event` that such an event happened, with " +
          "`event` alone any event. `average_rates` are means over the cohorts whose period there is over.",
        tag: "Reads",
        example: retentionExample,
        errors: filterErrors,
      },
      takes: RetentionQuery,
      returns: { 200: RetentionResponse },
      handle: async ({ project, input, read, withAvailable }) => {
        const { period = "week", cohorts = cohortsDefault, since } = input;
        const zone = zoneOfRead(input.tz, project);
        const today = todayIn(zone, lastMoment(input.until, clock.nowMs(), zone));
        const periods = periodsOf(period, cohorts, since, today);
        const days = { ...today, from: periods[0].from };
        const filters = await withAvailable(() => filterItemsOfText(input.filters), days);
        return read(
          retentionRead,
          {
            projectId: project.id,
            period,
            periods,
            today: today.to,
            event: input.event ?? null,
            returningEvent: input.returning_event ?? null,
            filters,
          },
          days,
        );
      },
    }),
  ],
});

function periodsOf(
  period: Period,
  cohorts: number,
  since: string | undefined,
  today: Days,
): Days[] {
  if (period !== "day" && cohorts > longCohortsMax) {
    throw invalidField(
      "cohorts",
      `"cohorts" must be at most ${longCohortsMax} for weeks and months.`,
    );
  }
  const periods = periodsUntil(today, period, cohorts);
  if (since === undefined) return periods;
  const { from } = daysOf({ since, until: null, nowMs: clock.nowMs(), zone: today.zone });
  return periods.filter(({ to }) => to >= from);
}
