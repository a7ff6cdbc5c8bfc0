import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
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
import { schema } from "../../lib/schema";

const dayCohortsMax = 30;
export const cohortsDefault = 8;

const Period = Type.Enum(["day", "week", "month"], {
  default: "week",
  description: "Width of a cohort. Weeks start on Monday.",
});
export type Period = Static<typeof Period>;

export const RetentionQuery = schema(
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
          description: "Periods back: at most 30 days, 12 weeks or 12 months.",
        }),
      ),
      event: Type.Optional(EventName),
      returning_event: Type.Optional(EventName),
      filters: Type.Optional(FiltersText),
      since: Type.Optional(
        Type.String({
          maxLength: timeCharsMax,
          description: "Leaves out periods that end before it.",
        }),
      ),
    },
    { $id: "RetentionQuery" },
  ),
);

const Rates = Type.Array(Rate, { maxItems: dayCohortsMax });
const Cohort = Type.Object({
  date: IsoDate,
  users: Count,
  retained: Type.Array(Count, {
    maxItems: dayCohortsMax,
    description: "Active users of the cohort's own period and of each later one.",
  }),
  rates: Rates,
  complete: Type.Integer({
    minimum: 0,
    maximum: dayCohortsMax,
    description: "The number of leading entries whose period is over.",
  }),
});

export const Retention = Type.Object({
  period: Period,
  cohorts: Type.Array(Cohort, { maxItems: dayCohortsMax, description: "Oldest first." }),
  average_rates: Rates,
  users_analyzed: Count,
  warnings: Warnings,
});
export type Retention = Static<typeof Retention>;

export const RetentionResponse = schema(
  Type.Object({ ...ofProject, ...Retention.properties }, { $id: "RetentionResponse" }),
);
