import { invalidField } from "../../domain/errors";
import { dayOf } from "../../domain/event";
import { filterErrors } from "../../domain/filter";
import { filterItemsOfText } from "../../domain/filter-items";
import { cohortsDefault, longCohortsMax } from "../../domain/limits";
import { type Days, daysOf, periodsUntil } from "../../domain/period";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { clock } from "../../lib/clock";
import { retentionRead } from "./read";
import { type Period, RetentionQuery, RetentionResponse } from "./schema";

export const retentionFeature = (): Feature => ({
  operations: [
    projectOperation("GET /retention", {
      doc: {
        id: "getRetention",
        summary: "How many visitors come back",
        description:
          "Visitors by the period in which they first appeared, and how many of them were active in each later " +
          "period. Active means that a session started, or, with `event` or `returning_event`, that such an " +
          "event happened.",
        tag: "Reads",
        errors: filterErrors,
      },
      takes: RetentionQuery,
      returns: { 200: RetentionResponse },
      handle: ({ project, input, read }) => {
        const { period = "week", cohorts = cohortsDefault, since } = input;
        const periods = periodsOf(period, cohorts, since);
        return read(
          retentionRead,
          {
            projectId: project.id,
            period,
            periods,
            event: input.event ?? null,
            returningEvent: input.returning_event ?? null,
            filters: filterItemsOfText(input.filters),
          },
          { from: periods[0].from, to: dayOf(clock.nowMs()) },
        );
      },
    }),
  ],
});

function periodsOf(period: Period, cohorts: number, since: string | undefined): Days[] {
  if (period !== "day" && cohorts > longCohortsMax) {
    throw invalidField(
      "cohorts",
      `"cohorts" must be at most ${longCohortsMax} for weeks and months.`,
    );
  }
  const nowMs = clock.nowMs();
  const periods = periodsUntil(dayOf(nowMs), period, cohorts);
  if (since === undefined) return periods;
  const { from } = daysOf({ since, until: null, nowMs });
  return periods.filter(({ to }) => to >= from);
}
