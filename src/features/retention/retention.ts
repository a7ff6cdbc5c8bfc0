import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import type { AppearanceField } from "../../domain/counting";
import { invalidField } from "../../domain/errors";
import { dayOf, isoDate } from "../../domain/event";
import {
  Count,
  EventName,
  IsoDate,
  LastDate,
  ofRead,
  Rate,
  storedTextCharsMax,
  timeCharsMax,
  type Warning,
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
import { visitorFields } from "../../domain/visitor-field";
import { pro } from "../../http/operation/facts";
import { projectRead } from "../../http/operation/project-read";
import { roundTo } from "../../lib/round";
import { ofVisitors, pageSize, schema } from "../../lib/schema";
import type { Cohort } from "../../store/cohorts";

const dayCohortsMax = 30;
const longCohortsMax = 12;
const cohortsDefault = 8;
const breakdownsMax = 20;
const breakdownsDefault = 8;
const limitOfBreakdowns = { min: 1, max: breakdownsMax, default: breakdownsDefault };

const Period = Type.Enum(["day", "week", "month"], {
  default: "week",
  description: "Length of a cohort. Weeks start on Monday.",
});

const breakdownFields: readonly AppearanceField[] = ["country", ...visitorFields];
const Breakdown = Type.String({
  // The read refuses other words, with a list of the fields.
  maxLength: storedTextCharsMax,
  description:
    "Adds the cohorts of each value of this field at the first appearance. One of " +
    `${breakdownFields.join(", ")}.`,
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
      breakdown: Type.Optional(Breakdown),
      breakdown_limit: Type.Optional(pageSize(limitOfBreakdowns, "Breakdown values at most.")),
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

const CohortRows = Type.Array(CohortRow, {
  maxItems: dayCohortsMax,
  description: "Oldest first.",
});
const BreakdownRow = Type.Object({
  value: Type.Union([Type.String({ ...ofVisitors, maxLength: storedTextCharsMax }), Type.Null()]),
  users: Count,
  cohorts: CohortRows,
  average_rates: Rates,
});

export const RetentionResponse = schema(
  Type.Object(
    {
      ...ofProject,
      period: Period,
      cohorts: CohortRows,
      average_rates: Rates,
      users_analyzed: Count,
      breakdowns: Type.Optional(
        Type.Array(BreakdownRow, { maxItems: breakdownsMax, description: "Most users first." }),
      ),
      breakdowns_total: Type.Optional({ ...Count, description: "Number of all values." }),
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
      "only `event`, that they sent any event. `average_rates` average the cohorts with a complete period. " +
      "`breakdown` adds the same for each value of a field at the first appearance, such as `user.first_source`.",
  },
  example: { project: "shop", period: "week", cohorts: 2 },
  takes: RetentionQuery,
  returns: RetentionResponse,
  question: (input, { nowMs, zone, beganAtMs }) => {
    const today = todayIn(zone, lastMoment(input.until, nowMs, zone));
    const periods = periodsOf(input, today, nowMs);
    const { period = "week", event = null, returning_event: returningEvent = null } = input;
    const days = { ...today, from: periods[0].from };
    const { breakdown: word, breakdown_limit: limit = breakdownsDefault } = input;
    const breakdown =
      word === undefined
        ? null
        : { ...{ field: breakdownField(word), zone, limit }, beganAtMs: beganAtMs() };
    return { period, periods, event, returningEvent, days, breakdown };
  },
  scope: () => allTime,
  ask: (snapshot, { projectId, periods, event, returningEvent, filters = [], breakdown }) => {
    const { zone, ...asked } = wholeOf(periods);
    const scope = { ...allTime, zone, lastDateToMs: windowOf({ ...asked, zone }).toMs };
    return snapshot.retention(projectId, {
      periods: periods.map(windowOf),
      event,
      returning_event: returningEvent,
      filters: within(filters, scope),
      ...(breakdown !== null && { breakdown }),
    });
  },
  shape: ({ cohorts, groups, groups_total }, { period, periods, days, breakdown }) => {
    const { users, ...whole } = ratesOf(cohorts, periods, days);
    return {
      period,
      ...whole,
      users_analyzed: users,
      ...(breakdown !== null && {
        breakdowns: groups.map((group) => ({
          value: group.value,
          ...ratesOf(group.cohorts, periods, days),
        })),
        breakdowns_total: groups_total,
      }),
    };
  },
  doubts: ({ periods, event, returningEvent, breakdown }, { retained_from_ms }) => ({
    days: wholeOf(periods),
    names: [event, returningEvent].filter((name) => name !== null),
    own:
      breakdown !== null && retained_from_ms > breakdown.beganAtMs
        ? [keptFrom(retained_from_ms)]
        : [],
  }),
});

/** Warns that some visitors may have come before the oldest stored event. */
function keptFrom(retainedFromMs: number): Warning {
  const date = isoDate(dayOf(retainedFromMs));
  const message =
    `The server no longer has events from before ${date}, 00:00 UTC. Visitors who were there earlier count as new ` +
    "at their first stored visit, with its values.";
  return { code: "kept_from", message, date };
}

/** Shapes cohorts, with their users and their averages. */
function ratesOf(found: readonly Cohort[], periods: readonly Days[], days: Days) {
  // The last date is today unless `until` says otherwise: a period before it is over.
  const over = periods.filter(({ to }) => to < days.to).length;
  const cohorts = found.map((one) => ({ ...one, complete: Math.max(0, over - one.period) }));
  return {
    users: cohorts.reduce((sum, { users }) => sum + users, 0),
    cohorts: cohorts.map(({ period: index, users, retained, complete }) => ({
      date: isoDate(periods[index].from),
      users,
      retained,
      rates: retained.map((active) => roundTo(active / users, 3)),
      complete,
    })),
    average_rates: averageRates(cohorts),
  };
}

/** From the first date of the first period to the last one of the last, which may be after today. */
const wholeOf = (periods: readonly Days[]): Days => ({
  ...periods[0],
  to: periods[periods.length - 1].to,
});

function breakdownField(word: string): AppearanceField {
  const field = breakdownFields.find((one) => one === word);
  if (field !== undefined) return field;
  const message = `"breakdown" must be one of ${breakdownFields.join(", ")}.`;
  throw invalidField("breakdown", message, breakdownFields);
}

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
