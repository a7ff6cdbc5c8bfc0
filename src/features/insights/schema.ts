import Type, { type Static } from "typebox";
import { ofProject } from "../../domain/context-fields";
import { DatePeriod, Delta, LastDate, ofRead, Warnings } from "../../domain/fields";
import { FiltersText } from "../../domain/filter-fields";
import { comparedPeriods } from "../../domain/period";
import { schema } from "../../lib/schema";

export const InsightsQuery = schema(
  Type.Object(
    {
      ...ofRead,
      until: Type.Optional(LastDate),
      period: Type.Optional(
        Type.Enum([...comparedPeriods], {
          default: "7d",
          description:
            "The number of dates up to today; they are compared with the same number before them.",
        }),
      ),
      filters: Type.Optional(FiltersText),
    },
    { $id: "InsightsQuery" },
  ),
);

export const Insights = Type.Object({
  current_period: DatePeriod,
  previous_period: DatePeriod,
  metrics: Type.Object({
    total_events: Delta,
    unique_users: Delta,
    total_sessions: Delta,
    bounce_rate: Delta,
    avg_duration: Delta,
    visitors: Delta,
  }),
  trend: Type.Enum(["growing", "stable", "declining"]),
  warnings: Warnings,
});
export type Insights = Static<typeof Insights>;

export const InsightsResponse = schema(
  Type.Object({ ...ofProject, ...Insights.properties }, { $id: "InsightsResponse" }),
);
