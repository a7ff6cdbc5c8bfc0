import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import { invalidField } from "../../domain/errors";
import { isoDate } from "../../domain/event";
import {
  Count,
  EventName,
  IsoDate,
  LastDate,
  ofRead,
  Rate,
  timeCharsMax,
  Warnings,
} from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { within } from "../../domain/filter-items";
import {
  allTime,
  type Days,
  daysOf,
  lastMoment,
  periodsUntil,
  todayIn,
  windowOf,
} from "../../domain/period";
import { pro } from "../../http/operation/facts";
import { projectRead } from "../../http/operation/project-read";
import { roundTo } from "../../lib/round";
import { schema } from "../../lib/schema";
import type { Cohort } from "../../store/questions";

const dayCohortsMax = 30;
const longCohortsMax = 12;
const cohortsDefault = 8;

const Period = Type.Enum(["day", "week", "month"], {
  default: "week",
  description: "Length of a cohort. Weeks start on Monday.",
});

const RetentionQuery = schema(
  Type.Object(
    {
      ...ofRead,
      until: Type.Optional(LastDate),
      period: Type.Optional(Period),
      cohorts: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: dayCohortsMax,
          default: cohortsDefault,
          description: "Number of periods: at most 30 days, 12 weeks or 12 months.",
        }),
      ),
      event: Type.Optional(EventName),
      returning_event: Type.Optional(EventName),
      filters: Type.Optional(FiltersText),
      since: Type.Optional(
        Type.String({
          maxLength: timeCharsMax,
          description: "Excludes periods that end before this date.",
        }),
      ),
    },
    { $id: "RetentionQuery" },
  ),
);
type RetentionQuery = Static<typeof RetentionQuery>;

const Rates = Type.Array(Rate, { maxItems: dayCohortsMax });
const CohortRow = Type.Object({
  date: IsoDate,
  users: Count,
  retained: Type.Array(Count, {
    maxItems: dayCohortsMax,
    description: "Active users in the cohort's own period and in each later one.",
  }),
  rates: Rates,
  complete: Type.Integer({
    minimum: 0,
    maximum: dayCohortsMax,
    description: "Number of leading entries with a complete period.",
  }),
});

export const RetentionResponse = schema(
  Type.Object(
    {
      ...ofProject,
      period: Period,
      cohorts: Type.Array(CohortRow, { maxItems: dayCohortsMax, description: "Oldest first." }),
      average_rates: Rates,
      users_analyzed: Count,
      warnings: Warnings,
    },
    { $id: "RetentionResponse" },
  ),
);

export const retentionRead = projectRead("GET /retention", {
  access: pro("analytics:read", "RD"),
  shares: {},
  doc: {
    id: "getRetention",
    summary: "Get retention",
    description:
      "Visitors by the period of their first visit, and how many of them were active in each later period. " +
      "Active means that they started a session; with `returning_event`, that they sent this event; with " +
      "only `event`, that they sent any event. `average_rates` average the cohorts with a complete period.",
  },
  example: { project: "shop", period: "week", cohorts: 2 },
  takes: RetentionQuery,
  returns: RetentionResponse,
  question: (input, { nowMs, zone }) => {
    const today = todayIn(zone, lastMoment(input.until, nowMs, zone));
    const periods = periodsOf(input, today, nowMs);
    const { period = "week", event = null, returning_event: returningEvent = null } = input;
    const days = { ...today, from: periods[0].from };
    return { period, periods, event, returningEvent, days };
  },
  scope: () => allTime,
  ask: (snapshot, { projectId, periods, event, returningEvent, filters = [] }) => {
    const { zone, ...asked } = wholeOf(periods);
    const scope = { ...allTime, zone, lastDateToMs: windowOf({ ...asked, zone }).toMs };
    return snapshot.retention(projectId, {
      periods: periods.map(windowOf),
      event,
      returning_event: returningEvent,
      filters: within(filters, scope),
    });
  },
  shape: (found, { period, periods, days }) => {
    // The last date is today unless `until` says otherwise: a period before it is over.
    const over = periods.filter(({ to }) => to < days.to).length;
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
    };
  },
  doubts: ({ periods, event, returningEvent }) => ({
    days: wholeOf(periods),
    names: [event, returningEvent].filter((name) => name !== null),
  }),
});

/** From the first date of the first period to the last one of the last, which may be after today. */
const wholeOf = (periods: readonly Days[]): Days => ({
  ...periods[0],
  to: periods[periods.length - 1].to,
});

/** Oldest first; they touch. */
function periodsOf(
  { period = "week", cohorts = cohortsDefault, since }: RetentionQuery,
  today: Days,
  nowMs: number,
): readonly Days[] {
  if (period !== "day" && cohorts > longCohortsMax) {
    throw invalidField(
      "cohorts",
      `"cohorts" must be at most ${longCohortsMax} for weeks and months.`,
    );
  }
  const periods = periodsUntil(today, period, cohorts);
  if (since === undefined) return periods;
  const { from } = daysOf({ since, until: null, nowMs, zone: today.zone });
  return periods.filter(({ to }) => to >= from);
}

type Judged = Cohort & { readonly complete: number };

/** Averages the rates of each offset over the cohorts whose period there is over. */
function averageRates(cohorts: readonly Judged[]): number[] {
  const offsets = cohorts.reduce((most, { complete }) => Math.max(most, complete), 0);
  return Array.from({ length: offsets }, (_, offset) => {
    const having = cohorts.filter(({ complete }) => complete > offset);
    const active = having.reduce((sum, { retained }) => sum + retained[offset], 0);
    const users = having.reduce((sum, cohort) => sum + cohort.users, 0);
    return roundTo(active / users, 3);
  });
}
